"""The first signal is noted, the second one ends the process."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from wherefrom.training import signals
from wherefrom.training.signals import RECEIVED, StopSignal

ALL = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


@pytest.fixture(autouse=True)
def _heard() -> Iterator[None]:
    """Whoever starts the tests with nohup has SIGHUP ignored, here and in children."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


@pytest.mark.parametrize("number", ALL)
def test_the_first_signal_is_noted_and_the_handlers_come_back(number):
    before = [signal.getsignal(n) for n in ALL]
    with StopSignal() as stop:
        assert stop.number is None
        signal.raise_signal(number)
        assert stop.number == number
    assert [signal.getsignal(n) for n in ALL] == before


def test_a_closed_standard_error_does_not_matter(monkeypatch):
    def refuse(*_):
        raise OSError(9, "Bad file descriptor")

    monkeypatch.setattr(signals.os, "write", refuse)
    with StopSignal() as stop:
        signal.raise_signal(signal.SIGTERM)
        assert stop.number == signal.SIGTERM


def test_outside_the_main_thread_it_does_nothing():
    before = [signal.getsignal(n) for n in ALL]
    seen = []
    stop = StopSignal()
    with stop:  # one that was of use before
        pass

    def work():
        with stop:
            now = [signal.getsignal(n) for n in ALL]
        seen.append((stop.number, now))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [(None, before)]


def test_a_hangup_that_nohup_ignores_stays_ignored():
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    with StopSignal() as stop:
        signal.raise_signal(signal.SIGHUP)
        assert stop.number is None
        assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
    assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN


def test_what_timeout_sends_twice_is_one_request(monkeypatch, capfd):
    now = [100.0]
    monkeypatch.setattr(signals, "monotonic", lambda: now[0])
    for number, soon in ((signal.SIGTERM, 0.9), (signal.SIGHUP, 0.9), (signal.SIGINT, 0.09)):
        with StopSignal() as stop:
            signal.raise_signal(number)
            now[0] += soon
            signal.raise_signal(number)  # or this process would end here
            assert stop.number == number
            assert capfd.readouterr().err == f"{RECEIVED}\n"


CHILD = """
import signal, time
from wherefrom.training import signals
from wherefrom.training.signals import StopSignal
signal.signal(signal.SIGHUP, signal.SIG_DFL)
signals._ECHO = dict.fromkeys(signals._ECHO, 0.0)
with StopSignal() as stop:
    print("ready", flush=True)
    while stop.number is None:
        time.sleep(0.01)
    print("noted", stop.number, flush=True)
    time.sleep(60)
"""


@pytest.mark.parametrize(
    ("first", "second"), [(ALL[0], ALL[0]), (ALL[0], ALL[1]), (ALL[1], ALL[0]), (ALL[2], ALL[2])]
)
def test_the_second_signal_ends_the_process_at_once(first, second):
    process = subprocess.Popen(
        [sys.executable, "-c", CHILD],
        env=os.environ | {"PYTHONPATH": str(Path(signals.__file__).parents[2])},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout.readline() == "ready\n"
        process.send_signal(first)
        assert process.stdout.readline() == f"noted {int(first)}\n"
        assert process.stderr.readline() == f"{RECEIVED}\n"
        process.send_signal(second)
        assert process.wait() == -second  # 0 after a minute if the signal was only noted
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize(
    ("others", "here", "agreed"), [(None, None, None), (15, None, 15), (None, 2, 2)]
)
def test_ranks_agree_on_a_signal_that_one_of_them_got(monkeypatch, others, here, agreed):
    ranks = SimpleNamespace(gather=lambda own: [own, others])
    monkeypatch.setattr(signals, "current_ranks", lambda: ranks)
    stop = StopSignal()
    stop.number = here
    assert stop.agree() == agreed
