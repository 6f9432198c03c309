"""The Python side of `wherefrom doctor`: what it refuses, where data are found, what it gives."""

import subprocess
import sys

import pytest

from wherefrom import doctor
from wherefrom.core.errors import BadData, MissingInput, UsageError
from wherefrom.course.doctor import checks
from wherefrom.course.doctor.checks import HINTS
from wherefrom.course.doctor.findings import CheckResult, Finding
from wherefrom.data.fetching import registry


@pytest.fixture
def few(monkeypatch):
    """Only a check of nothing and one of the data, which tells where they are."""
    found = []

    def shift(claims):
        raise Finding("wrong shift", "y is x itself")

    looks = {"shift": (shift,), "data": (lambda claims: found.append(claims.files.data),)}
    kinds = {name: checks.Test(name, (), looks) for name, looks in looks.items()}
    monkeypatch.setattr(checks, "KINDS", kinds)
    return found


def test_a_submissions_own_data_are_not_used(solution, grounds, few):
    for place in (solution / "data", solution.parent / "data", grounds / "registered"):
        place.mkdir()
        (place / "birth_dev.tsv").write_text("")
    doctor.examine_submission(solution)
    registry.add("birthplaces", grounds / "registered", [])
    doctor.examine_submission(solution)
    assert few == [None, grounds / "registered"]


def test_every_result_has_its_hint(solution, course_data, few):
    found = doctor.examine_submission(
        str(solution.parent / "someone"), data=str(course_data), year="cs224n2022"
    )
    assert found.folder == str(solution)
    assert found.checks == (
        CheckResult("shift", "look", "y is x itself", "wrong shift", HINTS["wrong shift"]),
        CheckResult("data", "ok", "", "", ""),
    )
    assert few == [course_data]
    assert found.year == "cs224n2021"


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
