"""A data set with its text edited: without some people's text, or with other answers in it.

Training without a person's text shows what the model would answer had it never read it; changing
what the text says shows whether the model answers from it. Only the text of people whose questions
are not trained on is ever edited.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from wherefrom.core.bounds import check_whole
from wherefrom.core.config import TaggedConfig, check
from wherefrom.core.contracts import (
    NOT_TRAINED_ON,
    WITH_TEXT,
    Dataset,
    Document,
    Passage,
    Question,
    Span,
)
from wherefrom.core.errors import UsageError
from wherefrom.core.randomness import MASK32, Stream, below, draws
from wherefrom.reading.names import lines_by_person, person

HALVES = ("", "first", "second")


class EditedConfig(TaggedConfig, frozen=True, tag="edited"):
    """The data set `base` of the seed `world`, edited.

    half: the people of calibration and held-out questions are divided into halves at random,
    differently for each `pair`, and the text of one half is left out. swap: the number of held-out
    people whose text gets another answer, one that is somebody else's, in place of their own.
    """

    base: Any
    world: int = 0
    pair: int = 0
    half: str = ""
    swap: int = 0

    def __post_init__(self) -> None:
        name = "EditedConfig"
        check(hasattr(self.base, "kind"), name, "base", self.base, "a data set")
        check(self.half in HALVES, name, "half", self.half, f"one of {HALVES}")
        for field in ("world", "pair", "swap"):
            check_whole(self, field, 0, MASK32)


def edit(config: EditedConfig, dataset: Dataset) -> Dataset:
    """The base data set after the edits; its vocabulary stays the same."""
    known = {c for d in dataset.documents for c in d.text} - set(dataset.alphabet)
    edited = replace(dataset, alphabet=dataset.alphabet + "".join(sorted(known)))
    if config.half:
        edited = leave_out(edited, choose_half(config, dataset))
    return swap_values(edited, config) if config.swap else edited


def choose_half(config: EditedConfig, dataset: Dataset) -> frozenset[str]:
    """The people whose text is left out; the other half of the same pair has all the others."""
    taught = _asked(dataset)
    judged = {person(q.subject) for q in dataset.questions if q.split in NOT_TRAINED_ON}
    people = sorted(judged - taught)
    order = _shuffle(config, len(people), stage=config.pair)
    first = config.half == "first"
    middle = len(people) // 2
    return frozenset(people[i] for i in (order[:middle] if first else order[middle:]))


Move = Callable[[int], int]  # a place of a text to where it is after an edit
Moves = dict[int, tuple[int, Move]]  # a document's number to its new one, and of its places


def _cut_all(
    documents: Sequence[Document], own: Mapping[int, list[Passage]], people: frozenset[str]
) -> tuple[list[Document], Moves]:
    """The documents without what is `own` to these people alone, and where each is now."""
    left: list[Document] = []
    moves: Moves = {}
    for number, document in enumerate(documents):
        kept = [p for p in own.get(number, ()) if person(p.subject) not in people]
        if number in own and len(kept) < len(own[number]):
            if not kept:
                continue
            document, move = _cut(document, own[number], kept)
        elif number not in own and _subject(document) in people:
            continue
        else:
            move = int  # every place stays
        moves[number] = len(left), move
        left.append(document)
    return left, moves


def leave_out(dataset: Dataset, people: frozenset[str]) -> Dataset:
    """Without what the text says of these people; their questions then have the support "none".

    Documents about no other person are dropped; from the others these people's passages are cut,
    except where they are another person's as well.
    """
    own: dict[int, list[Passage]] = {}
    for passage in dataset.passages:
        own.setdefault(passage.document, []).append(passage)
    documents, moves = _cut_all(dataset.documents, own, people)
    if not documents:
        raise UsageError("data.half: expected some text to be left, found none; keep more people")

    facts = [
        f
        for f in dataset.facts
        if f.document in moves and (f.document not in own or person(f.subject) not in people)
    ]
    passages = [p for p in dataset.passages if person(p.subject) not in people]
    questions = [
        replace(q, support="none") if person(q.subject) in people and q.support in WITH_TEXT else q
        for q in dataset.questions
    ]
    kept = replace(dataset, facts=facts, passages=tuple(passages), questions=tuple(questions))
    return _put(kept, documents, moves)


def _put(dataset: Dataset, documents: Sequence[Document], moves: Moves) -> Dataset:
    """The data set with edited documents: facts and passages move with their texts."""

    def move_span(number: int, span: Span) -> Span:
        move = moves[number][1]
        return Span(move(span.start), move(span.end))

    facts = [
        replace(f, document=moves[f.document][0], value_span=move_span(f.document, f.value_span))
        for f in dataset.facts
    ]
    passages = [
        replace(p, document=number, start=move(p.start), end=move(p.end))
        for p in dataset.passages
        for number, move in [moves[p.document]]
    ]
    edited = replace(dataset, documents=tuple(documents), facts=tuple(facts))
    return replace(edited, passages=tuple(passages))


def _cut(
    document: Document, passages: Sequence[Passage], kept: Sequence[Passage]
) -> tuple[Document, Move]:
    """The document without the passages that are not kept, and a function that moves a place."""
    stays = np.ones(len(document.text), dtype=bool)
    for passage in passages:
        stays[passage.start : passage.end] = False
    for passage in kept:
        stays[passage.start : passage.end] = True
    before = np.concatenate([[0], np.cumsum(stays)])
    text = "".join(c for c, stay in zip(document.text, stays, strict=True) if stay)
    name = kept[0].subject
    start = text.find(name)
    subject = Span(start, start + len(name)) if start >= 0 else None
    return replace(document, text=text, subject=subject), lambda place: int(before[place])


def swap_values(dataset: Dataset, config: EditedConfig) -> Dataset:
    """With another answer in the text and the questions of `config.swap` held-out people."""
    new = choose_swaps(dataset, config)
    documents, facts = list(dataset.documents), list(dataset.facts)
    moves: Moves = {number: (number, int) for number in range(len(documents))}
    places: dict[int, list[int]] = {}
    for number, document in enumerate(documents):
        if swap := new.get(_subject(document)):
            places[number] = _places(document, swap[0])
            documents[number], move = _rewrite(document, places[number], *swap)
            moves[number] = number, move
    for i, fact in enumerate(facts):
        if fact.value_span.start in places.get(fact.document, ()):
            old, value = new[_subject(dataset.documents[fact.document])]
            facts[i] = replace(fact, value=value) if fact.value == old else fact
    questions = [
        replace(q, answer=new[person(q.subject)][1])
        if person(q.subject) in new and q.split == "held-out"
        else q
        for q in dataset.questions
    ]
    swapped = replace(dataset, facts=facts, questions=tuple(questions))
    return _put(swapped, documents, moves)


def choose_swaps(dataset: Dataset, config: EditedConfig) -> dict[str, tuple[str, str]]:
    """Each chosen person's answer, and the one that takes its place."""
    once = find_swappable(dataset)
    if config.swap > len(once):
        raise UsageError(
            f"data.swap: expected at most {len(once)}, the held-out people whose text states the "
            f"answer, found {config.swap}"
        )
    order = _shuffle(config, len(once), stage=0, step=1)
    values: dict[str, set[str]] = {}
    for q in dataset.questions:
        values.setdefault(q.relation, set()).add(q.answer or "")
    lines = lines_by_person(dataset.documents)
    chosen = [once[i] for i in order[: config.swap]]
    (word,) = draws(
        1, seed=config.world, stream=Stream.EDITS, stage=0, step=2, row=np.arange(len(chosen))
    )
    swaps: dict[str, tuple[str, str]] = {}
    for q, w in zip(chosen, word, strict=True):
        text = "\n".join(dataset.documents[i].text for i in lines[person(q.subject)])
        other = _another(q, sorted(values[q.relation] - {""}), text, int(w))
        swaps[person(q.subject)] = q.answer or "", other
    return swaps


def find_swappable(dataset: Dataset) -> list[Question]:
    """Held-out questions whose answer can be swapped: the only question about its subject, whose
    own text has the answer as whole words."""
    asked = [q for q in dataset.select("held-out") if q.answer]
    times, taught = Counter(person(q.subject) for q in asked), _asked(dataset)
    lines = lines_by_person(dataset.documents)
    return [
        q
        for q in asked
        if times[name := person(q.subject)] == 1
        and name not in taught
        and any(_places(dataset.documents[i], q.answer or "") for i in lines.get(name, ()))
    ]


def _asked(dataset: Dataset) -> set[str]:
    return {person(q.subject) for q in dataset.asked}


def _places(document: Document, value: str) -> list[int]:
    """Where the value stands as whole words outside the subject's name."""
    subject = document.subject
    assert subject is not None, "documents are chosen by their subjects"
    return [
        m.start()
        for m in re.finditer(rf"(?<!\w){re.escape(value)}(?!\w)", document.text)
        if m.end() <= subject.start or m.start() >= subject.end
    ]


def _another(question: Question, values: Sequence[str], text: str, word: int) -> str:
    """A value that the person's text does not have."""
    free = [v for v in values if v not in text and v not in (question.answer or "")]
    if not free:
        raise UsageError(f"data.swap: no other answer that {question.subject!r} could be given")
    return free[int(below(word, len(free)))]


def _rewrite(document: Document, found: Sequence[int], old: str, new: str) -> tuple[Document, Move]:
    """The document with a value replaced where it was found, and a function that moves a place."""
    subject = document.subject
    assert subject is not None, "documents are chosen by their subjects"

    def move(place: int) -> int:
        return place + (len(new) - len(old)) * sum(start < place for start in found)

    text, end = "", 0
    for start in found:
        text += document.text[end:start] + new
        end = start + len(old)
    moved = Span(move(subject.start), move(subject.end))
    return replace(document, text=text + document.text[end:], subject=moved), move


def _subject(document: Document) -> str:
    return person(document.name)


def _shuffle(config: EditedConfig, count: int, stage: int, step: int = 0) -> np.ndarray:
    row = np.arange(count, dtype=np.int64)
    (word,) = draws(1, seed=config.world, stream=Stream.EDITS, stage=stage, step=step, row=row)
    return np.argsort(word, kind="stable")
