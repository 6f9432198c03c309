"""Checks in child processes, with a submission that dies, lies and leaves things behind."""

from dataclasses import replace
from pathlib import Path

import pytest

from wherefrom.course.doctor.findings import Result
from wherefrom.course.doctor.isolation import Limits
from wherefrom.course.doctor.order import Order
from wherefrom.course.doctor.sandbox import examine
from wherefrom.course.doctor.years import DEFAULT_YEAR

CHECKS = """
import json, os, sys
from wherefrom.course.doctor.findings import Finding

def find(submission):
    raise Finding("size", f"{submission.year.variant} {submission.data.name}")

def lie(submission):
    line = {"name": "die", "state": "ok", "text": "", "mistake": ""}  # which will say nothing
    with open("../out/answers", "a") as file:
        told = json.dumps(line)
        file.write(told + "\\n[1]\\nno JSON\\n0123456789abcdef " + told + "\\n")
    submission.pay_nobody
    return "never said"

CHECKS = {
    "fine": lambda s: f"{s.code.told} in {os.environ['A5_YEAR']}",
    "find": find,
    "lie": lie,
    "die": lambda s: os._exit(3),
    "scratch": lambda s: str(s.scratch.is_dir()),
}
"""


@pytest.fixture
def checks(grounds) -> Path:
    """A folder with the module `odd_checks`, and one with a submission of one name."""
    (grounds / "odd_checks.py").write_text(CHECKS)
    (grounds / "handed-in").mkdir()
    (grounds / "handed-in" / "__init__.py").write_text("told = 'imported'\n")
    return grounds


def odd(checks: Path, *names: str) -> Order:
    return Order("odd_checks:CHECKS", names, checks / "handed-in", paths=(checks,))


def test_a_check_that_dies_costs_only_itself(checks):
    names = ("fine", "find", "lie", "die", "scratch")
    results = examine(replace(odd(checks, *names), data=checks, year="cs224n2024"))
    assert tuple(results) == names
    assert results == {
        "fine": Result("ok", "imported in cs224n2024"),
        "find": Result("look", f"rope {checks.name}", "size"),
        "die": Result("look", "it ended its process (code 3) and was given up", "stopped"),
        "lie": Result("look", "the package gives no 'pay_nobody'; see its __init__.py", "import"),
        "scratch": Result("ok", "True"),
    }
    left = {path.name for path in checks.rglob("*")}
    assert left == {"odd_checks.py", "handed-in", "__init__.py"}, "nothing is written there"


def test_no_time_is_no_result(checks):
    results = examine(replace(odd(checks, "fine", "find"), limits=Limits(total=-1)))
    none = Result("look", "no time was left for it", "stopped")
    assert results == {"fine": none, "find": none}


def test_a_submission_sees_nothing_of_whoever_grades(checks, monkeypatch):
    monkeypatch.setenv("API_TOKEN", "secret")
    (checks / "handed-in" / "weights.params").write_bytes(bytes((1 << 20) + 1))
    (checks / "handed-in" / "small.json").write_text("[1]")
    (checks / "handed-in" / "link").symlink_to(checks / "odd_checks.py")
    code = """
import os, sys, pathlib
here = pathlib.Path(__file__).parent
files = {p.name: p.stat().st_size for p in here.iterdir()}
places = [os.environ["HOME"], os.environ["TMPDIR"], os.getcwd()]
told = [os.environ.get("API_TOKEN"), sys.argv[1:], sys.stdin.read(), sorted(files.items()),
        [str(here.parent) in place for place in places]]
"""
    (checks / "handed-in" / "__init__.py").write_text(code)
    found = examine(odd(checks, "fine"))
    files = [("__init__.py", len(code)), ("small.json", 3), ("weights.params", 0)]
    expected = [None, [], "", files, [True, True, True]]
    assert found["fine"].text == f"{expected} in {DEFAULT_YEAR}"


def test_files_are_read_without_the_submissions_code(checks):
    (checks / "handed-in" / "__init__.py").write_text("raise SystemExit('never run')\n")
    found = examine(replace(odd(checks, "find", "fine"), data=checks, code=False))
    assert found["find"] == Result("look", f"synthesizer {checks.name}", "size")
    assert found["fine"] == Result("look", "its code is not read here", "import")
