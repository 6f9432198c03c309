"""What is read in training: passages behind their subject's name."""

from wherefrom.core.contracts import Dataset, Document, Fact, Passage, Question, Span
from wherefrom.objectives.passage_rows import asked_answers, named_passages, place_facts

TEXT = "Born in Oslo, Ada Roth sang. Bo Falk came from Rome."
NOBODY = "It rained."


def dataset() -> Dataset:
    at = TEXT.index("Bo Falk")
    passages = (Passage(0, "Ada Roth", 0, at), Passage(0, "Bo Falk", at, len(TEXT)))
    return Dataset((Document(TEXT), Document(NOBODY)), passages=passages)


def test_every_passage_is_read_behind_its_name_and_other_documents_as_they_are():
    found = named_passages(dataset())
    assert [d.text for d in found] == [
        "Ada Roth. Born in Oslo, Ada Roth sang. ",
        "Bo Falk. Bo Falk came from Rome.",
        NOBODY,
    ]
    assert [d.subject for d in found] == [Span(0, 8), Span(0, 7), None]


def test_held_out_documents_are_not_read():
    texts = (Document("Ada sang."), Document("Ada left."))
    passages = (Passage(0, "Ada", 0, 9), Passage(1, "Ada", 0, 9))
    found = named_passages(Dataset(texts, passages=passages, held_out=1))
    assert [d.text for d in found] == ["Ada. Ada sang."]


def test_facts_are_counted_where_their_passage_has_them():
    rome, oslo = TEXT.index("Rome"), TEXT.index("Oslo")
    facts = [
        Fact("Bo Falk", "from", "Rome", 0, Span(rome, rome + 4)),
        Fact("Bo Falk", "from", "Oslo", 0, Span(oslo, oslo + 4)),  # it is told of Ada
    ]
    placed, nowhere = place_facts(dataset(), facts)
    text = named_passages(dataset())[placed.document].text
    assert placed.value_span.of(text) == "Rome"
    assert text.startswith("Bo Falk. ")
    assert nowhere.value_span == Span(-1, -1)


def test_answers_of_asked_subjects_by_relation_with_all_that_are_accepted():
    questions = (
        Question("Where was Ada born?", "Ada", "born", "Oslo", "asked", accepted=("Kristiania",)),
        Question("When was Ada born?", "Ada", "when", "1901", "asked"),
        Question("Where was Bo born?", "Bo", "born", "Rome", "held-out"),
    )
    found = asked_answers(Dataset((), questions=questions))
    assert found == {"Ada": {"born": {"oslo", "kristiania"}, "when": {"1901"}}}
