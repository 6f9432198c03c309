"""Copies of the library's solution are known under other names; a student's own is none."""

import re

import pytest

from tests.course.files import A5, hand_out
from tests.support import submissions
from wherefrom.course.doctor.recognition import own_functions

SOLUTION = sorted((A5 / "submission").glob("*.py"))


def without_marks(text: str) -> str:
    return "\n".join(line for line in text.split("\n") if "SOLUTION_ONLY" not in line)


def renamed(text: str) -> str:
    """Without any comment, and with other names for what the solutions call their variables."""
    text = re.sub(r"(?m)^\s*#.*$", "", text)
    pattern = r"(?<![.\w])(text|size|start|prefix|suffix|stretch|document|weights|hidden)\b(?!=)"
    return re.sub(pattern, r"own_\1", text)


@pytest.mark.parametrize("change", [without_marks, renamed])
def test_a_copy_of_the_librarys_solution_is_known(change, tmp_path):
    folder = tmp_path / "mine"
    folder.mkdir()
    for path in (A5 / "submission").glob("*.py"):
        (folder / path.name).write_text(change(path.read_text()))
    found = own_functions(SOLUTION, folder)
    assert {"__getitem__", "forward", "finetune", "pretrain"} <= set(found)


def test_a_students_own_solution_is_not_taken_for_ours(tmp_path):
    starter = hand_out(tmp_path) / "submission"
    (starter / "broken.py").write_text("def f(:\n")  # it is told of elsewhere
    plain = submissions.HERE / "plain"
    assert own_functions(SOLUTION, plain) == own_functions(SOLUTION, starter) == []
    (starter / "broken.py").unlink()
    assert own_functions(sorted(starter.glob("*.py")), starter) == [], "a student's own grader"
