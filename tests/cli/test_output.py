"""Standard streams that are closed or full: one line and a code, or no matter at all."""

import os
import subprocess
import sys

# Commands that load no torch: a shell starts new processes.
COMMAND = f"{sys.executable} -m wherefrom"
CANNOT = "wherefrom: standard output: cannot write: {}; send it to a file or a pipe, and run"


def shell(line: str, **options):
    """A line of a shell, where $W is the command."""
    environment = os.environ | {"W": COMMAND}
    return subprocess.run(
        ["bash", "-c", line], capture_output=True, text=True, env=environment, **options
    )


def test_a_standard_output_that_takes_nothing():
    reasons = {
        "data list >&-": "Bad file descriptor",
        "--help >/dev/full": "No space left on device",
    }
    for line, reason in reasons.items():
        found = shell(f"$W {line}")
        assert found.returncode == 73
        assert found.stderr.startswith(CANNOT.format(reason))
        assert found.stderr.count("\n") == 1


def test_notes_that_nobody_can_read_are_dropped():
    """They must not end up among the results, as Python's print would have it."""
    found = shell("$W data list --json 2>&-")
    assert (found.returncode, found.stdout[:1], found.stderr) == (0, "{", "")
    found = shell("$W data lst 2>/dev/full")
    assert (found.returncode, found.stdout, found.stderr) == (2, "", "")


def test_all_closed_at_once_leaves_only_the_code(tmp_path):
    found = shell("$W data list >&- 2>&- <&-", cwd=tmp_path)
    assert (found.returncode, found.stdout, found.stderr) == (73, "", "")
    assert list(tmp_path.iterdir()) == []


def test_a_file_never_gets_the_number_of_a_closed_stream(tmp_path):
    """Or what a library prints would be written into it. Standard input is an empty one then."""
    program = (
        "import sys; from wherefrom.cli.output import prepare_streams; prepare_streams(); "
        "file = open('model', 'w'); assert file.fileno() > 2, file.fileno(); "
        "assert sys.stdin.read() == ''"
    )
    found = shell(f'{sys.executable} -c "{program}" <&- >&-', cwd=tmp_path)
    assert (found.returncode, found.stderr) == (0, "")


def test_a_run_is_finished_though_nobody_can_be_told(cli, tmp_path):
    small = ["--set", "data.sentences=50", "--set", "stages.train.steps=5"]
    run = ["run", "bigram-tiny", *small, "--no-report", "--out", str(tmp_path / "run")]
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-m", "wherefrom", *run]
        found = subprocess.run(command, stdout=full, stderr=full, check=False)
    assert found.returncode == 73
    assert "is finished; these are its results" in cli(*run).err


def test_a_folder_that_was_deleted(tmp_path):
    found = shell("mkdir gone && cd gone && rmdir ../gone && $W list", cwd=tmp_path)
    assert found.returncode == 66
    assert found.stderr.startswith("wherefrom: current folder: expected one that exists, found: No")
    assert found.stderr.count("\n") == 1
