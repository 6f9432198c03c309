"""What the package sets in the environment before torch is loaded, and what it leaves alone."""

import os
import subprocess
import sys

import pytest

from wherefrom.core.environment import setting

pytestmark = pytest.mark.usefixtures("python_anew")
NAMES = ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME", "MIMALLOC_PURGE_DELAY")


def look(code: str, **given: str) -> list[str]:
    """Each of NAMES after the code ran in a new process."""
    environment = {k: v for k, v in os.environ.items() if k not in NAMES} | given
    code = f"import os, sys; {code}; print([os.environ.get(n, '') for n in {NAMES}])"
    command = [sys.executable, "-c", code]
    found = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return [part.strip(" '") for part in found.stdout.strip("[]\n").split(",")]


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ({}, ["passive", "", "", ""]),
        ({"OMP_WAIT_POLICY": "active"}, ["active", "", "", ""]),
        ({"GOMP_SPINCOUNT": "9"}, ["", "9", "", ""]),
        ({"KMP_BLOCKTIME": "1"}, ["", "", "1", ""]),
    ],
)
def test_waiting_threads_sleep_and_what_the_user_has_set_stays(given, found):
    assert look("import wherefrom", **given) == found


def test_it_is_too_late_once_torch_is_loaded():
    assert look("sys.modules['torch'] = sys; import wherefrom") == ["", "", "", ""]


def test_the_command_keeps_freed_pages():
    main = "from wherefrom.cli.main import main; sys.stdout = sys.stderr; main(['--version']); "
    back = "sys.stdout = sys.__stdout__"
    assert look(main + back) == ["passive", "", "", "-1"]
    assert look(main + back, MIMALLOC_PURGE_DELAY="5") == ["passive", "", "", "5"]


@pytest.mark.parametrize(
    ("given", "value", "within"),
    [(None, "2", "2"), ("", "2", "2"), ("7", "2", "7"), (None, None, None)],
)
def test_a_setting_is_there_for_a_while_and_the_users_own_stays(monkeypatch, given, value, within):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    if given is not None:
        monkeypatch.setenv("OMP_NUM_THREADS", given)
    with setting("OMP_NUM_THREADS", value):
        assert os.environ.get("OMP_NUM_THREADS") == within
    assert (os.environ.get("OMP_NUM_THREADS") or None) == (given or None)
