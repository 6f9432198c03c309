"""What a run folder says of its data: counts and a hash, the people of each split, the symbols."""

import hashlib
from typing import Any

from wherefrom.core.cache import remember
from wherefrom.core.contracts import Dataset, Document, Question
from wherefrom.core.made_sequence import in_batches
from wherefrom.core.progress import tell

_BATCH = 5000  # documents or questions that are hashed at once


def describe(dataset: Dataset) -> dict[str, Any]:
    """Counts of a data set and a hash over all of it.

    A million people take half a minute to be written and hashed, so that is done once.
    """
    if dataset.key:
        key = f"{dataset.key[:40]}-{dataset.held_out}"
        return remember("description", key, lambda: _describe(dataset))
    return _describe(dataset)


def _describe(dataset: Dataset) -> dict[str, Any]:
    digest, done = hashlib.sha256(), 0
    for some in in_batches(dataset.documents, _BATCH):
        digest.update("".join(map(_spell_document, some)).encode())
        done += len(some)
        tell("hashing the text", done, len(dataset.documents))
    for questions in in_batches(dataset.questions, _BATCH):
        digest.update("".join(map(_spell, questions)).encode())
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
