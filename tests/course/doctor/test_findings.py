"""The records of an examination, and how they are written."""

import pytest

from wherefrom.core.config import to_json
from wherefrom.core.errors import UsageError
from wherefrom.course.doctor.findings import CheckResult, Examination, Finding, Result


def test_a_state_is_one_of_three():
    assert [Result(state).state for state in ("ok", "look", "unknown")] == ["ok", "look", "unknown"]
    with pytest.raises(UsageError, match=r"Result\.state: expected one of ok, look, unknown"):
        Result("excellent")


def test_a_finding_has_its_mistake_and_its_text():
    finding = Finding("wrong shift", "y is x itself")
    assert (finding.mistake, str(finding)) == ("wrong shift", "y is x itself")


def test_an_examination_is_written_field_by_field():
    row = CheckResult("shift", "look", "y is x itself", "wrong shift", "print one x above its y")
    assert to_json(Examination("/home/ada/submission", (row,))) == {
        "folder": "/home/ada/submission",
        "checks": [
            {
                "check": "shift",
                "state": "look",
                "found": "y is x itself",
                "mistake": "wrong shift",
                "hint": "print one x above its y",
            }
        ],
        "year": "",
        "year_said": "",
    }
