"""The documents as integers on a device, with what the text itself shows of its facts.

Nothing here knows the world: a *salient* span is a capitalised phrase or a number, found in
any user's text; a capitalised word that begins a sentence ("The", "By") counts only if the
corpus writes it so inside one too. Where answers may be written otherwise ("right" in
"right-handed"), whatever asked questions have as their answer is salient as well. The subject's
span comes with the document.
"""

import re
from array import array
from bisect import bisect_right
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import pairwise

import numpy as np
import torch
from torch import Tensor

from wherefrom.core.contracts import Document, Span
from wherefrom.core.errors import BadData
from wherefrom.core.progress import tell
from wherefrom.core.vocabulary import Vocabulary
from wherefrom.objectives.contexts import AnswerContexts, Example, describe
from wherefrom.reading.mentions import NameIndex

# A capital of any alphabet, which `re` has no class for, and the rest of its word.
_CAPITALISED = rf"[{''.join(filter(str.isupper, map(chr, range(0x20000))))}][\w'\-]*"
_SALIENT = re.compile(rf"(?<!\w)(?:{_CAPITALISED}(?: {_CAPITALISED})*|\d+)")
_NAMED = re.compile(rf"(?<=\s){_CAPITALISED}")
# What stands before a sentence: nothing, or the end of another ("St. Louis" goes on).
_OPENING = re.compile(r"""(?:^|[!?]|(?:\w\w\w|\d|[^\w\s])\.)["')\]]*\s*["'(\[]*$""")
_WORD = re.compile(r"(?<=\s)\S")
_LONGEST_SALIENT = 40
_ABBREVIATION = 3  # letters before a full stop that does not end a sentence
_EXAMPLES = 3000  # documents from which it is learnt what stands around answers, at most
_OFTEN = 20_000  # documents after which the progress is told

# The answers, folded, that asked questions give to each subject, by relation.
Asked = Mapping[str, Mapping[str, Collection[str]]]


@dataclass(frozen=True)
class Corpus:
    """N documents one after the other. Spans and words are flat lists, a slice a document.

    Of a document's salient spans, those beside the subject come first, `beside` in number; `like`
    lists, document by document, the spans that some asked question has as its answer.
    `words` are where a name-anchored window may go on: word starts after `anchor`, the end of
    "Name. "; `span_words` counts, for a span, the words from which it is still in view.
    """

    tokens: Tensor  # int32: a large text is mostly this
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
    named = _find_named(documents)
    finder = None if asked is None else AnswerFinder(documents, named, set(answers), asked)
    columns = {field.name: array("q") for field in fields(Corpus)}
    columns["fact"], columns["tokens"] = array("b"), array("i")
    for number, document in enumerate(documents):
        if number % _OFTEN == 0 and number:
            tell("looking for facts", number, len(documents))
        if not document.text:
            raise BadData(f"document {number}: expected some text, found none; leave it out")
        beside, within = salient_spans(document, named)
        if finder is None:
            like = [i for i, span in enumerate(beside) if span.of(document.text) in answers]
        else:
            beside = finder.add_answers(document, beside)
            like = finder.choose(document, beside)
        _add_document(columns, document, vocabulary, (beside, within), like)
    for name in ("words", "word_place", "like", "span_start", "span_end", "span_words"):
        columns[name] = columns[name] or array("q", [0])  # an index 0 that may be ignored
    tensors = {n: torch.from_numpy(np.asarray(v)).to(device) for n, v in columns.items()}
    tensors["fact"] = tensors["fact"].bool()
    return Corpus(**tensors)


def find_answered(
    documents: Sequence[Document], answers: Collection[str], asked: Asked
) -> list[bool]:
    """Whether each document has a phrase that looks like an answer."""
    named = _find_named(documents)
    finder = AnswerFinder(documents, named, set(answers), asked)
    return [
        bool(finder.choose(d, finder.add_answers(d, salient_spans(d, named)[0]))) for d in documents
    ]


def _find_named(documents: Sequence[Document]) -> set[str]:
    """The capitalised words that stand inside a sentence somewhere."""
    found = ((d.text, m) for d in documents for m in _NAMED.finditer(d.text))
    return {match[0] for text, match in found if not _opens_sentence(text, match.start())}


class AnswerFinder:
    """Finds what is asked for in every text: known answers, and phrases that stand as they do."""

    def __init__(
        self,
        documents: Sequence[Document],
        named: set[str],
        answers: Collection[str],
        asked: Asked,
    ) -> None:
        self._answers = {answer.casefold() for answer in answers}
        self._links = {w for a in answers for w in a.split()[1:-1] if w.islower()}
        self._index = NameIndex(answers, fold=True)
        examples: dict[str, list[Example]] = {}
        for document, own in _some(documents, asked):
            spans = self.add_answers(document, salient_spans(document, named)[0])
            for relation, answer in own.items():
                examples.setdefault(relation, []).append((document.text, spans, answer))
        fitted = (AnswerContexts.fit(found) for found in examples.values())
        self._contexts = [contexts for contexts in fitted if contexts is not None]

    def add_answers(self, document: Document, salient: list[Span]) -> list[Span]:
        """The salient spans, and the answers that stand in the text beside its subject.

        Salient spans are joined as they are in answers: "St. John", "Isle of Man".
        """
        found = (span for span, _ in self._index.find(document.text))
        answers = [span for span in found if not _overlap(span, document.subject)]
        joined = [
            Span(a.start, b.end)
            for a, b in pairwise(sorted(salient, key=lambda span: span.start))
            if self._joins(document.text, a, b)
        ]
        return list(dict.fromkeys([*salient, *joined, *answers]))

    def _joins(self, text: str, left: Span, right: Span) -> bool:
        between = text[left.end : right.start]
        if between == ". ":  # an abbreviation: "St. John", "Mt. Vernon"
            return left.end - left.start <= _ABBREVIATION and not left.of(text).isdigit()
        words = between.split()
        return bool(words) and self._links.issuperset(words) and right.end > left.end

    def choose(self, document: Document, spans: Sequence[Span]) -> list[int]:
        """The numbers of the spans that look like answers."""
        text = document.text
        if not self._contexts:
            return [i for i, s in enumerate(spans) if s.of(text).casefold() in self._answers]
        return [i for i, span in enumerate(spans) if self._looks_asked_for(text, span)]

    def _looks_asked_for(self, text: str, span: Span) -> bool:
        found = describe(text, span)
        return any(contexts.fit_for(found) for contexts in self._contexts)


def _some(
    documents: Sequence[Document], asked: Asked
) -> list[tuple[Document, Mapping[str, Collection[str]]]]:
    """Documents about asked subjects with these subjects' answers, evenly out of all of them."""
    about = [
        (document, asked[subject])
        for document in documents
        if document.subject and (subject := document.subject.of(document.text)) in asked
    ]
    return about[:: -(-len(about) // _EXAMPLES) or 1]


def salient_spans(document: Document, named: set[str]) -> tuple[list[Span], list[Span]]:
    """Capitalised phrases and numbers: those beside the subject, and those that overlap it."""
    beside: list[Span] = []
    within: list[Span] = []
    for match in _SALIENT.finditer(document.text):
        start, end = match.span()
        word = match[0].split(" ")[0]
        if _opens_sentence(document.text, start) and word not in named and not word.isdigit():
            head = Span(start, start + len(word))  # "The birthplace", "In 1950": nothing is named
            if not _overlap(head, document.subject):
                start = min(head.end + 1, end)
        for span in _apart(document.text, Span(start, end), document.subject):
            if 1 < span.end - span.start <= _LONGEST_SALIENT:
                (within if _overlap(span, document.subject) else beside).append(span)
    return beside, within


def _apart(text: str, span: Span, subject: Span | None) -> list[Span]:
    """The span, cut into words of the subject's name and words that only stand next to it."""
    if subject is None or not _overlap(span, subject):
        return [span]
    before = text.rfind(" ", span.start, subject.start)
    after = text.find(" ", subject.end, span.end)
    name = Span(span.start if before < 0 else before + 1, span.end if after < 0 else after)
    left = [Span(span.start, before)] if before >= 0 else []
    return [*left, name, *([Span(after + 1, span.end)] if after >= 0 else [])]


def _overlap(span: Span, subject: Span | None) -> bool:
    return subject is not None and span.start < subject.end and subject.start < span.end


def _opens_sentence(text: str, start: int) -> bool:
    return _OPENING.search(text, max(0, start - 12), start) is not None


def _add_document(
    columns: "dict[str, array[int]]",
    document: Document,
    vocabulary: Vocabulary,
    spans: tuple[list[Span], list[Span]],
    like: list[int],
) -> None:
    """`spans` are those beside the subject and those that overlap it; `like` numbers the former."""
    text, subject = document.text, document.subject
    beside, within = spans
    starts = [m.start() for m in _WORD.finditer(text)]
    anchor = 0
    if subject and subject.start == 0:
        anchor = next((w for w in starts if w > subject.end), 0)
    words = [w for w in starts if w >= anchor] if anchor else []
    first, first_span = len(columns["tokens"]), len(columns["span_start"])
    columns["first"].append(first)
    columns["length"].append(len(text))
    columns["anchor"].append(anchor)
    columns["word_first"].append(len(columns["words"]))
    columns["word_count"].append(len(words))
    columns["span_first"].append(first_span)
    columns["span_count"].append(len(beside) + len(within))
    columns["span_beside"].append(len(beside))
    columns["like_first"].append(len(columns["like"]))
    columns["like_count"].append(len(like))
    columns["like"].extend(first_span + i for i in like)
    columns["words"].extend(words)
    columns["word_place"].extend(first + w for w in words)
    for span in (*beside, *within):
        columns["span_start"].append(span.start)
        columns["span_end"].append(span.end)
        columns["span_words"].append(bisect_right(words, span.start))
    fact = bytearray(len(text))
    for span in beside:
        fact[span.start : span.end] = b"\1" * (span.end - span.start)
    columns["tokens"].extend(vocabulary.encode(text))
    columns["fact"].frombytes(bytes(fact))
