"""The data of a run: packed into one file, so that a run can be asked where its text is gone or has
changed; and what the folder says of them: counts and a hash, the people of each split, symbols.
"""

import gzip
import hashlib
import json
from pathlib import Path
from typing import Any

from wherefrom.core.contracts import Dataset, Document, Fact, Passage, Question, Span
from wherefrom.core.files import parse_json
from wherefrom.core.made_sequence import in_batches
from wherefrom.core.progress import tell
from wherefrom.core.unpacking import unpack

ADVICE = "the same 'wherefrom run' makes it again, if the files that it read are still there"
_QUICK = 1  # gzip's level: names and phrases repeat, and more work saves little


def pack_dataset(dataset: Dataset) -> bytes:
    data = json.dumps(spell_dataset(dataset), separators=(",", ":")).encode()
    return gzip.compress(data, _QUICK, mtime=0)


def spell_dataset(dataset: Dataset) -> dict[str, Any]:
    """Documents and questions as JSON holds them."""
    contents: dict[str, Any] = {
        "documents": [[d.text, *_ends(d.subject)] for d in dataset.documents],
        "facts": [
            [f.subject, f.relation, f.value, f.document, *_ends(f.value_span)]
            for f in dataset.facts
        ],
        "questions": [
            [q.text, q.subject, q.relation, q.answer, q.split, q.support, *_extras(q)]
            for q in dataset.questions
        ],
        "alphabet": dataset.alphabet,
        "held_out": dataset.held_out,
    }
    if any(d.id for d in dataset.documents):
        contents["document_ids"] = [d.id for d in dataset.documents]
    if dataset.passages:
        contents["passages"] = [[p.document, p.subject, p.start, p.end] for p in dataset.passages]
    return contents


def unpack_dataset(packed: bytes, path: Path) -> Dataset:
    """The data that were packed; `path` names the file in an error."""
    return build_dataset(parse_json(unpack(packed, path, ADVICE), str(path)))


def build_dataset(contents: dict[str, Any]) -> Dataset:
    """What `spell_dataset` wrote."""
    rows = contents["documents"]
    ids = contents.get("document_ids") or [""] * len(rows)
    return Dataset(
        documents=tuple(
            Document(text, _span(*ends), name)
            for (text, *ends), name in zip(rows, ids, strict=True)
        ),
        facts=tuple(
            Fact(subject, relation, value, document, Span(*ends))
            for subject, relation, value, document, *ends in contents["facts"]
        ),
        questions=tuple(_question(*fields) for fields in contents["questions"]),
        alphabet=contents["alphabet"],
        held_out=contents["held_out"],
        passages=tuple(Passage(*fields) for fields in contents.get("passages", ())),
    )


def _extras(question: Question) -> list[Any]:
    """What few questions have: further accepted answers, and an id."""
    return [question.accepted, question.id] if question.accepted or question.id else []


def _question(*fields: Any) -> Question:
    accepted, name = fields[6:] or ((), "")
    return Question(*fields[:6], accepted=tuple(accepted), id=name)


def _ends(span: Span | None) -> list[int]:
    return [] if span is None else [span.start, span.end]


def _span(*ends: int) -> Span | None:
    return Span(*ends) if ends else None


_BATCH = 5000  # documents or questions that are hashed at once


def describe(dataset: Dataset) -> dict[str, Any]:
    """Counts of a data set and a hash over all of it."""
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


def splits(dataset: Dataset) -> dict[str, dict[str, list[str]]]:
    """The subjects of every split, by what the text can say of them."""
    table: dict[str, dict[str, list[str]]] = {}
    for q in dataset.questions:
        table.setdefault(q.split, {}).setdefault(q.support, []).append(q.subject)
    return table
