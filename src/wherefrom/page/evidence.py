"""What the text states about every known subject, and what it takes to compare an answer with it.

The extractor's work depends on the corpus alone, so it is done here. Whether an answer agrees with
a statement is decided in the page, for the answer that the model gives there.

Places in a text are counted as JavaScript counts them: in units of UTF-16.
"""

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

from wherefrom.auditing.inspector import Inspector
from wherefrom.core.contracts import Span
from wherefrom.core.errors import BadData
from wherefrom.evidence.extractor import RelationExtractor, Statement
from wherefrom.evidence.verdict import FactChecker

STATEMENT = ("text", "value", "document", "span", "chain", "position", "score")
LONGEST_TEXT = 4_000_000  # characters of text that a page is willing to hold


def describe_evidence(inspector: Inspector, names: Sequence[str]) -> dict[str, Any]:
    """`texts` are the documents; the rest is None if they have too few answers to learn from."""
    dataset = inspector.run.dataset
    documents = dataset.training_documents
    length = sum(len(document.text) for document in documents)
    if length > LONGEST_TEXT:
        raise BadData(
            f"{inspector.run.path}: expected a text of at most {LONGEST_TEXT / 1e6:g} million "
            f"characters to put into a page, found {length / 1e6:.1f} million; use "
            "'wherefrom ask' instead"
        )
    found: dict[str, Any] = {
        "texts": [document.text for document in documents],
        "ids": {i: d.id for i, d in enumerate(documents) if d.id},
        "relations": None,
    }
    checker = inspector.opened.fact_checker
    if checker is not None:
        places = [_Places(document.text) for document in documents]
        about = [name for name in names if checker.index.about(name)]
        found |= {
            "about": about,
            "statement": STATEMENT,
            "unowned": [i for i, d in enumerate(documents) if d.subject is None],
            "relations": {
                relation: _describe_relation(extractor, checker, relation, about, places)
                for relation, extractor in checker.extractors.items()
            },
        }
    return found


def _describe_relation(
    extractor: RelationExtractor,
    checker: FactChecker,
    relation: str,
    names: Sequence[str],
    places: Sequence["_Places"],
) -> dict[str, Any]:
    """`stated` maps a name to what its text states; `unsure` has scores below the threshold."""
    stated: dict[str, list[Any]] = {}
    unsure: dict[str, float] = {}
    for name in names:
        extracted = checker.extract(name, relation)
        sure = [s for s in extracted if s.score >= extractor.threshold]
        if sure:
            stated[name] = [_describe_statement(s, places[s.document]) for s in sure]
        elif extracted:
            unsure[name] = extracted[0].score
    profile = extractor.profile
    return {
        "known": sorted(profile.known),
        "linking_words": sorted(profile.linking_words),
        "innermost": sorted(extractor.innermost),
        "stated": stated,
        "unsure": unsure,
    }


def _describe_statement(statement: Statement, places: "_Places") -> list[Any]:
    """In the order of STATEMENT: there may be thousands, so that they do not repeat its names."""
    s = statement
    return [s.text, s.value, s.document, places.convert(s.span), s.chain, s.position, s.score]


class _Places:
    """Converts places in a text from code points to units of UTF-16."""

    def __init__(self, text: str) -> None:
        self._plain = text.isascii() or max(map(ord, text)) < 0x10000
        self._starts = [] if self._plain else [0, *accumulate(1 + (ord(c) > 0xFFFF) for c in text)]

    def convert(self, span: Span) -> list[int]:
        if self._plain:
            return [span.start, span.end]
        return [self._starts[span.start], self._starts[span.end]]
