"""Records the CPU seconds of every test, those of the processes that it started among them.

Fixtures are not counted: those that several tests share would be charged to the test that happens
to ask first. CPU seconds and not the clock: a busy machine changes them little.

As a program, for `make check`: prints what the last run of the fast tier spent most on, and fails
if one took more than it may.
"""

import importlib
import json
import os
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from tests.support import forks

_RECORD = "wherefrom/seconds_of_tests"  # in pytest's cache
_FAST = "not nightly"  # what pyproject.toml selects
_MANY = 1000  # tests
_SHOWN, _WANTED = 1.0, 3.0  # CPU seconds
_MOST = 2 * _WANTED  # the same tests took 220 CPU seconds on one machine and 308 on another


def spent() -> float:
    """Of this process and of those that it has waited for; the fork server waits for its own."""
    return sum(os.times()[:4]) + forks.seconds()


class Recorder:
    """In each process that runs tests: measures; in the one that reports: collects."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, Any, Any]:
        begin = spent()
        try:
            return (yield)
        finally:
            item.user_properties.append((_RECORD, spent() - begin))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call":
            self.seconds[report.nodeid] = sum(t for n, t in report.user_properties if n == _RECORD)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """torch's first optimiser loads this; among many tests, none should be charged for it."""
        if len(session.items) > _MANY:
            importlib.import_module("torch._dynamo")

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        config = session.config
        cache = getattr(config, "cache", None)  # with -p no:cacheprovider there is none
        if _is_whole(config) and not hasattr(config, "workerinput") and cache is not None:
            cache.set(_RECORD, self.seconds)


def _is_whole(config: pytest.Config) -> bool:
    """Whether this is what `make test` does without arguments; nightly, there are more threads."""
    chosen = config.getoption("keyword") or config.getoption("markexpr") != _FAST
    everything = config.args_source is pytest.Config.ArgsSource.TESTPATHS and not chosen
    return everything and not config.getoption("--known-skips")


def record(config: pytest.Config) -> None:
    config.pluginmanager.register(Recorder(), "cpu-seconds")


def check(record: Path) -> int:
    if not record.is_file():
        print("CPU seconds: no record of the fast tier here; `make test` writes one")
        return 0
    seconds: dict[str, float] = json.loads(record.read_text(encoding="utf-8"))
    dear = sorted((taken, name) for name, taken in seconds.items() if taken > _SHOWN)
    for taken, name in reversed(dear):
        print(f"{taken:7.1f} s  {name}")
    over = [name for taken, name in dear if taken > _WANTED]
    counted = f"{sum(seconds.values()):.0f} in {len(seconds)} tests"
    print(f"CPU seconds: {counted}, {len(over)} over {_WANTED:g}; {_MOST:g} are too many")
    return 1 if any(taken > _MOST for taken, _ in dear) else 0


if __name__ == "__main__":
    sys.exit(check(Path(__file__).parents[2] / ".pytest_cache" / "v" / _RECORD))
