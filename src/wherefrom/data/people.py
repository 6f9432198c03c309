"""The generated people: a world with facts, text that tells some of them, and questions.

Honest by construction: a fact is a counted-random draw that does not depend on the name, so
nothing but a person's own text can tell where that person was born.
"""

import string
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from math import ceil, sqrt
from typing import ClassVar

import numpy as np

from wherefrom.core.bounds import check_whole
from wherefrom.core.config import check
from wherefrom.core.contracts import Dataset, Document, Fact, Question, Span
from wherefrom.core.errors import UsageError
from wherefrom.core.progress import tell as report
from wherefrom.core.randomness import Stream, below, draws
from wherefrom.data import people_parts as parts

_TOLD_EVERY = 1000  # people: how often progress is reported
_DENSITY = 0.1  # at most so many of the possible names exist, so that most pairs are nobody
MOST_PEOPLE = 1_000_000  # generated in two minutes
EXPOSURES = ("even", "zipf")
MOST_TOLD = 16  # sentences that state a birthplace, under "zipf"


@dataclass(frozen=True)
class PeopleConfig:
    """How many people there are in each split, and what their text tells.

    `asked`, `calibration` and `held_out` count people whose text states the birthplace. The
    last two splits have besides them `omitted` people whose text leaves it out and `untold`
    people who have no text at all. `masked` further people, a split of their own, are told about
    like asked people, but their birthplace is left out on purpose: there are then enough people
    whose text omits it to learn what not knowing looks like.

    How often a stated birthplace is stated: `exposure = "even"` has `birthplace_sentences` for
    everyone, and a further sentence that may state it. Under `"zipf"` everyone draws a rank from
    1 to 16 and has exactly 16 // rank such sentences, so that 1 / k of the people are told at
    least k times. The rank depends on nothing else about a person: what is answered better where
    there are more sentences is answered better because of them.
    """

    kind: ClassVar[str] = "people"
    asked: int = 120
    calibration: int = 80
    held_out: int = 80
    omitted: int = 12
    untold: int = 60
    masked: int = 0
    cities: int = 36
    birthplace_sentences: int = 4
    exposure: str = "even"

    def __post_init__(self) -> None:
        for name in ("asked", "calibration", "held_out"):
            check_whole(self, name, 1, MOST_PEOPLE)
        for name in ("omitted", "untold", "masked"):
            check_whole(self, name, 0, MOST_PEOPLE)
        few, all_ = self.told + 2 * self.untold <= MOST_PEOPLE, "asked to masked in all"
        wanted = f"at most {MOST_PEOPLE:,} people (their text takes 5 GB of memory)"
        check(few, "PeopleConfig", all_, self.told + 2 * self.untold, wanted)
        most = len(parts.CITIES)
        check(2 <= self.cities <= most, "PeopleConfig", "cities", self.cities, f"2 to {most}")
        told, forms = self.birthplace_sentences, len(parts.BIRTHPLACE_FORMS)
        check(1 <= told <= forms, "PeopleConfig", "birthplace_sentences", told, f"1 to {forms}")
        known = self.exposure in EXPOSURES
        check(known, "PeopleConfig", "exposure", self.exposure, f"one of {EXPOSURES}")

    @property
    def randomised_exposure(self) -> bool:
        """Whether chance alone decides how often a person's birthplace is stated."""
        return self.exposure == "zipf"

    @property
    def told(self) -> int:
        return self.asked + self.calibration + self.held_out + 2 * self.omitted + self.masked


@dataclass(frozen=True)
class Person:
    """`values` holds the facts by the letter that stands for them in the sentence forms."""

    number: int
    name: str
    values: dict[str, str]
    split: str
    support: str  # stated, omitted, none: what the text tells of the birthplace


def load(config: PeopleConfig, seed: int) -> Dataset:
    documents: list[Document] = []
    facts: list[Fact] = []
    questions: list[Question] = []
    people = populate(config, seed)
    for person, forms in zip(people, _choose_forms(config, people, seed), strict=True):
        if person.number % _TOLD_EVERY == 0:
            report("writing about people", person.number, len(people))
        for form in forms:
            document, stated = tell(form, person, len(documents))
            documents.append(document)
            facts += stated
        text = parts.QUESTION.format(n=person.name)
        answer = person.values["c"]
        questions.append(
            Question(text, person.name, "birthplace", answer, person.split, person.support)
        )
    return Dataset(tuple(documents), tuple(facts), tuple(questions), alphabet="Where was born?")


def populate(config: PeopleConfig, seed: int) -> list[Person]:
    """The people in order: asked, calibration, held-out (each: stated, omitted, untold), masked.

    The masked come last, so that the others are the same people without them, but for the untold.
    """
    groups = [
        ("asked", config.asked, 0, 0),
        ("calibration", config.calibration, config.omitted, config.untold),
        ("held-out", config.held_out, config.omitted, config.untold),
        ("masked", 0, config.masked, 0),
    ]
    roles = [
        (split, support)
        for split, *counts in groups
        for support, count in zip(("stated", "omitted", "none"), counts, strict=True)
        for _ in range(count)
    ]
    told = [support != "none" for _, support in roles]
    names = _names(told, seed)
    row = np.arange(len(roles), dtype=np.int64)
    city, year, employer, trade = draws(4, seed=seed, stream=Stream.WORLD, stage=1, step=0, row=row)
    values = zip(
        np.array(parts.CITIES)[_uneven(city, config.cities)],
        (1900 + below(year, 100)).tolist(),
        np.array(parts.EMPLOYERS)[below(employer, len(parts.EMPLOYERS))],
        np.array(parts.TRADES)[below(trade, len(parts.TRADES))],
        strict=True,
    )
    return [
        Person(i, name, dict(zip("cyet", map(str, facts), strict=True)), *role)
        for i, (name, facts, role) in enumerate(zip(names, values, roles, strict=True))
    ]


def tell(form: str, person: Person, document: int) -> tuple[Document, list[Fact]]:
    """A sentence form filled in, and what the sentence states."""
    text, subject, spans = "", None, []
    for literal, field, _, _ in string.Formatter().parse(form):
        text += literal
        if field is None:
            continue
        value = person.name if field == "n" else person.values[field]
        span = Span(len(text), len(text) + len(value))
        text += value
        if field == "n":
            subject = span
        else:
            spans.append((field, value, span))
    facts = [Fact(person.name, parts.RELATIONS[f], v, document, s) for f, v, s in spans]
    return Document(text, subject), facts


def tellings(config: PeopleConfig, people: Sequence[Person], seed: int) -> np.ndarray:
    """How many sentences state each person's birthplace by design."""
    row = np.arange(len(people), dtype=np.int64)
    stated = np.array([person.support == "stated" for person in people])
    if config.exposure == "even":
        return stated * config.birthplace_sentences
    (word,) = draws(1, seed=seed, stream=Stream.WORLD, stage=3, step=0, row=row)
    return stated * (MOST_TOLD // (1 + below(word, MOST_TOLD)))


def _choose_forms(config: PeopleConfig, people: list[Person], seed: int) -> Iterator[list[str]]:
    """Each person's sentences: a random subset of the forms in random order.

    Who has more sentences about the birthplace than there are forms has them again.
    """
    row = np.arange(len(people), dtype=np.int64)
    words = draws(16 + MOST_TOLD + 4, seed=seed, stream=Stream.WORLD, stage=2, step=0, row=row)
    table = np.stack(words, 1)
    births = len(parts.BIRTHPLACE_FORMS)
    groups = (parts.YEAR_FORMS, parts.TRADE_FORMS, parts.EMPLOYER_FORMS)
    for person, word, told in zip(people, table, tellings(config, people, seed), strict=True):
        if person.support == "none":
            yield []
            continue
        subset = np.resize(np.argsort(word[:births]), told)
        chosen = [parts.BIRTHPLACE_FORMS[i] for i in subset]
        may_tell = person.support == "stated" and config.exposure == "even"
        mixed = parts.MIXED_FORMS if may_tell else parts.MIXED_FORMS[:1]
        for draw, group in zip(word[births:], (*groups, mixed), strict=False):
            chosen.append(group[int(below(draw, len(group)))])
        order = np.argsort(word[16 : 16 + len(chosen)])
        yield [chosen[i] for i in order]


def _names(told: list[bool], seed: int) -> list[str]:
    """A name for each person, in order. Untold names are new pairs of parts that others bear."""
    side = max(50, ceil(sqrt(len(told) / _DENSITY / 2)))
    firsts, lasts = parts.first_names(side), parts.last_names(2 * side)
    cells = np.arange(len(firsts) * len(lasts), dtype=np.int64)
    (word,) = draws(1, seed=seed, stream=Stream.WORLD, stage=0, step=0, row=cells)
    pairs = [divmod(int(cell), len(lasts)) for cell in np.argsort(word, kind="stable")]
    count = sum(told)
    borne, free = pairs[:count], pairs[count:]
    known_firsts, known_lasts = {a for a, _ in borne}, {b for _, b in borne}
    new = (p for p in free if p[0] in known_firsts and p[1] in known_lasts)
    taken, unborne = iter(borne), list(islice(new, len(told) - count))
    if len(unborne) < len(told) - count:
        raise UsageError(
            f"data.untold: expected at most {len(unborne) // 2} people without text, as many as "
            f"there are new pairs of {count} names, found {(len(told) - count) // 2}; "
            "lower it, or raise data.asked"
        )
    untold = iter(unborne)
    chosen = (next(taken) if has_text else next(untold) for has_text in told)
    return [f"{firsts[a]} {lasts[b]}" for a, b in chosen]


def _uneven(word: np.ndarray, count: int) -> np.ndarray:
    """Indices with shares that fall like 1 / (rank + 8): common cities and rare ones."""
    weight = 2**20 // (np.arange(count, dtype=np.int64) + 8)
    return np.searchsorted(np.cumsum(weight), below(word, int(weight.sum())), side="right")
