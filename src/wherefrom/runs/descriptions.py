"""What a run folder says of its data: counts and a hash, the people of each split, the symbols."""

import hashlib
from typing import Any

from wherefrom.core.contracts import Dataset, Document, Question


def describe(dataset: Dataset) -> dict[str, Any]:
    """Counts of a data set and a hash over all of it."""
    digest = hashlib.sha256()
    for document in dataset.documents:
        digest.update(_spell_document(document).encode())
    for question in dataset.questions:
        digest.update(_spell(question).encode())
    return {
        "documents": len(dataset.documents),
        "held_out_documents": dataset.held_out,
        "questions": len(dataset.questions),
        "sha256": digest.hexdigest(),
    }


def _spell_document(document: Document) -> str:
    """All of a document; an id is left out where there is none, as it once was."""
    named = f", id={document.id!r}" if document.id else ""
    return f"Document(text={document.text!r}, subject={document.subject!r}{named})"


def _spell(question: Question) -> str:
    """All of a question; what few questions have is left out where it is empty, as it once was."""
    known = ("text", "subject", "relation", "answer", "split", "support")
    names = [*known, *(name for name in ("accepted", "id") if getattr(question, name))]
    return f"Question({', '.join(f'{name}={getattr(question, name)!r}' for name in names)})"


def symbols(vocabulary: Any) -> list[str]:
    return list(getattr(vocabulary, "characters", None) or vocabulary.words)


def splits(dataset: Dataset) -> dict[str, dict[str, list[str]]]:
    """The subjects of every split, by what the text can say of them."""
    table: dict[str, dict[str, list[str]]] = {}
    for q in dataset.questions:
        table.setdefault(q.split, {}).setdefault(q.support, []).append(q.subject)
    return table
