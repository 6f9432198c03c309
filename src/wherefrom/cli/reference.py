"""docs/COMMANDS.md, written from the commands themselves.

    python -m wherefrom.cli.reference            # what `make docs` calls
    python -m wherefrom.cli.reference --check    # is the file what this would write?

The page is made from typer's own description of each command, not from its help screen, so that
the width and the colours of a terminal make no difference.
"""

import sys
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import typer

from wherefrom.cli.main import app
from wherefrom.cli.output import complain, note
from wherefrom.core.errors import Mismatch, WherefromError
from wherefrom.core.files import read_text, write_text

PAGE = Path("docs/COMMANDS.md")
HEAD = """# The commands

`make docs` writes this page from the commands' own help; `wherefrom COMMAND --help` shows the same.
Every command takes `--help`. Results go to standard output, everything else to standard error.
With `--json`, a command that has this option prints one JSON object instead of text."""
EXIT_CODES = """## Exit codes

| code | meaning |
| --- | --- |
| 0 | done |
| 2 | wrong usage |
| 65 | bad data |
| 66 | missing input |
| 69 | no network |
| 70 | a bug in Wherefrom |
| 71 | not enough memory, or the system refuses threads or files |
| 73 | cannot write |
| 75 | busy: another process uses the folder |
| 76 | damaged file |
| 78 | mismatch between files that belong together |
| 79 | training diverged |
| 129, 130, 143 | stopped by a signal, after a clean save |"""


def reference(application: typer.Typer = app) -> str:
    """The whole page."""
    root = typer.main.get_command(application)
    commands = list(_walk(root, "wherefrom"))
    parts = [HEAD, _contents(commands), _table("option", _parameters(root, "option"))]
    parts += [_section(path, command) for path, command in commands]
    return "\n\n".join([*filter(None, parts), EXIT_CODES]) + "\n"


def check(path: Path) -> None:
    """Mismatch if the file is not what `reference` gives."""
    if read_text(path) != reference():
        raise Mismatch(
            f"{path}: expected the help texts of the commands, found an older version; "
            "run 'make docs'"
        )


def main(arguments: Sequence[str] | None = None) -> int:
    parser = ArgumentParser("python -m wherefrom.cli.reference", description=__doc__)
    parser.add_argument("file", nargs="?", type=Path, default=PAGE)
    parser.add_argument(
        "--check", action="store_true", help="write nothing; fail if the page is out of date"
    )
    given = parser.parse_args(arguments)
    try:
        if given.check:
            check(given.file)
        else:
            write_text(given.file, reference())
            note(f"{given.file}: written")
    except WherefromError as error:
        complain(str(error))
        return error.exit_code
    return 0


# Newer versions of typer bring their own copy of click, so there is no one class to import: a
# command is Any here, and only attributes that both versions have are read from it.


def _walk(command: Any, path: str) -> Iterator[tuple[str, Any]]:
    """Every command that can be called, in the order in which they are registered."""
    for name, inner in getattr(command, "commands", {}).items():
        if getattr(inner, "hidden", False):
            continue
        if getattr(inner, "commands", None):
            yield from _walk(inner, f"{path} {name}")
        else:
            yield f"{path} {name}", inner


def _contents(commands: Sequence[tuple[str, Any]]) -> str:
    rows = [
        f"| [`{path}`](#{path.replace(' ', '-')}) | {_cell(_paragraphs(command)[0])} |"
        for path, command in commands
    ]
    return "\n".join(("| command | what it does |", "| --- | --- |", *rows))


def _section(path: str, command: Any) -> str:
    arguments = _parameters(command, "argument")
    options = _parameters(command, "option")
    usage = " ".join((path, *(["[OPTIONS]"] if options else []), *map(_usage, arguments)))
    parts = [f"## `{path}`", f"    {usage}", *_paragraphs(command)]
    parts += [_table("argument", arguments), _table("option", options)]
    return "\n\n".join(filter(None, parts))


def _paragraphs(command: Any) -> list[str]:
    """The paragraphs of the help text; a single line break in a docstring does not end one."""
    text = (command.help or "").replace("\f", "").replace("\b", "")
    return [" ".join(part.split()) for part in text.split("\n\n") if part.strip()] or [""]


def _parameters(command: Any, kind: str) -> list[Any]:
    """The arguments or the options of a command; --help is left out, since every command has it."""
    return [
        each
        for each in command.params
        if each.param_type_name == kind and not getattr(each, "hidden", False)
        and each.name != "help"
    ]  # fmt: skip


def _table(title: str, parameters: Sequence[Any]) -> str:
    if not parameters:
        return ""
    rows = [f"| {_name(p)} | {_cell(_help(p))} | {_default(p)} |" for p in parameters]
    return "\n".join((f"| {title} | what it does | default |", "| --- | --- | --- |", *rows))


def _usage(argument: Any) -> str:
    name = f"{_metavar(argument)}{'' if argument.nargs == 1 else '...'}"
    return name if argument.required else f"[{name}]"


def _name(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        return f"`{_escape(_metavar(parameter))}`"
    names = ", ".join((*parameter.opts, *parameter.secondary_opts))
    return f"`{names if parameter.is_flag else f'{names} {_escape(_metavar(parameter))}'}`"


def _metavar(parameter: Any) -> str:
    return (parameter.metavar or parameter.name.upper()).removesuffix("...")


def _help(parameter: Any) -> str:
    """What a parameter does, which numbers it takes, and whether it may be repeated."""
    text = parameter.help or ""
    low, high = getattr(parameter, "min", None), getattr(parameter, "max", None)
    if low is not None and high is not None:
        text += f" From {low:g} to {high:g}."
    elif low is not None:
        text += f" At least {low:g}."
    elif high is not None:
        text += f" At most {high:g}."
    if getattr(parameter, "multiple", False) and "repeat" not in text:
        text += " May be repeated."
    return text


def _default(parameter: Any) -> str:
    shown, value = parameter.show_default, parameter.default
    if parameter.required:
        return "required"
    if isinstance(shown, str):
        return _cell(shown)
    if value is None or value is False or shown is False or value in ((), []):
        return ""
    return f"`{value}`"


def _cell(text: str) -> str:
    """Text inside a table: a bar would end the cell, and a bracket would begin a tag."""
    return _escape(" ".join(text.split())).replace("<", "&lt;").replace(">", "&gt;")


def _escape(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    sys.exit(main())
