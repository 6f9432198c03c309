"""What a text shows of its facts by itself: salient spans, and phrases that look like answers.

Nothing here knows the world: a *salient* span is a capitalised phrase or a number, found in
any user's text; a capitalised word that begins a sentence ("The", "By") counts only if the
corpus writes it so inside one too. Where answers may be written otherwise ("right" in
"right-handed"), whatever asked questions have as their answer is salient as well. The subject's
span comes with the document.
"""

import re
from array import array
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from wherefrom.core.contracts import Document, Span
from wherefrom.core.made_sequence import in_batches
from wherefrom.core.progress import tell
from wherefrom.objectives.contexts import AnswerContexts, Example, describe
from wherefrom.reading.mentions import NameIndex

# A capital of any alphabet, which `re` has no class for, and the rest of its word.
_CAPITALISED = rf"[{''.join(filter(str.isupper, map(chr, range(0x20000))))}][\w'\-]*"
_SALIENT = re.compile(rf"(?<!\w)(?:{_CAPITALISED}(?: {_CAPITALISED})*|\d+)")
_NAMED = re.compile(rf"(?<=\s){_CAPITALISED}")
# What stands before a sentence: nothing, or the end of another ("St. Louis" goes on).
_OPENING = re.compile(r"""(?:^|[!?]|(?:\w\w\w|\d|[^\w\s])\.)["')\]]*\s*["'(\[]*$""")
_LONGEST_SALIENT = 40
_ABBREVIATION = 3  # letters before a full stop that does not end a sentence
_EXAMPLES = 3000  # documents from which it is learnt what stands around answers, at most
_OFTEN = 20_000  # documents after which the progress is told
_BATCH = 5000  # documents that are searched at once

# The answers, folded, that asked questions give to each subject, by relation.
Asked = Mapping[str, Mapping[str, Collection[str]]]


@dataclass(frozen=True)
class Size:
    """Characters of all documents, and of the longest."""

    characters: int
    longest: int


def find_named(documents: Sequence[Document]) -> tuple[set[str], Size]:
    """The capitalised words that stand inside of sentences somewhere; and the text's size."""
    named: set[str] = set()
    done = characters = longest = 0
    for some in in_batches(documents, _BATCH):
        tell("looking for names", done, len(documents))
        done += len(some)
        texts = [document.text for document in some]
        characters += sum(map(len, texts))
        longest = max(longest, *map(len, texts))
        for text in texts:
            for match in _NAMED.finditer(text):
                if match[0] not in named and not _opens_sentence(text, match.start()):
                    named.add(match[0])
    return named, Size(characters, longest)


def find_answered(
    documents: Sequence[Document], answers: Collection[str], asked: Asked
) -> Iterator[bool]:
    """Whether each document has a phrase that looks like an answer."""
    named, _ = find_named(documents)
    finder = AnswerFinder(documents, named, set(answers), asked)
    for number, document in enumerate(documents):
        if number % _OFTEN == 0 and number:
            tell("looking for what is not said", number, len(documents))
        spans = finder.add_answers(document, salient_spans(document, named)[0])
        yield bool(finder.choose(document, spans))


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
        self._index = NameIndex(answers, str.casefold)
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
    about = array("q")
    for number, document in enumerate(documents):
        if document.name in asked:
            about.append(number)
    some = [documents[number] for number in about[:: -(-len(about) // _EXAMPLES) or 1]]
    return [(d, asked[d.name]) for d in some]


def salient_spans(document: Document, named: set[str]) -> tuple[list[Span], list[Span]]:
    """Capitalised phrases and numbers: those beside the subject, and those that overlap it."""
    beside: list[Span] = []
    within: list[Span] = []
    text, subject = document.text, document.subject
    first, last = (subject.start, subject.end) if subject else (0, 0)  # no span overlaps nothing
    for match in _SALIENT.finditer(text):
        start, end = match.span()
        if _opens_sentence(text, start):
            start = _skip_plain_word(match, subject, named)
        if start < last and first < end:
            for span in _apart(text, Span(start, end), subject):
                if 1 < span.end - span.start <= _LONGEST_SALIENT:
                    (within if _overlap(span, subject) else beside).append(span)
        elif 1 < end - start <= _LONGEST_SALIENT:
            beside.append(Span(start, end))
    return beside, within


def _skip_plain_word(match: re.Match[str], subject: Span | None, named: set[str]) -> int:
    """Where a phrase that opens a sentence begins; "The birthplace", "In 1950": not with a name."""
    start, end = match.span()
    word = match[0].split(" ")[0]
    head = Span(start, start + len(word))
    if word in named or word.isdigit() or _overlap(head, subject):
        return start
    return min(head.end + 1, end)


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
    if start == 0:
        return True
    if start > 1 and text[start - 1] == " " and text[start - 2].isalnum():
        return False  # most words: another word and a space stand before them
    return _OPENING.search(text, max(0, start - 12), start) is not None
