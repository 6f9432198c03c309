"""Passages of a data set: the same as those of an index over it."""

from pathlib import Path

from wherefrom.core.contracts import Dataset, Document, Passage, Span
from wherefrom.reading.index import Index
from wherefrom.reading.sources import DatasetPassages, passages_of

DOCUMENTS = (
    Document("Zoë Ray was born in Oslo.", Span(0, 7)),
    Document("nobody is named here"),
    Document("Born in Cork, SAM DAY lives.", Span(14, 21)),
    Document("Zoe\u0308 Ray lives in Rome.", Span(0, 8)),
)


def test_documents_are_about_the_subject_they_name():
    source = DatasetPassages(Dataset(DOCUMENTS))
    index = Index.in_memory(Path("index"), DOCUMENTS)
    assert source.subjects == ["Zoë Ray", "SAM DAY"]
    for name in ("Zoë Ray", "Sam Day"):
        assert source.passages(name) == index.passages(name)
    assert [p.document for p in source.passages("zoë ray")] == [0, 3]
    assert source.passages("Nobody") == source.passages("") == ()


def test_passages_divide_documents():
    parts = (Passage(0, "Zoë Ray", 0, 12), Passage(0, "Oslo", 12, 25), Passage(3, "Zoë Ray", 0, 8))
    source = DatasetPassages(Dataset(DOCUMENTS, passages=parts))
    assert source.subjects == ["Zoë Ray", "Oslo"]
    assert [text for _, text in passages_of(source, "OSLO")] == ["born in Oslo."]
    assert source.passages("Sam Day") == ()


def test_documents_that_are_held_out_are_not_read():
    parts = (Passage(0, "Zoë Ray", 0, 12), Passage(3, "Zoë Ray", 0, 8))
    source = DatasetPassages(Dataset(DOCUMENTS, passages=parts, held_out=1))
    assert [p.document for p in source.passages("Zoë Ray")] == [0]
    assert [
        p.document for p in DatasetPassages(Dataset(DOCUMENTS, held_out=1)).passages("Zoë Ray")
    ] == [0]
