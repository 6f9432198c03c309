"""Records the CPU seconds of every test, those of the processes that it started among them.

A fixture that several tests share is recorded under its own name and not with the test that
happened to ask for it first; what ends tests and fixtures is not counted. CPU seconds and not the
clock: a busy machine changes them little.

As a program, for `make check`: prints what the last run of the fast tier spent most on, and fails
if a test or a shared fixture took more than it may.
"""

import importlib
import json
import os
import sys
from collections import defaultdict
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from tests.support import forks

_RECORD = "wherefrom/cpu_seconds"  # in pytest's cache
_FAST = "not nightly"  # what pyproject.toml selects
_MANY = 1000  # tests
_SHARED = {"session", "package", "module", "class"}
_SHOWN, _WANTED = 1.0, 3.0  # CPU seconds
_MOST = 1.5 * _WANTED  # one machine needs half as much again as another, or as itself when busy


def spent() -> float:
    """Of this process and of those that it has waited for; the fork server waits for its own."""
    return sum(os.times()[:4]) + forks.seconds()


class Recorder:
    """In each process that runs tests: measures; in the one that reports: collects."""

    def __init__(self) -> None:
        self.inner = [0.0]  # spent in shared fixtures so far, for this test and each fixture
        self.phase = 0.0
        self.fixtures: dict[str, float] = {}  # not reported yet
        self.seconds: defaultdict[str, defaultdict[str, float]] = defaultdict(
            lambda: defaultdict(float)
        )  # by name and process: each process makes its own shared fixtures

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any, request: Any) -> Generator[None, Any, Any]:
        if fixturedef.scope not in _SHARED:
            return (yield)
        place = request.node.nodeid or fixturedef.baseid
        begin = spent()
        self.inner.append(0.0)
        try:
            return (yield)
        finally:
            inner, whole = self.inner.pop(), spent() - begin
            self.inner[-1] += whole
            self.fixtures[f"{place}::{fixturedef.argname} (fixture)"] = whole - inner

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_setup(self) -> Generator[None, Any, Any]:
        return (yield from self._measure())

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self) -> Generator[None, Any, Any]:
        return (yield from self._measure())

    def _measure(self) -> Generator[None, Any, Any]:
        begin, self.inner = spent(), [0.0]
        try:
            return (yield)
        finally:
            self.phase = spent() - begin - self.inner[0]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self) -> Generator[None, Any, Any]:
        report = yield
        report.cpu_seconds = {report.nodeid: self.phase, **self.fixtures}
        self.phase, self.fixtures = 0.0, {}
        return report

    def pytest_runtest_logreport(self, report: Any) -> None:
        for name, seconds in getattr(report, "cpu_seconds", {}).items():
            self.seconds[name][getattr(report, "worker_id", "")] += seconds

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
    seconds: dict[str, dict[str, float]] = json.loads(record.read_text(encoding="utf-8"))
    most = {name: max(taken.values()) for name, taken in seconds.items()}
    dear = sorted((taken, name) for name, taken in most.items() if taken > _SHOWN)
    for taken, name in reversed(dear):
        print(f"{taken:7.1f} s  {name}")
    over = [name for taken, name in dear if taken > _WANTED]
    whole = sum(sum(taken.values()) for taken in seconds.values())
    counted = f"{whole:.0f} in {len(seconds)} tests and fixtures"
    print(f"CPU seconds: {counted}, {len(over)} over {_WANTED:g}; {_MOST:g} are too many")
    return 1 if any(taken > _MOST for taken, _ in dear) else 0


if __name__ == "__main__":
    sys.exit(check(Path(__file__).parents[2] / ".pytest_cache" / "v" / _RECORD))
