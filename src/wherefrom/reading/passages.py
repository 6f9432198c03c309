"""Which part of a document is about whom: an answer belongs to the subject it is told of.

A document that names one subject is all about it. In one that names several, the sentences follow
a topic: the subject that the document begins with, until a sentence turns to another. A sentence
that names somebody in passing stays with the topic. It is also about the one it names, unless that
one is the topic of other sentences or documents: "people pay in United States dollar" says nothing
about the United States. Where the topic is named again later, or where documents as a rule keep
their topic, as in an encyclopedia, a sentence that begins with another name is an aside: it is
about that one, and what follows is about the topic again.
"""

from collections import Counter
from collections.abc import Container, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from wherefrom.core.contracts import Passage, Span
from wherefrom.reading.mentions import Mentions
from wherefrom.reading.sentences import find_starters, split_sentences

BEHIND_NAME = ". "  # between a subject's name and a passage that is read behind it
_REPEATED = 2  # documents that begin alike: then other sentences may begin so too
_SAMPLE = 10_000  # documents from which the words that begin sentences are learnt
_DOMINANT = 3  # sentences that name a subject which keeps the topic though others open sentences


def find_passages(texts: Sequence[str], mentions: Mentions) -> tuple[Passage, ...]:
    """For each document and each subject that it is about, the parts that are about the subject.

    In the order of the documents. A document that names a subject is about at least one.
    """
    owners, crowded = _find_owners(len(texts), mentions)
    single = {owners[n] for ns in mentions.lines.values() for n in ns if n not in crowded}
    divided = _divide_all(texts, mentions, sorted(crowded), single) if crowded else {}
    found: list[Passage] = []
    for number, subject in enumerate(owners):
        if number in crowded:
            found += divided[number]
        elif subject is not None:
            found.append(Passage(number, subject, 0, len(texts[number])))
    return tuple(found)


def _find_owners(count: int, mentions: Mentions) -> tuple[list[str | None], set[int]]:
    """A subject that each document names, if any, and the documents that name several."""
    owners: list[str | None] = [None] * count
    crowded: set[int] = set()
    for subject, numbers in mentions.lines.items():
        crowded.update(number for number in numbers if owners[number] is not None)
        for number in numbers:
            owners[number] = subject
    return owners, crowded


def _divide_all(
    texts: Sequence[str], mentions: Mentions, crowded: Sequence[int], topics: set[str | None]
) -> dict[int, list[Passage]]:
    """The passages of documents that name several; `topics` have documents of their own."""
    habits = _Habits.of(texts, mentions, crowded)
    sample = crowded[:_SAMPLE]
    turning = sum(_ever_turns(texts, number, mentions, habits) for number in sample) / len(sample)
    named = sum(span is not None for span in mentions.spans)
    habits = replace(habits, one_topic=2 * turning * len(crowded) < named)
    divided = {number: _divide(texts, number, mentions, habits) for number in crowded}
    topics = topics | {s for parts in divided.values() for part in parts for s in part.topic}
    return {
        number: [
            Passage(number, subject, span.start, span.end)
            for subject, spans in _join(parts, topics).items()
            for span in spans
        ]
        for number, parts in divided.items()
    }


@dataclass(frozen=True)
class _Habits:
    """How the documents of this text begin: a sentence that begins so may turn to a subject.

    `starters` begin sentences. `words` begin documents; `contexts` are the two words before the
    first name of a document.
    """

    starters: frozenset[str]
    words: frozenset[str]
    contexts: frozenset[tuple[str, ...]]
    openers: frozenset[str]  # what a document names first
    one_topic: bool = False  # most documents never turn to somebody who has a document too

    @classmethod
    def of(cls, texts: Sequence[str], mentions: Mentions, crowded: Sequence[int]) -> "_Habits":
        words: Counter[str] = Counter()
        contexts: Counter[tuple[str, ...]] = Counter()
        openers: set[str] = set()
        for text, span in zip(texts, mentions.spans, strict=True):
            if span is not None:
                openers.add(span.of(text))
                if before := text[: span.start].split():
                    words[before[0]] += 1
                    contexts[tuple(before[-2:])] += 1
        names = {subject.split()[0] for subject in mentions.lines}
        return cls(
            find_starters(texts[number] for number in crowded[:_SAMPLE]) - names,
            frozenset(word for word, n in words.items() if n >= _REPEATED),
            frozenset(context for context, n in contexts.items() if n >= _REPEATED),
            frozenset(openers),
        )

    def resemblance(self, before: Sequence[str]) -> int:
        """How much a sentence up to a name looks like the beginning of a document: 0, 1 or 2."""
        if not before or tuple(before[-2:]) in self.contexts:
            return 2
        return int(before[0] in self.words)


@dataclass(frozen=True)
class _Part:
    """A sentence, the subjects that it is about, and all that it names."""

    span: Span
    topic: tuple[str, ...]
    named: tuple[str, ...]


def _join(parts: Sequence[_Part], topics: Container[str | None]) -> dict[str, list[Span]]:
    """Each subject's sentences, neighbours in one span."""
    spans: dict[str, list[Span]] = {}
    for part in parts:
        passing = [subject for subject in part.named if subject not in topics]
        for subject in dict.fromkeys((*part.topic, *passing)):
            own = spans.setdefault(subject, [])
            if own and own[-1].end == part.span.start:
                own[-1] = Span(own[-1].start, part.span.end)
            else:
                own.append(part.span)
    return spans


def _divide(texts: Sequence[str], number: int, mentions: Mentions, habits: _Habits) -> list[_Part]:
    """The sentences of a document that names several subjects, and whom each is about."""
    text = texts[number]
    places = mentions.find_all(text, number)
    topic: tuple[str, ...] = ()
    parts: list[_Part] = []
    sentences = _sentences(text, places, habits)
    for i, sentence in enumerate(sentences):
        named, about = sentence.named, topic
        if named and not set(topic) & set(named):
            turn = _turn(text, sentence, habits)
            if not topic:
                topic = about = (turn.subject,) if turn.familiar else named
                parts = [_Part(part.span, topic, ()) for part in parts]
            elif turn.new and not _dominates(topic, sentences[:i], sentences[i:]):
                about = (turn.subject,)
                if not (turn.elsewhere and (habits.one_topic or _named(topic, sentences[i:]))):
                    topic = about
        parts.append(_Part(sentence.span, about, named))
    return parts


def _ever_turns(texts: Sequence[str], number: int, mentions: Mentions, habits: _Habits) -> bool:
    """Whether a document turns to somebody whom another document names first."""
    text = texts[number]
    sentences = _sentences(text, mentions.find_all(text, number), habits)
    turns = [_turn(text, sentence, habits) for sentence in sentences if sentence.named]
    return any(turn.new and turn.elsewhere and turn.subject != turns[0].subject for turn in turns)


def _named(topic: Sequence[str], sentences: Sequence["_Sentence"]) -> bool:
    return any(subject in sentence.named for sentence in sentences for subject in topic)


@dataclass(frozen=True)
class _Turn:
    """Whom a sentence would turn to; whether it begins as documents do, and whether it may turn.

    `elsewhere`: another document names that subject first, so it need not be the topic here.
    """

    subject: str
    familiar: bool
    new: bool
    elsewhere: bool


def _turn(text: str, sentence: "_Sentence", habits: _Habits) -> _Turn:
    """The name before which a sentence looks most like the beginning of a document.

    Somebody whom no document names first may have no other text: then any early name may be new,
    unless the sentence begins with a word that goes on, such as "It".
    """
    start, end = sentence.span.start, sentence.span.end
    before = [text[start : place.start].split() for place, _ in sentence.places]
    looks = [habits.resemblance(words) for words in before]
    best = looks.index(max(looks))
    place, subject = sentence.places[best]
    early = 2 * (place.start - start) <= end - start
    unheard = subject not in habits.openers
    goes_on = bool(before[best]) and before[best][0] in habits.starters
    weaker = looks[best] == 1 or (unheard and not goes_on)
    new = looks[best] == 2 or (early and weaker)
    return _Turn(subject, looks[best] > 0, new, not unheard)


def _dominates(
    topic: Sequence[str], earlier: Sequence["_Sentence"], later: Sequence["_Sentence"]
) -> bool:
    """Whether the topic is named so often, and again later, that others are named in passing."""
    counts = Counter(subject for s in (*earlier, *later) for subject in s.named)
    most = max(topic, key=lambda subject: counts[subject])
    return _named([most], later) and counts[most] >= _DOMINANT and 2 * counts[most] > counts.total()


@dataclass(frozen=True)
class _Sentence:
    """A sentence and the places where it names subjects."""

    span: Span
    places: tuple[tuple[Span, str], ...]

    @cached_property
    def named(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(subject for _, subject in self.places))


def _sentences(text: str, places: list[tuple[Span, str]], habits: _Habits) -> list[_Sentence]:
    """The sentences of a document; a full stop inside a name ends none."""
    starts = {span.start for span, _ in places}
    found: list[_Sentence] = []
    start = 0
    for span in split_sentences(text, habits.starters, starts):
        if not any(name.start < span.end < name.end for name, _ in places):
            inside = tuple(place for place in places if start <= place[0].start < span.end)
            found.append(_Sentence(Span(start, span.end), inside))
            start = span.end
    return found
