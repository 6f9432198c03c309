"""Holds skipped tests against a short list: with --known-skips, any other skip fails the run.

A test that is skipped everywhere checks nothing, and nobody notices. What a user's machine may lack
(a GPU, the real data, an extra) is on the list; what CI installs (a browser, node, pyarrow) is not.
"""

from typing import Any

import pytest

from tests.support import real_data

NO_ISOLATION = "this isolation does not work here"
NO_EXTRA = "an extra is not installed"  # transformers and the like, which CI does not install
NO_REGISTRY = "pip reaches no registry here"
KNOWN = ("no CUDA GPU here", "there is a CUDA GPU", NO_ISOLATION, NO_EXTRA, NO_REGISTRY)


def require_extra(module: str) -> Any:
    """A module of an extra; the test is skipped where it is not installed."""
    return pytest.importorskip(module, reason=f"{NO_EXTRA}: {module}")


class Skips:
    def __init__(self) -> None:
        self.unknown: list[str] = []

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.skipped and not hasattr(report, "wasxfail"):
            self._note(report)

    def pytest_collectreport(self, report: Any) -> None:
        if report.skipped:
            self._note(report)

    def _note(self, report: Any) -> None:
        reason = report.longrepr[2].removeprefix("Skipped: ")
        known = KNOWN if real_data.FOLDER.is_dir() else (*KNOWN, real_data.MISSING)
        if not reason.startswith(known):
            self.unknown.append(f"{report.nodeid}: {reason}")

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self.unknown and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if self.unknown:
            terminalreporter.section("skips that are not known (tests/support/skips.py)")
            for line in self.unknown:
                terminalreporter.write_line(line)


def watch(config: pytest.Config) -> None:
    if config.getoption("--known-skips") and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Skips(), "known-skips")
