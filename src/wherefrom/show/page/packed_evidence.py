"""What the text states about every known subject, and what it takes to compare an answer with it.

The extractor's work depends on the corpus alone, so it is done here. Whether an answer agrees with
a statement is decided in the page, for the answer that the model gives there.

Places in a text are counted as JavaScript counts them: in units of UTF-16.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from typing import Any

from wherefrom.answering.inspector import Inspector
from wherefrom.core.contracts import Document, Span
from wherefrom.core.errors import BadData
from wherefrom.reading.extractor import RelationExtractor, Statement
from wherefrom.reading.index import fold
from wherefrom.reading.verdict import FactChecker

STATEMENT = ("text", "value", "document", "span", "chain", "position", "score", "quote", "place")
LONGEST_TEXT = 4_000_000  # characters of text that a page is willing to hold
_MOST_UNASKED = 1000  # phrases for which evidence is looked for
_UNASKED_TEXT = 200_000  # characters of the text about them: a second or so
_FIRST = 1_000_000  # more than any phrase occurs
_SHORT = 2  # letters of an abbreviation: "J. Smith", "St. John"
_WORD = re.compile(r"[^\W\d_][\w'’\-]*")
_LINK = re.compile(r" [^\W\d_]{1,3} ")  # between words of one name: "Isle of Man"


def find_unasked(documents: Sequence[Document]) -> list[str]:
    """Capitalised phrases of documents that belong to nobody whom a question asks about.

    Somebody may ask about them in the page. Those that begin a document come first, then the most
    frequent; of very many, some.
    """
    found: Counter[str] = Counter()
    for document in documents:
        if document.subject is None:
            for begins, phrase in _find_phrases(document.text):
                found[phrase] += _FIRST if begins else 1
    return [phrase for phrase, _ in found.most_common(_MOST_UNASKED)]


def _find_phrases(text: str) -> Iterator[tuple[bool, str]]:
    """Words with capitals, and whether the text begins with them.

    The same again without the first, which may only begin a sentence, and joined by short words.
    """
    runs = _find_capitals(text)
    for run in runs:
        yield run[0].start() == 0, text[run[0].start() : run[-1].end()]
        if len(run) > 1:
            yield False, text[run[1].start() : run[-1].end()]
    for one, other in pairwise(runs):
        if _LINK.fullmatch(text[one[-1].end() : other[0].start()]):
            yield False, text[one[0].start() : other[-1].end()]


def _find_capitals(text: str) -> list[list[re.Match[str]]]:
    """Words with capitals, those that follow each other together."""
    runs: list[list[re.Match[str]]] = []
    for word in _WORD.finditer(text):
        if word[0][0].isupper():
            before = runs[-1][-1] if runs else None
            gap = text[before.end() : word.start()] if before else ""
            if before and (gap == " " or (gap == ". " and len(before[0]) <= _SHORT)):
                runs[-1].append(word)
            else:
                runs.append([word])
    return runs


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
        asked = {fold(name) for name in names}
        unasked = [name for name in find_unasked(documents) if fold(name) not in asked]
        about = [name for name in names if checker.index.about(name)]
        about += _choose_unasked(checker, unasked)
        checker.read(about)
        relations = {
            relation: _describe_relation(extractor, checker, relation, about, places)
            for relation, extractor in checker.extractors.items()
        }
        unowned = [i for i, d in enumerate(documents) if d.subject is None]
        told = {name for each in relations.values() for name in each["stated"]}
        first = {phrase for i in unowned for phrase in _find_first(documents[i].text)}
        found |= {
            "about": about,
            "unasked": [name for name in unasked if name in told and name in first],
            "statement": STATEMENT,
            "unowned": unowned,
            "relations": relations,
        }
        if inspector.run.recipe.notes:
            found["noted"] = _describe_notes(inspector, about, places)
    return found


def _choose_unasked(checker: FactChecker, phrases: Sequence[str]) -> Iterator[str]:
    """The first of the phrases that have text, as far as there is room for what is read."""
    room = _UNASKED_TEXT
    for phrase in phrases:
        size = sum(passage.end - passage.start for passage in checker.index.passages(phrase))
        if 0 < size <= room:
            room -= size
            yield phrase


def _describe_notes(
    inspector: Inspector, names: Sequence[str], places: Sequence["_Places"]
) -> dict[str, dict[str, list[Any]]]:
    """For each relation and name: the note's document, score, span, and its sentence's span.

    The words themselves stand in the texts.
    """
    found: dict[str, dict[str, list[Any]]] = {}
    for relation in sorted(inspector.model.relations):
        for name in names:
            if note := inspector.opened.find_note(name, relation):
                where, sentence = places[note.document], inspector.find_sentence(note)
                span = where.convert(note.span)
                own = [note.document, round(note.score, 4), *span, *where.convert(sentence)]
                found.setdefault(relation, {})[name] = own
    return found


def _find_first(text: str) -> list[str]:
    """The phrase that a text begins with, if it does."""
    return [phrase for begins, phrase in _find_phrases(text) if begins]


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
            stated[name] = [_describe_statement(s, checker, name, places[s.document]) for s in sure]
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


def _describe_statement(
    statement: Statement, checker: FactChecker, name: str, places: "_Places"
) -> list[Any]:
    """In the order of STATEMENT: there may be thousands, so that they do not repeat its names.

    The quote of a short document, and the place in it, are left out: it is the document itself.
    """
    s, shown = statement, checker.show(name, statement)
    found = [s.text, s.value, s.document, places.convert(s.span), s.chain, s.position, s.score]
    if shown.quote == places.text:
        return found
    return [*found, shown.quote, _Places(shown.quote).convert(shown.span)]


class _Places:
    """Converts places in a text from code points to units of UTF-16."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._plain = text.isascii() or max(map(ord, text)) < 0x10000
        self._starts = [] if self._plain else [0, *accumulate(1 + (ord(c) > 0xFFFF) for c in text)]

    def convert(self, span: Span) -> list[int]:
        if self._plain:
            return [span.start, span.end]
        return [self._starts[span.start], self._starts[span.end]]
