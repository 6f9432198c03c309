"""Prediction files against small tables of questions whose answers are known."""

import pytest

from wherefrom.course.doctor.findings import Finding, NoTelling
from wherefrom.course.doctor.judging import predictions

ANSWERS = [f"Place {chr(65 + 7 * i % 23)}" for i in range(100)]  # neighbours differ
HALF = [place if i % 2 else "Nowhere" for i, place in enumerate(ANSWERS)]


def moved(lines: list[str], by: int) -> list[str]:
    return lines[-by:] + lines[:-by]


@pytest.mark.parametrize("by", [1, -1, 0])
def test_a_shift_by_a_line_is_seen(by):
    assert predictions.shift(moved(HALF, by) if by else HALF, ANSWERS) == by


def test_a_shift_without_proof_is_none():
    """Lines that are right only when shifted: 20 of them may be chance (1e-6), 21 not (5e-7)."""
    few = ["Nowhere", *ANSWERS[:20], *["Nowhere"] * 79]
    assert predictions.shift(few, ANSWERS) == 0
    more = ["Nowhere", *ANSWERS[:21], *["Nowhere"] * 78]
    assert predictions.shift(more, ANSWERS) == 1
    assert predictions.shift(moved(HALF, 1), []) == 0, "nothing to compare with"
    places = [ANSWERS[i - i % 2] for i in range(50)]  # every second is right only when shifted
    assert predictions.shift([*places, *ANSWERS[50:]], ANSWERS) == 0, "more are right as they are"


@pytest.mark.parametrize(
    ("lines", "mistake"),
    [
        (HALF[:-1], "lines"),
        (["a heading", *HALF], "predictions shifted by a line"),
        (["London"] * 100, "constant"),
        ([*[""] * 51, *HALF[51:]], "empty"),
    ],
)
def test_the_form_of_a_file(lines, mistake):
    predictions.check_form(HALF, ANSWERS, 100, "dev")
    predictions.check_form([*[""] * 50, *HALF[50:]], ANSWERS, 100, "dev")
    with pytest.raises(Finding) as caught:
        predictions.check_form(lines, ANSWERS, 100, "dev")
    assert caught.value.mistake == mistake


def test_questions_are_read_with_their_answers(tmp_path):
    with pytest.raises(NoTelling, match="name its folder with --data"):
        predictions.read_asked(None, "dev")
    (tmp_path / "birth_dev.tsv").write_text("Where was Bo Falk born?\tRome\r\n")
    found = predictions.read_asked(tmp_path, "dev")
    assert found == (["Where was Bo Falk born?"], ["Rome"])
    (tmp_path / "birth_test_inputs.tsv").write_text("Where was Bo Falk born?\nWho?\n")
    assert predictions.read_asked(tmp_path, "test")[1] == []
    (tmp_path / "answers.tsv").write_text("Rome\n")
    with pytest.raises(NoTelling, match="1 of 2 answers"):
        predictions.read_asked(tmp_path, "test", tmp_path / "answers.tsv")


def test_files_that_cannot_be_read_are_findings(tmp_path):
    with pytest.raises(Finding, match="a is not there"):
        predictions.read_predictions(tmp_path / "a")
    (tmp_path / "b").write_bytes(b"\xff")
    with pytest.raises(Finding, match="b is no text"):
        predictions.read_predictions(tmp_path / "b")
    (tmp_path / "c").write_bytes(bytes(2**20 + 1))
    with pytest.raises(Finding, match="c is larger than"):
        predictions.read_predictions(tmp_path / "c")
    (tmp_path / "d").write_text("Rome\n\nOslo")
    assert predictions.read_predictions(tmp_path / "d") == ["Rome", "", "Oslo"]
