"""Verdicts on a small corpus whose labels are known by hand, and on generated people."""

import json
from dataclasses import replace

import pytest

from tests.support.made_up import ask
from wherefrom.core.config import to_json
from wherefrom.core.contracts import Document, Note, Passage, Span
from wherefrom.core.errors import BadData
from wherefrom.core.replies import CONTRADICTED, NO_TEXT, SILENT, SUPPORTED
from wherefrom.data import people_parts
from wherefrom.data.people import PeopleConfig, draw_people, load
from wherefrom.reading import quotes
from wherefrom.reading.index import Index
from wherefrom.reading.verdict import FactChecker


def label(checker: FactChecker, subject: str, answer: str) -> str:
    return checker.judge(subject, answer, "birthplace").label


def zoe_note(document: int, start: int, end: int) -> Note:
    return Note("Zoë Ray", "birthplace", "Oslo", document, Span(start, end), 0.9)


# --- labels ----------------------------------------------------------------------------------


def test_every_label_of_people_who_were_not_asked_about(checker, world):
    for name, (city, other) in world.others.items():
        lands = world.lands
        third = next(c for c in lands if c not in (city, other) and lands[c] != lands.get(city))
        if city:
            assert label(checker, name, city) == SUPPORTED
            assert label(checker, name, other) == label(checker, name, third) == CONTRADICTED
        else:
            assert label(checker, name, other) == label(checker, name, third) == SILENT
    assert label(checker, "Nobody Atall", "Oslo") == NO_TEXT
    assert label(checker, "", "Oslo") == NO_TEXT


def test_a_verdict_says_what_and_where(checker):
    found = checker.judge("Zoe\u0308 Ray", "Rome", "birthplace")
    assert found.quote == checker.index.document(found.document).text
    assert found.quote == "Zoë Ray was born in Oslo, Norway, and lives in Rome."
    assert (found.label, found.stated, found.span.of(found.quote)) == (CONTRADICTED, "Oslo", "Oslo")
    assert 0.5 < found.score <= 1
    assert json.loads(json.dumps(to_json(found)))["span"] == {"start": 20, "end": 24}


def test_of_a_long_document_the_words_that_count_are_quoted(checker, monkeypatch):
    monkeypatch.setattr(quotes, "LONGEST_QUOTE", 30)
    found = checker.judge("Zoë Ray", "Rome", "birthplace")
    assert found.quote == "Zoë Ray was born in Oslo, …"
    assert (found.stated, found.span.of(found.quote)) == ("Oslo", "Oslo")
    lima = checker.judge("Sam Day", "Lima", "birthplace")
    assert [other.span.of(other.quote) for other in lima.also] == ["Cork"]


def test_a_silent_text_is_not_quoted(checker, world):
    name = next(name for name, (city, _) in world.others.items() if not city)
    silent = checker.judge(name, "Oslo", "birthplace")
    assert (silent.stated, silent.document, silent.span, silent.quote) == (None,) * 4
    assert 0 <= silent.score < 0.5


def test_what_only_the_note_states_is_as_read(checker):
    """Zoë's only line has Oslo at 20: a note of these words is the reading that is read again."""
    place = checker.judge("Zoë Ray", "Oslo", "birthplace").document

    def judge(answer: str, note: Note | None) -> tuple[str, bool]:
        found = checker.judge("Zoë Ray", answer, "birthplace", note)
        return found.label, found.as_read

    assert judge("Oslo", zoe_note(place, 20, 24)) == (SUPPORTED, True)
    assert judge("Norway", zoe_note(place, 20, 32)) == (SUPPORTED, True)
    for other in (zoe_note(place, 47, 51), zoe_note(place + 1, 20, 24), None):
        assert judge("Oslo", other) == (SUPPORTED, False)
    assert judge("Rome", zoe_note(place, 20, 24)) == (CONTRADICTED, False)


def test_another_document_that_states_the_noted_value_supports_it(checker, monkeypatch):
    """The surest statement is the note's own; the other one is quoted, since it says more."""
    (own,) = checker.statements("Zoë Ray", "birthplace")
    second = replace(own, document=own.document + 1)
    monkeypatch.setattr(checker, "extract", lambda subject, relation: [own, second])
    note = zoe_note(own.document, own.span.start, own.span.end)
    found = checker.judge("Zoë Ray", "Oslo", "birthplace", note)
    assert (found.label, found.as_read, found.document) == (SUPPORTED, False, own.document + 1)


def test_two_people_of_one_name_support_two_answers(checker):
    """Two lines about Sam Day state two places; what else is stated is in the verdict."""
    assert {s.value for s in checker.statements("Sam Day", "birthplace")} == {"lima", "cork"}
    assert label(checker, "Sam Day", "Lima") == label(checker, "Sam Day", "Cork") == SUPPORTED
    lima, bath = (checker.judge("Sam Day", place, "birthplace") for place in ("Lima", "Bath"))
    assert bath.label == CONTRADICTED
    assert [(other.text, other.span.of(other.quote)) for other in lima.also] == [("Cork", "Cork")]
    assert lima.also[0].document != lima.document
    assert {bath.stated, bath.also[0].text} == {"Lima", "Cork"}
    assert checker.judge("Zoë Ray", "Oslo", "birthplace").also == ()
    assert checker.judge("Zoë Ray", "Norway", "birthplace").also == ()


def test_a_text_that_contradicts_itself_supports_both_places(world, tmp_path):
    text = "Eve Orr was born in Lyon, France. Others say that Eve Orr was born in Cork, Ireland."
    documents = [*world.documents, Document(text, Span(0, 7))]
    checker = FactChecker.fit(Index.build(tmp_path / "i", documents, "0" * 64), world.asked)
    lyon, cork = (checker.judge("Eve Orr", place, "birthplace") for place in ("Lyon", "Cork"))
    assert (lyon.label, lyon.stated, [o.text for o in lyon.also]) == (SUPPORTED, "Lyon", ["Cork"])
    assert (cork.label, cork.stated, [o.text for o in cork.also]) == (SUPPORTED, "Cork", ["Lyon"])
    assert lyon.also[0].document == lyon.document
    assert label(checker, "Eve Orr", "Rome") == CONTRADICTED


def test_only_the_subjects_own_passages_count(world, tmp_path):
    text = "Eve Orr was born in Lyon, France. Ivy Ode was born in Cork, Ireland."
    documents = [*world.documents, Document(text, Span(0, 7))]
    number = len(world.documents)
    passages = [Passage(number, "Eve Orr", 0, 34), Passage(number, "Ivy Ode", 34, len(text))]
    index = Index.build(tmp_path / "i", documents, "0" * 64, passages=passages)
    checker = FactChecker.fit(index, world.asked)
    ivy = checker.judge("Ivy Ode", "Cork", "birthplace")
    assert (ivy.label, ivy.document, ivy.span.of(text), ivy.also) == (SUPPORTED, number, "Cork", ())
    assert label(checker, "Ivy Ode", "Lyon") == label(checker, "Eve Orr", "Cork") == CONTRADICTED
    assert label(checker, "Eve Orr", "Lyon") == SUPPORTED


# --- fitting ---------------------------------------------------------------------------------


def test_only_relations_that_were_learnt_can_be_judged(checker):
    with pytest.raises(
        BadData, match="expected a relation with an extractor, found 'birthplaec'; did"
    ):
        checker.judge("Ada Lund", "Oslo", "birthplaec")


def test_too_few_answers_in_the_text_teach_nothing(checker, world):
    with pytest.raises(BadData, match="expected asked questions to learn from, found none"):
        FactChecker.fit(checker.index, [])
    absent = [ask(f"Nobody {i}", "Oslo") for i in range(9)]
    with pytest.raises(BadData, match="whose answer is in the text, found 0"):
        FactChecker.fit(checker.index, absent)
    other = [ask(f"Nobody {i}", "Oslo", relation="deathplace") for i in range(9)]
    fitted = FactChecker.fit(checker.index, [*world.asked, *other])
    assert fitted.extractors.keys() == {"birthplace"}


@pytest.mark.parametrize("relation", ["year", "employer", "trade"])
def test_no_relation_is_built_in(tmp_path, relation):
    """Numbers, names of firms, words without capitals: what answers look like is learnt, too."""
    config = PeopleConfig(asked=60, calibration=20, held_out=1, omitted=4, untold=4)
    dataset = load(config, seed=3)
    index = Index.build(tmp_path / "index", dataset.documents, "0" * 64)
    (letter,) = (x for x, name in people_parts.RELATIONS.items() if name == relation)
    people = [(person.name, person.values[letter]) for person in draw_people(config, 3)]
    checker = FactChecker.fit(index, [ask(*person, relation=relation) for person in people[:60]])
    right = []
    for question, (_, another) in zip(dataset.questions[60:], people[61:], strict=False):
        own = dict(people)[question.subject]
        none = question.support == "none"
        found = checker.judge(question.subject, own, relation).label
        right.append(found == (NO_TEXT if none else SUPPORTED))
        if own != another:
            found = checker.judge(question.subject, another, relation).label
            right.append(found == (NO_TEXT if none else CONTRADICTED))
    assert sum(right) >= 0.98 * len(right)
