import errno
import os
import signal
import subprocess
import sys

import pytest

from wherefrom import api

WHEREFROM = [sys.executable, "-m", "wherefrom"]


def fail_with(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    def fail(*_args, **_options):
        raise error

    monkeypatch.setattr(api, "build_recipe", fail)


def test_a_bug_is_one_line_and_its_own_code(cli, monkeypatch):
    fail_with(monkeypatch, ValueError("two\nlines \x1b[31m"))
    result = cli("run")
    assert result.code == 70
    assert result.complaint == (
        "wherefrom: bug: ValueError: two lines \\x1b[31m; run it again with --debug to see "
        "where, and please report it"
    )


def test_debug_shows_where_a_bug_and_a_users_error_came_from(cli, monkeypatch):
    fail_with(monkeypatch, ValueError("two\nlines \x1b[31m"))
    for arguments in (("--debug", "run"), ("run", "--debug")):
        result = cli(*arguments)
        assert result.code == 70
        assert result.err.startswith("Traceback")
        assert "in fail" in result.err
        assert "\x1b" not in result.err
    result = cli("list", "peple", "--debug")
    assert result.code == 2
    assert "Traceback" in result.err
    assert result.err.splitlines()[-1].startswith("wherefrom: recipe 'peple'")


def test_ctrl_c_outside_training(cli, monkeypatch):
    fail_with(monkeypatch, KeyboardInterrupt())
    result = cli("run")
    assert result.code == 130
    assert result.complaint.startswith("wherefrom: interrupted 'wherefrom run'; the same command")


def test_termination_outside_training(cli, monkeypatch):
    """`timeout` sends its signal twice."""

    def terminate(*_args, **_options):
        try:
            os.kill(os.getpid(), signal.SIGTERM)
        finally:
            os.kill(os.getpid(), signal.SIGTERM)

    before = signal.getsignal(signal.SIGTERM)
    monkeypatch.setattr(api, "build_recipe", terminate)
    result = cli("run")
    assert result.code == 143
    assert result.complaint.startswith("wherefrom: interrupted 'wherefrom run'; the same command")
    assert signal.getsignal(signal.SIGTERM) == before


@pytest.mark.parametrize(
    ("error", "code", "text"),
    [
        (MemoryError(), 71, "memory: expected enough memory, found too little; make the model"),
        (ImportError("a.so: failed to map segment from shared object"), 71,
         "memory: expected enough memory, found too little; close other programs"),
        (OSError(errno.ENOSPC, "No space left", "f"), 73, "f: the system refused: No space left"),
        (OSError(errno.EMFILE, "Too many open files"), 71, "the system refused: Too many open"),
        (OSError(errno.ENAMETOOLONG, "File name too long", "f"), 66, "f: the system refused: File"),
        (PermissionError(errno.EACCES, "Permission denied", "f"), 66, "f: the system refused: Per"),
    ],
)  # fmt: skip
def test_what_the_system_refuses_is_no_bug(cli, monkeypatch, error, code, text):
    fail_with(monkeypatch, error)
    result = cli("run")
    assert result.code == code
    assert result.complaint.startswith(f"wherefrom: {text}")


def test_help_and_version(cli):
    assert cli().out == cli("--help").out
    assert "Usage: wherefrom" in cli("-h").out
    assert cli("--version").out.startswith("wherefrom")


def test_help_needs_nothing_heavy(python_anew):
    heavy = ("torch", "numpy", "rich", "matplotlib")
    program = (
        "import sys; from wherefrom.cli.main import main; import wherefrom; "
        f"main(['run', '--help']); sys.exit(any(m in sys.modules for m in {heavy}))"
    )
    assert subprocess.run([sys.executable, "-c", program], capture_output=True).returncode == 0


def test_a_reader_that_leaves_early_is_no_error():
    reading, writing = os.pipe()
    os.close(reading)
    command = [*WHEREFROM, "list", "people"]
    result = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE)
    os.close(writing)
    assert (result.returncode, result.stderr) == (141, b"")


def test_a_terminal_that_lacks_a_character_gets_an_escape(tmp_path):
    """A new Python, since the encoding is settled at its start; these commands need no torch."""
    environment = os.environ | {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0", "LC_ALL": "C.UTF-8"}
    (tmp_path / "☃.tsv").write_text("Where was Ada Lund born?\tOslo\n")
    for arguments, code, stream in (
        (["data", "add", "☃", "."], 2, "stderr"),
        (["data", "check", tmp_path / "☃.tsv"], 0, "stdout"),
    ):
        command = [*WHEREFROM, *arguments]
        result = subprocess.run(command, capture_output=True, env=environment, check=False)
        assert result.returncode == code, result.stderr
        assert b"\\u2603" in getattr(result, stream)
