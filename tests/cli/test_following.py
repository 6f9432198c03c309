"""Commands that torchrun has started several times: the first process speaks for all."""

import os
import subprocess
import sys

import pytest

from wherefrom.cli.following import follows, shared

PLACE = {"RANK": "1", "WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "1"}


def start(*arguments: str, **place: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "wherefrom", *arguments]
    environment = os.environ | PLACE | place
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({}, True),
        ({"RANK": "2", "WORLD_SIZE": "3"}, True),
        ({"RANK": "0"}, False),
        ({"WORLD_SIZE": ""}, False),
        ({"MASTER_PORT": ""}, False),
    ],
)
def test_only_later_processes_of_a_group_follow(monkeypatch, changed, expected):
    for name, value in (PLACE | changed).items():
        monkeypatch.setenv(name, value)
    assert follows() is expected


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["run", "people"], True),
        (["audit", "runs/people-0"], True),
        (["evaluate", "runs/people-0"], True),
        (["ask", "runs/people-0", "run"], False),
        (["--version"], False),
        ([], False),
    ],
)
def test_some_commands_are_divided(arguments, expected):
    assert shared(arguments) is expected


def test_a_later_process_of_torchrun_has_nothing_to_do_with_other_commands():
    found = start("--version", TORCHELASTIC_RUN_ID="7")
    assert (found.returncode, found.stdout, found.stderr) == (0, "", "")


def test_nobody_elses_word_keeps_a_command_from_its_work(tmp_path):
    """A scheduler may set these variables for every process of a job."""
    found = start("verify", str(tmp_path / "none"))
    assert found.returncode == 66
    assert "expected a run folder, or one with runs in it, found no such folder" in found.stderr
    assert start("--version").stdout.startswith("wherefrom ")


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"RANK": "3"}, "RANK: expected a number below WORLD_SIZE=2, found 3"),
        ({"RANK": "x"}, "RANK: expected a whole number, found 'x'; use torchrun"),
    ],
)
def test_a_place_that_cannot_be_is_said(changed, said):
    found = start("run", "people", **changed)
    assert (found.returncode, found.stderr) == (2, f"wherefrom: {said}\n")


def test_a_first_process_that_cannot_be_reached_is_said_once_on_each_machine():
    """Port 1 of this machine is nobody's."""
    found = start("run", "people", "--wait", "0.1", LOCAL_RANK="0", LOCAL_WORLD_SIZE="2")
    assert found.returncode == 69
    assert found.stderr.splitlines() == [
        "wherefrom: 127.0.0.1:1: expected the first process within 0.1 s, found none; see that all "
        "machines name the same address and can reach it (--wait sets the seconds)"
    ]
