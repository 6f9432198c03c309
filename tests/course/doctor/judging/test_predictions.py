"""Prediction files against small tables of questions whose answers are known."""

import pytest

from wherefrom.course.doctor.findings import Finding, NoTelling
from wherefrom.course.doctor.judging import predictions
from wherefrom.course.doctor.judging.predictions import Asked

QUESTIONS = tuple(f"Where was P{i} born?" for i in range(100))
ANSWERS = tuple(f"Place {chr(65 + 7 * i % 23)}" for i in range(100))  # neighbours differ
KNOWN = Asked(QUESTIONS, ANSWERS)
HALF = [place if i % 2 else "Nowhere" for i, place in enumerate(ANSWERS)]


def moved(lines: list[str], by: int) -> list[str]:
    return lines[-by:] + lines[:-by]


@pytest.mark.parametrize("by", [1, -1, 0])
def test_a_shift_by_a_line_is_seen(by):
    assert predictions.shift(moved(HALF, by) if by else HALF, KNOWN) == by


def test_a_shift_without_proof_is_none():
    """Lines that are right only when shifted: 20 of them may be chance (1e-6), 21 not (5e-7)."""
    few = ["Nowhere", *ANSWERS[:20], *["Nowhere"] * 79]
    assert predictions.shift(few, KNOWN) == 0
    more = ["Nowhere", *ANSWERS[:21], *["Nowhere"] * 78]
    assert predictions.shift(more, KNOWN) == 1
    assert predictions.shift(moved(HALF, 1), Asked(QUESTIONS)) == 0, "nothing to compare with"
    places = [ANSWERS[i - i % 2] for i in range(50)]  # every second is right only when shifted
    assert predictions.shift([*places, *ANSWERS[50:]], KNOWN) == 0, "more are right as they are"


def test_a_score_counts_exact_matches():
    assert KNOWN.right([f" {place} " for place in HALF]) == 50
    assert Asked(QUESTIONS).right(HALF) == 0


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
    predictions.check_form(HALF, KNOWN, "dev")
    predictions.check_form([*[""] * 50, *HALF[50:]], KNOWN, "dev")
    with pytest.raises(Finding) as caught:
        predictions.check_form(lines, KNOWN, "dev")
    assert caught.value.mistake == mistake


def test_questions_are_read_with_their_answers(tmp_path):
    with pytest.raises(NoTelling, match="name its folder with --data"):
        predictions.read_asked(None, "dev")
    with pytest.raises(NoTelling, match=r"birth_dev\.tsv is not there"):
        predictions.read_asked(tmp_path, "dev")
    (tmp_path / "birth_dev.tsv").write_text("Where was Bo Falk born?\tRome\r\n")
    assert predictions.read_asked(tmp_path, "dev") == Asked(("Where was Bo Falk born?",), ("Rome",))
    (tmp_path / "birth_test_inputs.tsv").write_text("Where was Bo Falk born?\nWho?\n")
    assert predictions.read_asked(tmp_path, "test").answers == ()
    (tmp_path / "answers.tsv").write_text("Rome\nOslo\n")
    found = predictions.read_asked(tmp_path, "test", tmp_path / "answers.tsv")
    assert found.answers == ("Rome", "Oslo")
    (tmp_path / "answers.tsv").write_text("Rome\n")
    with pytest.raises(NoTelling, match="1 answers for 2 questions"):
        predictions.read_asked(tmp_path, "test", tmp_path / "answers.tsv")
    (tmp_path / "birth_dev.tsv").write_bytes(b"\xff\n")
    with pytest.raises(NoTelling, match="is no text"):
        predictions.read_asked(tmp_path, "dev")


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
