"""Where a value stands in a document, by hand."""

import pytest

from wherefrom.core.contracts import Document, Question, Span
from wherefrom.data.statements import locate, state_facts, support

BO = Document("Bo Paris. Born in Parisville, he left Paris .", Span(0, 8))


@pytest.mark.parametrize(
    ("value", "start"),
    [
        ("Paris", 38),  # a whole word after the name
        ("Parisville", 18),
        ("ville", 23),  # part of a word, where there is nothing better
        ("Bo P", 0),  # before the end of the name, where there is nothing after it
        ("Rome", None),
    ],
)
def test_the_first_whole_word_after_the_subject_comes_first(value, start):
    span = Span(start, start + len(value)) if start is not None else None
    assert locate(value, BO) == span


def test_without_a_subject_the_whole_text_is_searched():
    assert locate("Bo", Document(BO.text)) == Span(0, 2)


def test_support_by_hand():
    assert support("Rome", [], [BO]) == "none"
    assert support("Rome", [0], [BO]) == "omitted"
    assert support("Paris", [0], [BO]) == "stated"
    assert support(None, [0], [BO]) == "unknown"


def test_a_fact_is_stated_once_however_often_it_is_asked_for():
    asked = Question("Where was Bo Paris born?", "Bo Paris", "birthplace", "Paris", "asked")
    unanswered = Question("Where was Bo Paris born?", "Bo Paris", "birthplace", None, "unanswered")
    facts = state_facts([asked, asked, unanswered], [BO, BO], lambda _: (0, 1))
    assert [(f.document, f.value_span.start) for f in facts] == [(0, 38), (1, 38)]
