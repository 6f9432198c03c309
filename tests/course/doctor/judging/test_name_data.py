"""Examples of names, laid out by hand."""

import numpy as np
import pytest

from wherefrom.course.doctor.findings import Finding
from wherefrom.course.doctor.judging import name_data as names
from wherefrom.course.doctor.judging.claims import Claim
from wherefrom.course.doctor.judging.name_data import BLOCK, check_items
from wherefrom.course.doctor.judging.spans import MASK, PAD

SYMBOLS = (PAD, MASK, *sorted(set(names.text(7))))


def right(question: str, whole: str) -> str:
    return PAD * (len(question) - 1) + whole[len(question) :]


def claim(folder, learn=right, count: int = 3, block: int = BLOCK) -> Claim:
    """A claim of `count` examples; `learn(question, whole)` gives what y holds."""
    columns: dict[str, list[str]] = {"x": [], "y": []}
    for question, answer in names.rows(7)[:count]:
        whole = f"{question}{MASK}{answer}{MASK}".ljust(block, PAD)
        columns["x"].append(whole[:-1])
        columns["y"].append(learn(question, whole))
    for key, texts in columns.items():
        np.save(folder / f"n.{key}.npy", [SYMBOLS.index(c) for c in "".join(texts)])
        np.save(folder / f"n.{key}_lengths.npy", list(map(len, texts)))
    return Claim("n", folder, {"length": count})


def test_the_courses_own_examples_are_right(tmp_path):
    check_items(claim(tmp_path), 7)
    assert names.rows(7) != names.rows(8)
    assert names.text(7).count("\n") + 1 == 2937


@pytest.mark.parametrize(
    ("learn", "mistake", "message"),
    [
        (lambda q, w: w[1:], "question not masked in the loss", "y holds the question"),
        (lambda q, w: (PAD + right(q, w))[: BLOCK - 1], "wrong shift", "y of example 0 begins at"),
        (lambda q, w: PAD * (BLOCK - 1), "names", "y of example 0 learns ''"),
    ],
)
def test_what_else_may_be_learned(tmp_path, learn, mistake, message):
    with pytest.raises(Finding, match=message) as caught:
        check_items(claim(tmp_path, learn), 7)
    assert caught.value.mistake == mistake


def test_other_examples_are_findings(tmp_path):
    with pytest.raises(Finding, match="expected 3 examples of names, found 2"):
        check_items(claim(tmp_path, count=2), 7)
    with pytest.raises(Finding, match="x of example 0 is"):
        check_items(claim(tmp_path, block=BLOCK + 1), 7)
