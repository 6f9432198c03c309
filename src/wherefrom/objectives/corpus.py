"""The documents as integers on a device, with what the text itself shows of its facts.

A small corpus is in memory. The columns of a large one are files in the cache, mapped into memory
where they are read: a second call finds them there.
"""

import hashlib
import json
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from wherefrom.core.cache import note_unkept, open_entry
from wherefrom.core.contracts import Document, Span
from wherefrom.core.errors import BadData, CannotWrite
from wherefrom.core.made_sequence import in_batches
from wherefrom.core.progress import tell
from wherefrom.core.vocabulary import Vocabulary
from wherefrom.objectives.columns import Columns, FileColumns, Kind, MemoryColumns, map_columns
from wherefrom.objectives.encoder import Encoder
from wherefrom.objectives.salience import AnswerFinder, Asked, Size, find_named, salient_spans

LARGE = 200_000  # documents from which on a corpus is kept in files
VERSION = 1  # of what documents are made into; to be raised if that ever changes
_WORD = re.compile(r"(?<=\s)\S")
_BATCH = 2000  # documents whose rows are added at once
_OFTEN = 20_000  # documents after which the progress is told
# An index 0 that may be ignored must be there.
_NEVER_EMPTY = ("words", "word_place", "like", "span_start", "span_end", "span_words")


@dataclass(frozen=True)
class Corpus:
    """N documents one after the other. Spans and words are flat lists, a slice a document.

    Of a document's salient spans, those beside the subject come first, `beside` in number; `like`
    lists, document by document, the spans that some asked question has as its answer.
    `words` are where a name-anchored window may go on: word starts after `anchor`, the end of
    "Name. "; `span_words` counts, for a span, the words from which it is still in view.

    The columns of a large corpus are as narrow as they can be and are mapped from files, so read
    them with `take`.
    """

    tokens: Tensor  # a large text is mostly this
    fact: Tensor  # true for characters of salient spans beside the subject
    first: Tensor
    length: Tensor
    anchor: Tensor  # 0: the document does not begin with its subject
    words: Tensor
    word_place: Tensor  # the same words counted from the start of the corpus: a rising line
    word_first: Tensor
    word_count: Tensor
    span_start: Tensor
    span_end: Tensor
    span_words: Tensor
    span_first: Tensor
    span_count: Tensor
    span_beside: Tensor
    like: Tensor
    like_first: Tensor
    like_count: Tensor

    def __len__(self) -> int:
        return self.first.numel()

    @property
    def device(self) -> torch.device:
        return self.tokens.device

    def to(self, device: torch.device) -> "Corpus":
        return Corpus(**{name: getattr(self, name).to(device) for name in _NAMES})


def take(column: Tensor, index: Tensor) -> Tensor:
    """Numbers of a column, as whole numbers of the usual width, whatever theirs is."""
    return column[index].long()


def index_corpus(
    documents: Sequence[Document],
    vocabulary: Vocabulary,
    device: torch.device | str = "cpu",
    answers: Collection[str] = (),
    asked: Asked | None = None,
) -> Corpus:
    """`answers` are those of asked questions: what is asked for in other people's text, too.

    With `asked`, answers are salient wherever they stand as whole words, capitals or not, and a
    phrase that stands as they do is like them.
    """
    if not documents:
        raise BadData("text: expected at least one document to train on, found none")
    work = _Work(documents, vocabulary, set(answers), asked)
    if len(documents) < LARGE:
        arrays = work.fill(lambda _: MemoryColumns(dict.fromkeys(_NAMES, np.int64) | _SMALL))
    else:
        arrays = _index_large(work)
    return Corpus(**{name: torch.from_numpy(arrays[name]).to(device) for name in _NAMES})


def _index_large(work: "_Work") -> dict[str, np.ndarray]:
    """The columns from the cache; in memory, and for this time only, if it cannot be written."""

    def make(folder: Path) -> None:
        work.fill(lambda size: FileColumns(folder, choose_kinds(size, work.vocabulary)))

    try:
        return map_columns(open_entry("corpus", work.key(), make))
    except CannotWrite as error:
        note_unkept(error)
        return work.fill(lambda size: MemoryColumns(choose_kinds(size, work.vocabulary)))


_NAMES = tuple(field.name for field in fields(Corpus))
_SMALL: dict[str, Kind] = {"tokens": np.int32, "fact": np.bool_}


def choose_kinds(size: Size, vocabulary: Vocabulary) -> dict[str, Kind]:
    """The narrowest type of each column that holds what a text of this size can have."""
    inside = np.int16 if size.longest < 2**15 else np.int32
    overall = np.int32 if 4 * size.characters < 2**31 else np.int64
    kinds: dict[str, Kind] = dict.fromkeys(_NAMES, inside)
    for name in ("first", "word_place", "word_first", "span_first", "like_first", "like"):
        kinds[name] = overall
    for name in ("word_count", "span_count", "span_beside", "like_count"):
        kinds[name] = np.int32 if inside is np.int32 else np.int16
    many = len(vocabulary)
    tokens = np.uint8 if many <= 2**8 else np.int16 if many <= 2**15 else np.int32
    return kinds | {"tokens": tokens, "fact": np.bool_}


class _Work:
    """Making the columns of a corpus; it goes through the documents once or twice."""

    def __init__(
        self,
        documents: Sequence[Document],
        vocabulary: Vocabulary,
        answers: set[str],
        asked: Asked | None,
    ) -> None:
        self.documents, self.vocabulary = documents, vocabulary
        self.answers, self.asked = answers, asked

    def key(self) -> str:
        """A hash of all that the columns follow from."""
        found = hashlib.sha256(json.dumps([VERSION, self.vocabulary.hash]).encode())
        asked = self.asked or {}
        for name in sorted(self.answers):
            found.update(f"{name}\n".encode())
        for subject in sorted(asked):
            own = {relation: sorted(said) for relation, said in asked[subject].items()}
            found.update(json.dumps([subject, own], sort_keys=True).encode())
        found.update(b"asked" if self.asked is not None else b"")
        for document in self.documents:
            found.update(f"{document.text}\n{document.subject}\n".encode())
        return found.hexdigest()[:40]

    def fill(self, begin: Callable[[Size], Columns]) -> dict[str, np.ndarray]:
        """Go through the documents twice; `begin` makes the columns once their size is known."""
        documents = self.documents
        named, size = find_named(documents)
        columns = begin(size)
        finder = None
        if self.asked is not None:
            finder = AnswerFinder(documents, named, self.answers, self.asked)
        rows, number = _Rows(self.vocabulary), 0
        for some in in_batches(documents, _BATCH):
            for document in some:
                if number % _OFTEN == 0 and number:
                    tell("looking for facts", number, len(documents))
                if not document.text:
                    raise BadData(
                        f"document {number}: expected some text, found none; leave it out"
                    )
                beside, within = salient_spans(document, named)
                if finder is not None:
                    beside = finder.add_answers(document, beside)
                rows.add(document, beside, within, self._find_answers(document, beside, finder))
                number += 1
            rows.move(columns)
        rows.end(columns)
        return columns.finish()

    def _find_answers(
        self, document: Document, spans: Sequence[Span], finder: AnswerFinder | None
    ) -> list[int]:
        """The numbers of the spans that look like answers; without a finder, that are answers."""
        if finder is not None:
            return finder.choose(document, spans)
        text, known = document.text, self.answers
        return [i for i, s in enumerate(spans) if text[s.start : s.end] in known]


class _Rows:
    """Rows of some documents, before they are moved to the columns.

    What follows from other numbers is computed for many documents at once.
    """

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._encoder = Encoder(vocabulary)
        self._moved: dict[str, int] = dict.fromkeys(("tokens", "words", "spans", "likes"), 0)
        self._clear()

    def _clear(self) -> None:
        self._texts: list[str] = []
        self._anchors: list[int] = []
        self._words: list[int] = []
        self._starts: list[int] = []
        self._ends: list[int] = []
        self._like: list[int] = []  # numbers within the document's spans
        # A number for each document: words, spans beside the subject and others, likes.
        self._counts: list[tuple[int, int, int, int]] = []

    def add(
        self, document: Document, beside: list[Span], within: list[Span], like: list[int]
    ) -> None:
        """`beside` are spans beside the subject, `within` those that overlap it; `like` numbers
        the former."""
        text, subject = document.text, document.subject
        anchor, words = 0, []
        if subject and subject.start == 0:
            words = [m.start() for m in _WORD.finditer(text, subject.end + 1)]
            anchor = words[0] if words else 0
        self._texts.append(text)
        self._anchors.append(anchor)
        self._words += words
        for span in (*beside, *within):
            self._starts.append(span.start)
            self._ends.append(span.end)
        self._like += like
        self._counts.append((len(words), len(beside), len(within), len(like)))

    def move(self, columns: Columns) -> None:
        """Add all rows to the columns, and begin anew."""
        length = np.array([len(text) for text in self._texts])
        words, beside, within, like = np.array(self._counts).T
        spans = beside + within
        first = self._place("tokens", length)
        word_first = self._place("words", words)
        span_first, like_first = self._place("spans", spans), self._place("likes", like)
        starts, ends = np.array(self._starts, np.int64), np.array(self._ends, np.int64)
        own_words = np.array(self._words, np.int64)
        word_place = own_words + np.repeat(first, words)
        place = starts + np.repeat(first, spans)
        # Words in order of all documents: those of earlier ones come before any place in this.
        before = np.searchsorted(word_place, place, side="right") + word_first[0]
        for name, numbers in {
            "first": first,
            "length": length,
            "anchor": np.array(self._anchors),
            "words": own_words,
            "word_place": word_place,
            "word_first": word_first,
            "word_count": words,
            "span_start": starts,
            "span_end": ends,
            "span_words": before - np.repeat(word_first, spans),
            "span_first": span_first,
            "span_count": spans,
            "span_beside": beside,
            "like": np.array(self._like, np.int64) + np.repeat(span_first, like),
            "like_first": like_first,
            "like_count": like,
            "tokens": self._encoder.encode(self._texts),
            "fact": self._mark(int(length.sum()), place - first[0], ends - starts, beside, spans),
        }.items():
            columns.extend(name, numbers)
        self._clear()

    def _place(self, what: str, counts: np.ndarray) -> np.ndarray:
        """Where each document's part of a column begins, after all that was moved before."""
        ends = self._moved[what] + np.cumsum(counts)
        self._moved[what] = int(ends[-1])
        return ends - counts

    def _mark(
        self,
        total: int,
        place: np.ndarray,
        size: np.ndarray,
        beside: np.ndarray,
        spans: np.ndarray,
    ) -> np.ndarray:
        """Which characters stand in spans beside a subject."""
        nth = np.arange(len(place)) - np.repeat(np.cumsum(spans) - spans, spans)
        here = nth < np.repeat(beside, spans)
        depth = np.bincount(place[here], minlength=total + 1)
        depth = depth - np.bincount((place + size)[here], minlength=total + 1)
        return np.cumsum(depth)[:total] > 0

    def end(self, columns: Columns) -> None:
        counts = {"words": "words", "word_place": "words", "like": "likes"}
        for name in _NEVER_EMPTY:
            if not self._moved[counts.get(name, "spans")]:
                columns.extend(name, np.zeros(1, np.int64))
