"""Every number that a command takes, swept: whatever is given, it is never called a bug."""

from typing import get_type_hints

import pytest

from wherefrom.cli.main import app

VALUES = ("nan", "inf", "-inf", "-1", "0", "1e308", "9" * 30, "9" * 5000, "x", "")
# Training takes longer than a sweep: what these refuse is tested with each of them.
LONG = {"run", "audit", "evaluate", "report", "doctor"}


def numbers() -> list[tuple[str, str]]:
    """Each option of a command that is a number, by the annotations of the command's function."""
    wanted = {int, float, int | None, float | None, list[float] | None}
    return [
        (command.name, f"--{name.replace('_', '-')}")
        for command in app.registered_commands
        for name, hint in get_type_hints(command.callback).items()
        if hint in wanted
    ]


def test_the_sweep_finds_them():
    swept = {path for path, _ in numbers()}
    assert {"ask", "sample", "examples", "perplexity", "run", "audit"} <= swept
    assert len(numbers()) > 20


@pytest.fixture
def given(tiny_run, tmp_path):
    (tmp_path / "text.txt").write_text("Where was she born?\n")
    question = "Where was Amos Karlsson born?"
    return {
        "ask": [tiny_run, question],
        "examples": [tiny_run],
        "sample": [tiny_run, "--length", "2"],
        "perplexity": [tiny_run, "--text", tmp_path / "text.txt"],
        "export": [tiny_run, "--out", tmp_path / "out"],  # refused, after the number was looked at
    }


@pytest.mark.parametrize(("command", "option"), [n for n in numbers() if n[0] not in LONG])
def test_a_number_is_used_or_refused_in_one_line(cli, given, command, option):
    for value in VALUES:
        result = cli(command, *given[command], f"{option}={value}")
        assert result.code in (0, 2, 65), (value, result.err)
        if result.code:
            assert "expected" in result.complaint or option in result.complaint


def test_an_audit_has_bounds(cli, own_run):
    for options, text in (
        (("--pairs", 10**9), "pairs: expected 1 to 1,000, found"),
        (("--pairs", 2, "--processes", 10**6), "--processes: expected at most "),
        (("--budget", "nan"), "budget"),
    ):
        result = cli("audit", own_run, *options)
        assert result.code in (2, 65)
        assert text in result.complaint


def test_a_plan_has_bounds(cli, facts_folder, tmp_path):
    files = ["--corpus", facts_folder / "corpus.txt", "--questions", facts_folder / "questions.tsv"]
    for minutes in ("nan", "inf", "-1", "0", "1e300"):
        result = cli("run", "facts", *files, "--minutes", minutes, "--out", tmp_path / "run")
        assert result.code == 2
        assert "--minutes: expected more than 0, below 1,000,000, found" in result.complaint
    assert not (tmp_path / "run").exists()
