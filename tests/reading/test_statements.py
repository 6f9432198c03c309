"""Where a value stands in a document, by hand."""

from dataclasses import replace

import pytest

from wherefrom.core.contracts import Document, Passage, Question, Span
from wherefrom.reading.statements import locate, state_facts, whole_documents

BO = Document("Bo Paris. Born in Parisville, he left Paris .", Span(0, 8))
WHOLE = Passage(0, "Bo Paris", 0, len(BO.text))


def whole(document: Document, subject: str = "Bo") -> Passage:
    return whole_documents(subject, [0], [document])[0]


def ask(answer, *accepted, subject="Bo Paris"):
    text = f"Where was {subject} born?"
    return Question(text, subject, "birthplace", answer, "asked", accepted=accepted)


@pytest.mark.parametrize(
    ("value", "start"),
    [
        ("Paris", 38),  # a whole word after the name
        ("Parisville", 18),
        ("Bo", 0),  # in the name, where there is nothing after it
        ("BORN", 10),  # in any case, where there is nothing as it is written
        ("ville", None),  # part of a word
        ("Rome", None),
        ("", None),
    ],
)
def test_the_first_whole_word_after_the_subject_comes_first(value, start):
    span = Span(start, start + len(value)) if start is not None else None
    assert locate(value, BO, WHOLE) == span


def test_a_value_may_follow_the_name_at_once():
    document = Document("王小明北京人，不在北京", Span(0, 3))
    assert locate("北京", document, whole(document, "王小明")) == Span(3, 5)


def test_parts_of_words_count_if_they_are_asked_for():
    assert locate("ville", BO, WHOLE, inside_words=True) == Span(23, 28)
    assert locate("Paris", BO, WHOLE, inside_words=True) == Span(38, 43)
    assert locate("BORN", BO, WHOLE, inside_words=True) is None


@pytest.mark.parametrize(
    ("value", "text", "found"),
    [
        ("right", "He was right-handed.", True),
        ("right", "He was upright.", False),
        ("台南", "王建民出生於台南市。", True),
        ("250", "It weighs 1,250 grams.", False),
        ("250", "It weighs 250.5 grams.", False),
        ("250", "It weighs 250.", True),
        ("St. John's", "Born in St. John's, he left.", True),
        ("São Paulo", "Nasceu em SÃO PAULO.", True),
        ("C++", "Written in C++.", True),
    ],
)
def test_words_stand_whole_between_marks(value, text, found):
    assert (locate(value, Document(text), whole(Document(text))) is not None) == found


def test_only_the_passage_is_searched_after_its_own_name():
    text = "Ann ran in Rome. In Oslo or Bonn Bo sat, and Bonn won."
    document = Document(text, Span(0, 3))
    passage = Passage(0, "Bo", 17, len(text))
    assert locate("Rome", document, passage) is None
    assert locate("Oslo", document, passage) == Span(20, 24)
    assert locate("Bonn", document, passage) == Span(45, 49)


@pytest.mark.parametrize(
    ("question", "told", "support"),
    [
        (ask("Rome"), [], "none"),
        (ask("Rome"), [WHOLE], "omitted"),
        (ask("Paris"), [WHOLE], "stated"),
        (ask("Rome", "Parisville"), [WHOLE], "stated"),
        (ask(None), [WHOLE], "unknown"),
        (ask(None), [], "unknown"),
    ],
)
def test_support_by_hand(question, told, support):
    questions = [question]
    facts = state_facts(questions, [BO], lambda _: told)
    assert questions == [replace(question, support=support)]
    assert bool(facts) == (support == "stated")


def test_a_fact_is_stated_once_however_often_it_is_asked_for():
    passages = whole_documents("Bo Paris", (0, 1), [BO, BO])
    facts = state_facts([ask("Paris"), ask("Paris"), ask(None)], [BO, BO], lambda _: passages)
    assert [(f.document, f.value_span.start) for f in facts] == [(0, 38), (1, 38)]
