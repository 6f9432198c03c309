"""Editing a data set: what is left out, what is swapped, and what must stay as it was."""

from dataclasses import replace

import pytest

from wherefrom.core.contracts import Dataset, Document, Fact, Passage, Question, Span
from wherefrom.core.errors import UsageError
from wherefrom.core.vocabulary import Vocabulary
from wherefrom.data.data_catalogue import load_dataset
from wherefrom.data.edited import (
    EditedConfig,
    choose_half,
    edit,
    find_swappable,
    leave_out,
    swap_values,
)
from wherefrom.data.people import PeopleConfig

PEOPLE = PeopleConfig(asked=9, calibration=6, held_out=6, omitted=3, untold=4)
BASE = load_dataset(PEOPLE, 3)


def edited(**fields: object) -> Dataset:
    return load_dataset(EditedConfig(PEOPLE, world=3, **fields), 99)  # pyright: ignore


def subjects(dataset: Dataset) -> set[str]:
    return {d.subject.of(d.text) for d in dataset.documents if d.subject}


def judged() -> set[str]:
    return {q.subject for q in BASE.questions if q.split != "asked"}


def test_the_halves_of_a_pair_have_every_judged_person_once():
    first, second = (
        choose_half(EditedConfig(PEOPLE, world=3, half=half), BASE) for half in ("first", "second")
    )
    assert first | second == judged()
    assert not first & second
    assert abs(len(first) - len(second)) <= 1
    other = choose_half(EditedConfig(PEOPLE, world=3, half="first", pair=1), BASE)
    assert other != first


def test_left_out_people_have_no_text_and_the_others_all_of_theirs():
    config = EditedConfig(PEOPLE, world=3, half="first")
    out, found = choose_half(config, BASE), edited(half="first")
    assert subjects(found) == subjects(BASE) - out
    assert [d for d in BASE.documents if d.subject and d.subject.of(d.text) not in out] == list(
        found.documents
    )
    for before, after in zip(BASE.questions, found.questions, strict=True):
        assert after == (replace(before, support="none") if before.subject in out else before)
    for fact in found.facts:
        assert fact in [replace(f, document=fact.document) for f in BASE.facts]
        assert fact.value_span.of(found.documents[fact.document].text) == fact.value


@pytest.mark.parametrize("fields", [{"half": "first"}, {"half": "second"}, {"swap": 6}])
def test_the_vocabulary_does_not_change(fields: dict[str, object]):
    def vocabulary(dataset: Dataset) -> Vocabulary:
        return Vocabulary.from_text([*(d.text for d in dataset.documents), dataset.alphabet])

    assert vocabulary(edited(**fields)).characters == vocabulary(BASE).characters


def test_a_swap_by_hand_before_and_after_a_name_that_holds_the_value():
    text = "In Paris, Erna Paris was born; Parisians of Paris remember."
    subject = Span(10, 20)
    question = Question("Who?", "Erna Paris", "r", "Paris", "held-out")
    other = Question("Who else?", "Bo", "r", "Rio de Janeiro", "asked")
    facts = (Fact("Erna Paris", "r", "Paris", 0, Span(3, 8)),
             Fact("Erna Paris", "note", "remember", 0, Span(50, 58)))  # fmt: skip
    dataset = Dataset((Document(text, subject),), facts, (question, other))
    found = swap_values(dataset, EditedConfig(PEOPLE, swap=1))
    new = "In Rio de Janeiro, Erna Paris was born; Parisians of Rio de Janeiro remember."
    assert found.documents[0].text == new
    assert [f.value_span.of(new) for f in found.facts] == ["Rio de Janeiro", "remember"]
    assert found.documents[0].subject
    assert found.documents[0].subject.of(new) == "Erna Paris"
    assert [q.answer for q in found.questions] == ["Rio de Janeiro"] * 2


def told(name: str, text: str) -> Document:
    return Document(f"{name} {text}", Span(0, len(name)))


def test_a_swapped_value_is_of_the_same_relation_and_not_in_the_text():
    text = "was born in Oslo, met Bo in Rome, and worked in Bonn, Cork and Nice."
    cities = ("Rome", "Bonn", "Cork", "Nice", "Lima")
    questions = (
        Question("Born?", "Ada", "born", "Oslo", "held-out"),
        *(Question(f"Born {city}?", f"Of {city}", "born", city, "asked") for city in cities),
        *(Question(f"Trade {i}?", f"C{i}", "trade", f"smith {i}", "asked") for i in range(20)),
    )
    dataset = Dataset((told("Ada", text),), (), questions)
    for world in range(3):
        swapped = swap_values(dataset, EditedConfig(PEOPLE, world=world, swap=1))
        assert swapped.questions[0].answer == "Lima"


def test_only_who_is_asked_about_once_and_has_text_of_their_own_can_be_swapped():
    documents = (told("Ada", "was born in Oslo, a smith."), told("Bo", "met Cy in Rome."),
                 told("Di", "was born in Lima."), told("Ed", "is an Indian actor."),
                 told("Jack London", "wrote."))  # fmt: skip
    one = Question("Born?", "Di", "born", "Lima", "held-out")
    questions = (
        Question("Born, Ada?", "Ada", "born", "Oslo", "held-out"),
        Question("Trade, Ada?", "Ada", "trade", "smith", "held-out"),
        Question("Met, Cy?", "Cy", "met", "Rome", "held-out"),  # stated, in somebody else's text
        Question("Born, Bo?", "Bo", "born", "Rome", "calibration"),
        Question("Born, Ed?", "Ed", "born", "India", "held-out"),  # part of a word
        Question("Born, Jack?", "Jack London", "born", "London", "held-out"),  # part of the name
        one,
    )
    dataset = Dataset(documents, (), questions)
    assert find_swappable(dataset) == [one]
    with pytest.raises(UsageError, match="expected at most 1, "):
        swap_values(dataset, EditedConfig(PEOPLE, swap=2))


def test_people_who_are_asked_about_keep_their_text():
    texts = ("Ann Lee was born in Rome.", "Bo Falk was born in Oslo.")
    questions = (
        Question("Who?", "Ann Lee", "employer", "Kestrel", "asked"),
        Question("Where?", "Ann Lee", "birthplace", "Rome", "held-out"),
        Question("Where?", "Bo Falk", "birthplace", "Oslo", "held-out"),
    )
    dataset = Dataset(tuple(Document(t, Span(0, 7)) for t in texts), (), questions)
    assert [q.subject for q in find_swappable(dataset)] == ["Bo Falk"]
    halves = [choose_half(EditedConfig(PEOPLE, half=h), dataset) for h in ("first", "second")]
    assert halves[0] | halves[1] == {"Bo Falk"}


def test_leaving_out_everyone_is_refused():
    dataset = replace(BASE, documents=BASE.documents[:1])
    subject = dataset.documents[0].subject
    assert subject
    with pytest.raises(UsageError, match="expected some text to be left"):
        leave_out(dataset, frozenset({subject.of(dataset.documents[0].text)}))


def test_passages_follow_their_documents():
    whole = tuple(
        Passage(i, d.subject.of(d.text), 0, len(d.text))
        for i, d in enumerate(BASE.documents)
        if d.subject
    )
    for config in (EditedConfig(PEOPLE, 3, half="first"), EditedConfig(PEOPLE, 3, swap=4)):
        found = edit(config, replace(BASE, passages=whole))
        assert len(found.passages) == sum(d.subject is not None for d in found.documents)
        for passage in found.passages:
            document = found.documents[passage.document]
            assert document.subject
            assert document.subject.of(document.text) == passage.subject
            assert (passage.start, passage.end) == (0, len(document.text))


def test_of_a_paragraph_about_several_only_the_passages_of_those_left_out_are_cut():
    ann, bob, cy = "Ann Ash lives in Rome.", "Bob Bax lives in Oslo.", "Cy Cox lives in Lima."
    text = f"{ann} {bob} {cy}"
    at = {name: text.index(name) for name in (ann, bob, cy)}
    passages, facts = [], []
    for s in (ann, bob, cy):
        name, end = s[:7].strip(), at[s] + len(s)
        passages.append(Passage(0, name, at[s], end + (s is not cy)))
        facts.append(Fact(name, "home", s[-5:-1], 0, Span(end - 5, end - 1)))
    alone = Document("Bob Bax sings.", Span(0, 7))
    documents, own = (Document(text, Span(0, 7)), alone), Passage(1, "Bob Bax", 0, len(alone.text))
    base = Dataset(documents, tuple(facts), passages=(*passages, own))
    without = leave_out(base, frozenset({"Bob Bax"}))
    assert [d.text for d in without.documents] == [f"{ann} {cy}"]
    assert [(f.subject, f.value_span.of(f"{ann} {cy}")) for f in without.facts] == [
        ("Ann Ash", "Rome"),
        ("Cy Cox", "Lima"),
    ]
    assert [(p.subject, p.document) for p in without.passages] == [("Ann Ash", 0), ("Cy Cox", 0)]
    assert f"{ann} {cy}"[without.passages[1].start : without.passages[1].end] == cy
    headless = leave_out(base, frozenset({"Ann Ash"})).documents[0]
    assert headless.text == f"{bob} {cy}"
    assert headless.subject
    assert headless.subject.of(headless.text) == "Bob Bax"
