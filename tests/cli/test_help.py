"""Help and completion: commands in groups, whole sentences, examples, advanced options apart."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from wherefrom.cli.main import GROUPS, app

COMMANDS, OPTIONS = 20, 111  # no more than these; 19 and 105 were there before 'export' and '--log'
ADVANCED = {"--together", "--wait", "--processes", "--threads"}


def walk(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every command with its words, those of a group included."""
    yield path, command
    for name, inner in getattr(command, "commands", {}).items():
        yield from walk(inner, (*path, name))


TREE = dict(walk(typer.main.get_command(app)))
LEAVES = [path for path, command in TREE.items() if not hasattr(command, "commands")]


def test_there_are_no_more_commands_and_options_than_there_were():
    options = [p for c in TREE.values() for p in c.params if p.param_type_name == "option"]
    assert len(LEAVES) <= COMMANDS
    assert len(options) <= OPTIONS


def test_commands_stand_in_groups_with_an_example_and_nothing_is_cut(cli):
    text = cli("--help").out
    whole = " ".join(text.split())
    for title in GROUPS:
        assert f"\n{title}:\n" in text
        assert "(wherefrom " in title
    for path in TREE:
        if len(path) == 1:
            first = " ".join(TREE[path].help.split("\n\n")[0].split())
            assert f" {path[0]} {first}" in whole
    assert "..." not in text.replace("[ARGS]...", "")


@pytest.mark.parametrize("path", LEAVES, ids=" ".join)
def test_a_command_has_an_example_and_its_advanced_options_stand_apart(cli, path):
    usual, _, advanced = cli(*path, "--help").out.partition("\nAdvanced options:\n")
    (example,) = [line for line in usual.splitlines() if line.startswith("  Example: ")]
    assert f"  Example: wherefrom {' '.join(path)}" in example
    options = {name for p in TREE[path].params for name in p.opts}
    assert {name for name in options if f"\n  {name} " in f"\n{advanced}"} == options & ADVANCED


def test_the_shell_completes_commands_options_and_runs(cli, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("people-0", "people-1", "other"):
        Path("runs", name).mkdir(parents=True)
        Path("runs", name, "run.json").write_text("{}")
    monkeypatch.setenv("_WHEREFROM_COMPLETE", "complete_bash")
    for words, expected in {
        "wherefrom a": "ask audit",
        "wherefrom audit --to": "--together",
        "wherefrom audit pe": "people-0 people-1",
        "wherefrom ask ot": "other",
        "wherefrom compare people-0 o": "other",
    }.items():
        monkeypatch.setenv("COMP_WORDS", words)
        monkeypatch.setenv("COMP_CWORD", str(len(words.split()) - 1))
        result = cli()
        assert (result.code, result.out.split()) == (0, expected.split())
