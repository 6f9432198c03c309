"""Whose text the page has evidence for: everybody whom a question asks about, and others."""

from wherefrom.core.contracts import Document, Span
from wherefrom.show.page import packed_evidence as evidence
from wherefrom.show.page.packed_evidence import find_unasked


def test_phrases_that_begin_a_document_come_first_then_the_most_frequent():
    documents = [
        Document("The birthplace of Gus Reed is Rome. Rome is old.", None),
        Document("Gus Reed was born in Rome.", None),
        Document("In Rome J. R. Moor saw the Isle of Man.", None),
        Document("Zoë Béart-Roux met Al.", None),
        Document("Ann Ek was born in Oslo.", Span(0, 6)),  # somebody is asked about: not looked at
        Document("born in 1950, élan. 李 de la", None),  # nobody's name
    ]
    found = find_unasked(documents)
    first = {"The", "Gus Reed", "In Rome J. R. Moor", "Zoë Béart-Roux"}
    assert set(found[:4]) == first
    assert found[4] == "Rome"
    assert {"Reed", "Rome J. R. Moor", "Isle", "Man", "Isle of Man", "Béart-Roux", "Al"} <= {*found}
    assert not any(word in phrase for phrase in found for word in ("Ann", "Oslo", "1950", "李"))


def test_of_very_many_some_are_taken(monkeypatch):
    monkeypatch.setattr(evidence, "_MOST_UNASKED", 3)
    documents = [Document(f"Name{'x' * n} is here.", None) for n in range(9)]
    assert find_unasked(documents) == ["Name", "Namex", "Namexx"]
