"""Documents and questions in one file: a run can be asked where its text is gone or has changed."""

import gzip
import itertools
import json
from pathlib import Path
from typing import Any

from wherefrom.core.contracts import Dataset, Document, Fact, Passage, Question, Span
from wherefrom.core.errors import Damaged
from wherefrom.core.files import parse_json
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
    contents = parse_json(unpack(packed, path, ADVICE), str(path))
    try:
        return build_dataset(contents)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise Damaged(
            f"{path}: expected a run's data, found something else: {error}; {ADVICE}"
        ) from error


def build_dataset(contents: dict[str, Any]) -> Dataset:
    """What `spell_dataset` wrote; other things raise an error of Python's own."""
    dataset = _build(contents)
    _check_types(dataset)
    return dataset


def _build(contents: dict[str, Any]) -> Dataset:
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


def _check_types(dataset: Dataset) -> None:
    """Raise TypeError if a field holds something else than it must: JSON can hold anything."""
    spans = [d.subject for d in dataset.documents if d.subject]
    spans += [f.value_span for f in dataset.facts]
    texts = itertools.chain(
        (dataset.alphabet,),
        *((d.text, d.id) for d in dataset.documents),
        *((f.subject, f.relation, f.value) for f in dataset.facts),
        *((q.text, q.subject, q.relation, q.answer or "") for q in dataset.questions),
        *((q.split, q.support, q.id, *q.accepted) for q in dataset.questions),
        (p.subject for p in dataset.passages),
    )
    counts = itertools.chain(
        (dataset.held_out,),
        *((s.start, s.end) for s in spans),
        (f.document for f in dataset.facts),
        *((p.document, p.start, p.end) for p in dataset.passages),
    )
    if not {type(text) for text in texts} <= {str}:
        raise TypeError("something else than text")
    if not all(type(count) is int and count >= 0 for count in counts):
        raise TypeError("something else than a count")


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
