"""Copies are known under other names; a student's own solution is none, nor what everybody has."""

import ast
import re

import pytest

from tests.course.files import A5, hand_out
from tests.support import submissions
from wherefrom.course.doctor import recognition
from wherefrom.course.doctor.recognition import SOLUTION, alike, own_functions

OURS = sorted((A5 / "submission").glob("*.py"))


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
    found = own_functions(OURS, folder)
    assert {"__getitem__", "forward", "finetune", "pretrain"} <= set(found)


def test_a_students_own_solution_is_not_taken_for_ours(tmp_path):
    starter = hand_out(tmp_path) / "submission"
    (starter / "broken.py").write_text("def f(:\n")  # it is told of elsewhere
    plain = submissions.HERE / "plain"
    assert own_functions(OURS, plain) == own_functions(OURS, starter) == []
    (starter / "broken.py").unlink()
    assert own_functions(sorted(starter.glob("*.py")), starter) == [], "a student's own grader"


@pytest.mark.parametrize("terms", [300, 900])
def test_a_file_of_deep_syntax_has_no_fingerprints_and_costs_no_other(terms, tmp_path):
    (tmp_path / "fine.py").write_text(SOURCE)
    chain = "".join(f"elif x == {i}:\n    pass\n" for i in range(terms))
    (tmp_path / "sum.py").write_text(f"x = 1{'+1' * terms}\n")
    (tmp_path / "chain.py").write_text(chain.removeprefix("el"))
    assert recognition.own_fingerprints(tmp_path) >= fingerprints(SOURCE)


LINES = [f"    total{i} = self.layer{i}(x)[: , {i}] + other.part{i} ** 2" for i in range(12)]
SOURCE = "def forward(self, x):\n" + "\n".join(LINES) + "\n    return total3\n"
OTHER = "def g(a):\n" + "\n".join(f"    if a.b{i} < {i}: return c.d{i}()" for i in range(20)) + "\n"
GIVEN = "class C:\n" + "".join(f"    def m{i}(self): return [a.b{i}({i})]\n" for i in range(20))


def fingerprints(text):
    return recognition.fingerprints(ast.parse(text))


def test_names_comments_strings_and_numbers_do_not_count_but_attributes_do():
    changed = SOURCE.replace("total", "sum").replace("** 2", "** 'b'  # why").replace("x", "y")
    assert fingerprints(changed.replace("y):", "y: int) -> str:")) == fingerprints(SOURCE)
    assert fingerprints(SOURCE.replace(".part", ".piece")) != fingerprints(SOURCE)
    assert fingerprints(SOURCE.replace(":\n", ':\n    """Doc."""\n', 1)) == fingerprints(SOURCE)


def test_a_stretch_that_is_shared_is_found_in_any_surroundings():
    shared = fingerprints(SOURCE) & fingerprints(OTHER + SOURCE + GIVEN)
    assert len(shared) >= len(fingerprints(SOURCE)) - 2
    assert not fingerprints(SOURCE) & fingerprints(OTHER)
    assert fingerprints("x = 1\n") == set()


def test_pairs_are_told_and_what_was_handed_out_is_not_a_sign():
    renamed = SOURCE.replace("total", "sum")
    class_ = {"ada": GIVEN + SOURCE, "bo": GIVEN + renamed, "cy": GIVEN + OTHER}
    found = {name: fingerprints(text) for name, text in class_.items()}
    (pair,) = alike(found, set(), [fingerprints(GIVEN)])
    assert (pair["first"], pair["second"]) == ("ada", "bo")
    assert pair["share"] > 0.8
    (ours,) = alike({"cy": found["cy"]}, fingerprints(OTHER), [fingerprints(GIVEN)])
    assert (ours["first"], ours["second"]) == ("cy", SOLUTION)


def test_what_most_of_a_class_has_is_no_sign_unless_it_is_ours():
    found = {str(i): fingerprints(SOURCE) for i in range(6)}
    assert alike(found, set(), []) == []
    assert {pair["second"] for pair in alike(found, fingerprints(SOURCE), [])} >= {SOLUTION}
