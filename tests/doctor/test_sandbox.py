"""Checks in child processes, with a submission that dies, lies and leaves things behind."""

from pathlib import Path

import pytest

from wherefrom.doctor.findings import Result
from wherefrom.doctor.sandbox import Limits, examine

CHECKS = """
import json, os, sys
from wherefrom.doctor.findings import Finding

def find(submission):
    raise Finding("size", f"{submission.year.variant} {submission.data.name}")

def lie(submission):
    line = {"name": "lie", "state": "excellent", "text": "", "mistake": ""}
    os.write(json.loads(sys.argv[1])["pipe"], json.dumps(line).encode() + b"\\n[1]\\nno JSON\\n")
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


def test_a_check_that_dies_costs_only_itself(checks):
    names = ["fine", "find", "die", "lie", "scratch"]
    results = examine(
        "odd_checks:CHECKS",
        names,
        checks / "handed-in",
        data=checks,
        paths=[checks],
        year="cs224n2024",
    )
    assert list(results) == names
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
    limits = Limits(total=-1)
    results = examine("odd_checks:CHECKS", ["fine", "find"], checks / "handed-in", limits=limits)
    none = Result("look", "no time was left for it", "stopped")
    assert results == {"fine": none, "find": none}
