"""The command `wherefrom`: its subcommands, and how errors are reported.

A user's error becomes one line on standard error and the exit code of its class. Any other
exception is a bug of ours (exit code 70). `--debug` adds the traceback to either.
"""

import errno
import os
import signal
import sys
from collections.abc import Sequence
from itertools import pairwise
from typing import Annotated, Any

import typer

from wherefrom.cli import (
    ask,
    audit,
    compare,
    course,
    data,
    doctor,
    evaluate,
    examples,
    export,
    list_,
    perplexity,
    report,
    run,
    sample,
    verify,
)
from wherefrom.cli.help import Command, Group
from wherefrom.cli.output import hush, prepare_streams, show_traceback, show_warnings_as_notes
from wherefrom.core.environment import prepare_command
from wherefrom.core.errors import (
    CannotWrite,
    Dismissed,
    MissingInput,
    OutOfMemory,
    UsageError,
    WherefromError,
)
from wherefrom.core.memory import describe_refusal, refused
from wherefrom.show.terminal.messages import complain

BUG, INTERRUPTED, BROKEN_PIPE, TERMINATED = 70, 130, 141, 143
FILES, COURSES = "Files (wherefrom data list)", "Courses (wherefrom doctor submission)"

# Without markup and pretty exceptions typer never imports rich, which costs more than typer.
app = typer.Typer(
    help="Teach a small language model facts from text, ask it closed-book, and learn where "
    "its answers come from.",
    cls=Group,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
# Groups of commands as the help shows them, each with an example.
GROUPS = {
    "Train (wherefrom run people)": {
        "run": run.run,
        "list": list_.list_,
        "evaluate": evaluate.evaluate,
        "compare": compare.compare,
    },
    'Ask (wherefrom ask "Where was Clara Whitfield born?")': {
        "ask": ask.ask,
        "audit": audit.audit,
        "examples": examples.examples,
        "report": report.report,
    },
    "Look into other models (wherefrom sample shakespeare-gru-0)": {
        "sample": sample.sample,
        "perplexity": perplexity.perplexity,
    },
    FILES: {"verify": verify.verify, "export": export.export},
    COURSES: {"doctor": doctor.doctor},
}
for title, commands in GROUPS.items():
    for name, command in commands.items():
        app.command(name, cls=Command, rich_help_panel=title)(command)
app.add_typer(data.data, name="data", rich_help_panel=FILES)
app.add_typer(course.course, name="course", rich_help_panel=COURSES)


@app.callback(invoke_without_command=True)
def wherefrom(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Show the version.")] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
) -> None:
    if version:
        from importlib.metadata import PackageNotFoundError
        from importlib.metadata import version as installed

        try:
            print(f"wherefrom {installed('wherefrom')}")
        except PackageNotFoundError:
            print("wherefrom (not installed; running from its source tree)")
        raise typer.Exit()
    if context.invoked_subcommand is None:
        print(context.get_help())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    prepare_streams()
    prepare_command()
    show_warnings_as_notes()
    given, debug = _take_debug(list(sys.argv[1:] if arguments is None else arguments))
    before = signal.signal(signal.SIGTERM, _terminate)
    try:
        _require_folder()
        return _call(given)
    except Dismissed as dismissed:
        return dismissed.exit_code
    except BaseException as error:
        if debug and not isinstance(error, SystemExit):
            show_traceback(error)
        return _explain(error, given)
    finally:
        _flush()
        signal.signal(signal.SIGTERM, before)


def _terminate(number: int, _: object) -> None:
    """SIGTERM outside training, which saves, ends a command as Ctrl-C does."""
    signal.signal(number, signal.SIG_IGN)  # `timeout` sends its signal twice
    raise SystemExit(TERMINATED)


def _flush() -> None:
    """Write what is left; if its reader is gone, Python must not complain either."""
    try:
        sys.stdout.flush()
    except (OSError, ValueError, WherefromError):
        hush()


def _require_folder() -> None:
    """Every relative path, and some libraries, need the current folder."""
    try:
        os.getcwd()
    except OSError as error:
        raise MissingInput(
            f"current folder: expected one that exists, found: {error.strerror}; change to another "
            "folder (cd) and run the command there"
        ) from error


def _call(arguments: list[str]) -> int:
    # An empty value is a shell's variable that is not set; as a path it would be this folder.
    for before, value in pairwise(["wherefrom", *arguments]):
        if not value or (value.startswith("--") and value.find("=") == len(value) - 1):
            raise UsageError(f"{value.strip('=') or before}: expected a value, found ''")
    command = typer.main.get_command(app)
    code = command.main(arguments, prog_name="wherefrom", standalone_mode=False)
    sys.stdout.flush()  # a closed pipe is noticed here at the latest
    if code == INTERRUPTED:  # typer's word for Ctrl-C
        raise KeyboardInterrupt
    return code if isinstance(code, int) else 0


def _explain(error: BaseException, given: Sequence[str]) -> int:
    """One line about what went wrong, and the exit code for it."""
    error = _translate(error)
    if isinstance(error, WherefromError):
        complain(str(error))
        return error.exit_code
    terminated = isinstance(error, SystemExit) and error.code == TERMINATED
    if terminated or isinstance(error, KeyboardInterrupt | typer.Abort):
        command = " ".join(["wherefrom", *given[:1]])
        complain(f"interrupted '{command}'; the same command continues from what is saved")
        return TERMINATED if terminated else INTERRUPTED
    if isinstance(error, SystemExit) and error.code == 0:  # typer has written completions
        return 0
    if isinstance(error, BrokenPipeError | SystemExit):  # typer exits when the pipe is closed
        hush()
        return BROKEN_PIPE
    if hasattr(error, "format_message"):  # an error of typer's own parsing
        complain(_describe_refused(error))
        return 2
    text = " ".join(f"{type(error).__name__}: {error}".split())
    complain(f"bug: {text}; run it again with --debug to see where, and please report it")
    return BUG


_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EFBIG)
_SCARCE = (errno.ENOMEM, errno.EMFILE, errno.ENFILE, errno.EAGAIN)


def _translate(error: BaseException) -> BaseException:
    """What the system refused, where no code that knew more about it was around."""
    if refused(error):
        advice = "make the model, the batch or the data smaller"
        if isinstance(error, ImportError | SystemError):  # before there is any
            advice = "close other programs, or raise the limits of this session (ulimit -v)"
        return OutOfMemory(f"memory: {describe_refusal(error)}; {advice}")
    if not isinstance(error, OSError) or isinstance(error, BrokenPipeError) or not error.errno:
        return error
    place = f"{error.filename}: " if error.filename else ""
    text = f"{place}the system refused: {error.strerror}"
    if error.errno in _FULL:
        return CannotWrite(f"{text}; name another folder")
    if error.errno in _SCARCE or not error.filename:
        return OutOfMemory(f"{text}; raise the limits of this session (ulimit -a shows them)")
    return MissingInput(f"{text}; name another file or folder")


def _take_debug(arguments: list[str]) -> tuple[list[str], bool]:
    """Take `--debug` from any place among the options; typer only needs it for the help."""
    end = arguments.index("--") if "--" in arguments else len(arguments)
    kept = [a for i, a in enumerate(arguments) if i >= end or a != "--debug"]
    return kept, len(kept) < len(arguments)


# What typer's validation found wrong, and what it would have taken; {} is the limit.
_WANTED = {
    "greater_than_equal": "at least {}",
    "less_than_equal": "at most {}",
    "int_parsing": "a whole number",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_parsing": "a number",
    "float_type": "a number",
    "finite_number": "a finite number",
}


def _describe_refused(error: Any) -> str:
    """One line about an error of typer's own parsing."""
    context = getattr(error, "ctx", None)
    path = context.command_path if context else "wherefrom"
    described = _describe_value(error)
    if described is not None:
        return f"{described}; see '{path} --help'"
    if path.endswith(" ask") and (option := getattr(error, "option_name", "")):
        return (
            f"{option}: expected an option, a run or a question, found neither; "
            f"write -- before a question that begins with a dash, or see '{path} --help'"
        )
    return f"{' '.join(error.format_message().split())} Try '{path} --help'."


def _describe_value(error: Any) -> str | None:
    """Where, expected, found; None if typer does not say it."""
    listed = getattr(error.__cause__, "errors", None)
    names = getattr(getattr(error, "param", None), "opts", ())
    option = next((name for name in names if name.startswith("--")), None)
    if listed is None or option is None:
        return None
    problem = listed()[0]
    wanted = _WANTED.get(problem["type"])
    if wanted is None:
        return None
    limits = [f"{limit:g}" for limit in problem.get("ctx", {}).values()]
    return f"{option}: expected {wanted.format(*limits)}, found '{problem['input']}'"
