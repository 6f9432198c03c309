"""The Python side of `wherefrom doctor`: what it refuses, where data are found, what it gives."""

import subprocess
import sys

import pytest

from wherefrom import doctor
from wherefrom.core.errors import BadData, MissingInput, UsageError
from wherefrom.course.doctor import examination
from wherefrom.course.doctor.checks import HINTS
from wherefrom.course.doctor.findings import CheckResult, Result
from wherefrom.course.doctor.isolation import Limits
from wherefrom.data.fetching import registry


def test_a_submissions_own_data_are_not_used(solution, grounds, monkeypatch):
    monkeypatch.setattr(examination, "examine", lambda order: asked.append(order.data) or {})
    for place in (solution / "data", solution.parent / "data", grounds / "registered"):
        place.mkdir()
        (place / "birth_dev.tsv").write_text("")
    asked: list[object] = []
    doctor.examine_submission(solution)
    assert asked == [None, None]
    registry.add("birthplaces", grounds / "registered", [])
    doctor.examine_submission(solution)
    assert asked[2:] == [None, grounds / "registered"]


def test_every_result_has_its_hint(solution, course_data, monkeypatch):
    asked = []
    known = {
        "import": Result("ok"),
        "shift": Result("look", "y is x itself", "wrong shift"),
        "predictions aligned": Result("look", "odd", "a mistake without a hint"),
    }

    def examine(order):
        asked.append(
            (order.checks, order.folder.name, order.data, order.limits, order.year, order.code)
        )
        return {name: known[name] for name in order.names if name in known}

    monkeypatch.setattr(examination, "examine", examine)
    found = doctor.examine_submission(
        str(solution.parent / "someone"),
        data=str(course_data),
        year="cs224n2022",
        seconds=2,
        memory_mb=99,
    )
    assert found.folder == str(solution)
    assert found.checks == (
        CheckResult("import", "ok", "", "", ""),
        CheckResult("shift", "look", "y is x itself", "wrong shift", HINTS["wrong shift"]),
        CheckResult("predictions aligned", "look", "odd", "a mistake without a hint", ""),
    )
    place = ("wherefrom.course.doctor.checks:CHECKS", solution.name)
    assert asked == [
        (*place, None, Limits(2, 99), "cs224n2021", True),  # code sees no data
        (*place, course_data, Limits(2, 99), "cs224n2021", False),
    ]
    assert (found.year, found.year_said.split(" (")[1]) == ("cs224n2021", "cs224n2021)")


def test_what_cannot_be_examined_is_refused(solution):
    with pytest.raises(UsageError, match="no year '1999'"):
        doctor.examine_submission(solution, year="1999")
    with pytest.raises(MissingInput, match="nowhere: expected a folder with the course's data"):
        doctor.examine_submission(solution, data="nowhere")
    (solution / "helper.py").write_text("def f(:\n")
    with pytest.raises(BadData, match=r"helper\.py:1: expected Python"):
        doctor.examine_submission(solution)


def test_importing_the_package_needs_no_torch(python_anew):
    """The help of every command passes through it."""
    heavy = "[m for m in ('torch', 'numpy') if m in sys.modules]"
    program = f"import sys, wherefrom.course.doctor; print({heavy})"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "[]\n"
