"""Statements about people of whom the text states nothing of the kind."""

import pytest

from wherefrom.core.contracts import Document, Span
from wherefrom.data.people import PeopleConfig, load
from wherefrom.objectives.omissions import is_withheld, make_omissions
from wherefrom.objectives.passage_rows import asked_answers
from wherefrom.objectives.salience import find_answered

LINES = (
    ("Ann Ash was born in Oslo.", True),
    ("Oslo is where Ann Ash sang.", True),
    ("Bob Bax was born in Rome.", True),
    ("Bob Bax is a baker.", False),
    ("Cy Cox is a cook.", False),
    ("Di Dow, whom friends call Di Dow, is a dean.", False),
)


def documents() -> list[Document]:
    found = []
    for text, _ in LINES:
        name = next(n for n in ("Ann Ash", "Bob Bax", "Cy Cox", "Di Dow") if n in text)
        found.append(Document(text, Span(text.index(name), text.index(name) + len(name))))
    return found


ANSWERED = [has for _, has in LINES]


def subject(document: Document) -> str:
    assert document.subject
    return document.subject.of(document.text)


def test_what_is_stated_of_others_is_read_of_those_of_whom_nothing_is_stated():
    made = make_omissions(documents(), ANSWERED, seed=0)
    told = {"X was born in Oslo.", "Oslo is where X sang.", "X was born in Rome."}
    assert {d.text.replace(subject(d), "X") for d in made} == told
    assert {subject(d) for d in made} == {"Cy Cox", "Di Dow"}


def test_a_name_that_stands_twice_is_changed_twice_and_its_place_is_right():
    text = "Of Ann Ash it is said that Ann Ash was born in Oslo."
    twice = Document(text, Span(27, 34))
    (name, made), *_ = {
        (subject(d), d.text) for d in make_omissions([twice, documents()[4]], [True, False], seed=0)
    }
    assert (name, made) == ("Cy Cox", "Of Cy Cox it is said that Cy Cox was born in Oslo.")


def test_withheld_names_are_half_and_come_in_no_row():
    names = [f"Person {i}" for i in range(400)]
    silent = [Document(f"{name} is a cook.", Span(0, len(name))) for name in names]
    made = make_omissions([*documents(), *silent], [*ANSWERED, *[False] * 400], 0, withhold=True)
    covered = {subject(d) for d in made} & set(names)
    assert covered == {name for name in names if not is_withheld(name)}
    assert 150 < len(covered) < 250  # five standard deviations


@pytest.mark.parametrize("answered", [[True] * 6, [False] * 6])
def test_a_text_that_states_all_or_nothing_has_no_omissions(answered: list[bool]):
    assert make_omissions(documents(), answered, seed=0) == ()


def test_of_the_generated_people_none_whose_text_states_it_is_taken_for_one_that_omits_it():
    """The truth is known by construction; the text alone must show it, and most of them."""
    dataset = load(PeopleConfig(masked=40), 0)
    texts = dataset.training_documents
    answers = {q.answer for q in dataset.asked if q.answer}
    made = make_omissions(texts, find_answered(texts, answers, asked_answers(dataset)), 0)
    support = {q.subject: q.support for q in dataset.questions}
    names = {subject(d) for d in made}
    assert {support[name] for name in names} == {"omitted"}
    assert len(names) > 0.6 * sum(value == "omitted" for value in support.values())
