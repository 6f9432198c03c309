"""The documents as integers on a device, with what the text itself shows of its facts.

Nothing here knows the world: a *salient* span is a capitalised phrase or a number, found in
any user's text; a capitalised word that begins a line ("The", "By") counts only if the corpus
writes it so elsewhere too. The subject's span comes with the document.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from wherefrom.core.contracts import Document, Span
from wherefrom.core.vocabulary import Vocabulary

_SALIENT = re.compile(r"[^\W\d_a-z][\w'\-]*(?: [^\W\d_a-z][\w'\-]*)*|\d+")
_CAPITALISED = re.compile(r"(?<=\s)[^\W\d_a-z][\w'\-]*")
_WORD = re.compile(r"(?<=\s)\S")
_LONGEST_SALIENT = 40


@dataclass(frozen=True)
class Corpus:
    """N documents one after the other. Spans and words are flat lists, a slice a document.

    Of a document's salient spans, those beside the subject come first, `beside` in number.
    `words` are where a name-anchored window may go on: word starts after `anchor`, the end of
    "Name. "; `span_words` counts, for a span, the words from which it is still in view.
    """

    tokens: Tensor
    fact: Tensor  # true for characters of salient spans beside the subject
    first: Tensor
    length: Tensor
    anchor: Tensor  # 0: the document does not begin with its subject
    words: Tensor
    word_first: Tensor
    word_count: Tensor
    span_start: Tensor
    span_end: Tensor
    span_words: Tensor
    span_first: Tensor
    span_count: Tensor
    span_beside: Tensor

    def __len__(self) -> int:
        return self.first.numel()

    @property
    def device(self) -> torch.device:
        return self.tokens.device


def index_corpus(
    documents: Sequence[Document], vocabulary: Vocabulary, device: torch.device | str = "cpu"
) -> Corpus:
    named = {w for d in documents for w in _CAPITALISED.findall(d.text)}
    columns: dict[str, list[int]] = {name: [] for name in Corpus.__dataclass_fields__}
    for document in documents:
        _add_document(columns, document, vocabulary, named)
    for name in ("words", "span_start", "span_end", "span_words"):
        columns[name] = columns[name] or [0]  # so that index 0 is always there to be ignored
    tensors = {n: torch.tensor(v, dtype=torch.long, device=device) for n, v in columns.items()}
    tensors["fact"] = tensors["fact"].bool()
    return Corpus(**tensors)


def salient_spans(document: Document, named: set[str]) -> tuple[list[Span], list[Span]]:
    """Capitalised phrases and numbers: those beside the subject, and those that overlap it."""
    beside: list[Span] = []
    within: list[Span] = []
    for match in _SALIENT.finditer(document.text):
        start, end = match.span()
        if start == 0:  # "The birthplace", "In 1950": a sentence begins, nothing is named
            head, _, rest = match[0].partition(" ")
            if head not in named and not head.isdigit():
                start, end = (len(head) + 1, end) if rest else (0, 0)
        subject = document.subject
        if subject and start < subject.start < end:
            end = subject.start - 1
        if 1 < end - start <= _LONGEST_SALIENT:
            overlaps = subject and start < subject.end and subject.start < end
            (within if overlaps else beside).append(Span(start, end))
    return beside, within


def _add_document(
    columns: dict[str, list[int]], document: Document, vocabulary: Vocabulary, named: set[str]
) -> None:
    text, subject = document.text, document.subject
    beside, within = salient_spans(document, named)
    starts = [m.start() for m in _WORD.finditer(text)]
    anchor = 0
    if subject and subject.start == 0:
        anchor = next((w for w in starts if w > subject.end), 0)
    words = [w for w in starts if w >= anchor] if anchor else []
    columns["first"].append(len(columns["tokens"]))
    columns["length"].append(len(text))
    columns["anchor"].append(anchor)
    columns["word_first"].append(len(columns["words"]))
    columns["word_count"].append(len(words))
    columns["span_first"].append(len(columns["span_start"]))
    columns["span_count"].append(len(beside) + len(within))
    columns["span_beside"].append(len(beside))
    columns["words"] += words
    for span in (*beside, *within):
        columns["span_start"].append(span.start)
        columns["span_end"].append(span.end)
        columns["span_words"].append(sum(w <= span.start for w in words))
    fact = [0] * len(text)
    for span in beside:
        fact[span.start : span.end] = [1] * (span.end - span.start)
    columns["tokens"] += vocabulary.encode(text)
    columns["fact"] += fact
