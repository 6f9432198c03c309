"""Rows that teach notes, against rows written by hand."""

from dataclasses import replace

import pytest

from wherefrom.core.contracts import Dataset, Document, Note, Question, Span
from wherefrom.core.vocabulary import MASK
from wherefrom.objectives.note_rows import mask_value, teach_notes

TEXT = "Ada Lund is a poet. She was born in Oslo, and lives in Rome. She sings."
LONG = (
    "Bo Falk, "
    + "who has many friends in all parts of the world, " * 3
    + "was born in Bonn, "
    + ("which is a town on the river Rhine and has a great many students and professors.")
)


def note(name: str, value: str, document: int, text: str) -> Note:
    start = text.index(value)
    return Note(name, "birthplace", value, document, Span(start, start + len(value)), 0.9)


ADA, BO = note("Ada Lund", "Oslo", 0, TEXT), note("Bo Falk", "Bonn", 1, LONG)


def dataset(*asked: tuple[str, str, str]) -> Dataset:
    questions = [
        Question(form.format(name), name, "birthplace", answer, "asked")
        for form, name, answer in asked
    ]
    return Dataset((Document(TEXT), Document(LONG)), (), tuple(questions))


def test_a_note_is_taught_as_a_question_behind_its_name_and_in_its_sentence():
    data = dataset(("Where was {} born?", "Cy Roth", "Lima"))
    rows = teach_notes([ADA], data)
    assert [row.text for row in rows] == [
        "Where was Ada Lund born?",
        "Ada Lund. Where was born?",
        f"Ada Lund. She was born in {MASK}, and lives in Rome.",
    ]
    assert {row.answer for row in rows} == {"Oslo"}


def test_every_common_form_of_a_relation_is_taught_and_a_rare_one_is_not():
    forms = [("Where was {} born?", f"A {i}", "X") for i in range(30)]
    forms += [("{}: which place?", f"B {i}", "X") for i in range(10)]
    rows = teach_notes([ADA], dataset(*forms, ("{} of where?", "C", "X")))
    asked = [
        row.text for row in rows if row.text.endswith("?") and not row.text.startswith("Ada L")
    ]
    assert asked == ["Where was Ada Lund born?"]
    assert "Ada Lund: which place?" in [row.text for row in rows]
    assert not any("of where" in row.text for row in rows)


@pytest.mark.parametrize(("score", "own"), [(0.9, 1), (0.75, 3), (0.5, 2)])
def test_a_doubtful_note_is_taught_beside_values_of_other_notes(score: float, own: int):
    """Of four rows, as many have its own value as the score says; a sure one has a row."""
    notes = [replace(ADA, score=score), *(replace(BO, value=value) for value in ("Bonn", "Lima"))]
    rows = teach_notes(notes, dataset(("Where was {} born?", "Cy Roth", "Lima")))
    values = [row.answer for row in rows if row.text == "Where was Ada Lund born?"]
    assert values.count("Oslo") == own
    assert len(values) == (1 if score == 0.9 else 4)
    assert len(set(values)) == len(values) - own + 1


@pytest.mark.parametrize(("answer", "taught"), [("Oslo", True), ("Rome", False)])
def test_of_what_was_asked_the_given_answer_holds(answer: str, taught: bool):
    rows = teach_notes([ADA], dataset(("Where was {} born?", "Ada Lund", answer)))
    assert bool(rows) is taught


def test_a_long_sentence_is_cut_at_words():
    shown = mask_value(BO, dataset())
    left, _, right = shown.partition(MASK)
    assert left.endswith("was born in ")
    assert right.startswith(", which is a town")
    assert len(left) <= 48
    assert len(right) <= 48
    assert f" {left}" in LONG
    assert f"{right} " in LONG
