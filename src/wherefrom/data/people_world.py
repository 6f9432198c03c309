"""The generated people as columns of small integers: who they are, and what the text states about
them.

A person is a row: the numbers of the parts of the name, of the facts, of the split. A sentence is
the number of its form. A million people take 50 MB so, and everything else is made of it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil, sqrt
from typing import ClassVar

import numpy as np

from wherefrom.core.bounds import check_number, check_whole
from wherefrom.core.config import check
from wherefrom.core.errors import UsageError
from wherefrom.core.progress import tell
from wherefrom.core.randomness import Stream, below, draws
from wherefrom.data import people_parts as parts

MOST_PEOPLE = 1_000_000
EXPOSURES = ("even", "zipf")
MOST_TOLD = 16  # sentences that state a birthplace, under "zipf"
FIRST_YEAR = 1900
SPLITS = ("asked", "calibration", "held-out", "masked")
SUPPORTS = ("stated", "omitted", "none")
_DENSITY = 0.1  # at most this share of the possible names exists, so that most pairs are nobody
_AT_ONCE = 1 << 18  # rows that are drawn together: this bounds the memory
# Where each kind of sentence begins in the list of all forms.
_YEAR, _TRADE, _EMPLOYER, _MIXED = (
    int(n) for n in np.cumsum([len(g) for g in parts.FORM_GROUPS[:-1]])
)


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

    `families` is the share of last names whose bearers were all born in one place. What others'
    text states then tells where a bearer was born, also if the own text omits it.
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
    families: float = 0.0

    def __post_init__(self) -> None:
        for name in ("asked", "calibration", "held_out"):
            check_whole(self, name, 1, MOST_PEOPLE)
        for name in ("omitted", "untold", "masked"):
            check_whole(self, name, 0, MOST_PEOPLE)
        few, all_ = self.told + 2 * self.untold <= MOST_PEOPLE, "asked to masked in all"
        wanted = f"at most {MOST_PEOPLE:,} people (reading their text takes 2 GB of memory)"
        check(few, "PeopleConfig", all_, self.told + 2 * self.untold, wanted)
        most = len(parts.CITIES)
        check(2 <= self.cities <= most, "PeopleConfig", "cities", self.cities, f"2 to {most}")
        told, forms = self.birthplace_sentences, len(parts.BIRTHPLACE_FORMS)
        check(1 <= told <= forms, "PeopleConfig", "birthplace_sentences", told, f"1 to {forms}")
        check_number(self, "families", 0, 1, "a share of the last names")
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
class World:
    """A row for each person."""

    first_names: tuple[str, ...]
    last_names: tuple[str, ...]
    first: np.ndarray  # the number of the first name
    last: np.ndarray
    city: np.ndarray
    year: np.ndarray  # from FIRST_YEAR on
    employer: np.ndarray
    trade: np.ndarray
    split: np.ndarray  # the number in SPLITS
    support: np.ndarray  # the number in SUPPORTS

    def __len__(self) -> int:
        return len(self.first)

    def name(self, number: int) -> str:
        return f"{self.first_names[self.first[number]]} {self.last_names[self.last[number]]}"

    def values(self, number: int) -> tuple[str, str, str, str]:
        """City, year, employer and trade."""
        return (
            parts.CITIES[self.city[number]],
            str(FIRST_YEAR + int(self.year[number])),
            parts.EMPLOYERS[self.employer[number]],
            parts.TRADES[self.trade[number]],
        )


def draw_world(config: PeopleConfig, seed: int) -> World:
    """The people in order: asked, calibration, held-out (each: stated, omitted, untold), masked.

    The masked come last, so that the others are the same people without them, but for the untold.
    """
    groups = (
        (config.asked, 0, 0),
        (config.calibration, config.omitted, config.untold),
        (config.held_out, config.omitted, config.untold),
        (0, config.masked, 0),
    )
    counts = [count for group in groups for count in group]
    kinds = len(SUPPORTS)
    split = np.repeat(np.arange(len(counts), dtype=np.uint8) // kinds, counts)
    support = np.repeat(np.arange(len(counts), dtype=np.uint8) % kinds, counts)
    names = _choose_names(support != SUPPORTS.index("none"), seed)
    city, year, employer, trade = (np.empty(len(split), np.uint8) for _ in range(4))
    for rows in _slices(len(split)):
        words = _draw(4, 1, rows, seed)
        city[rows] = _uneven(words[0], config.cities)
        year[rows] = below(words[1], 100)
        employer[rows] = below(words[2], len(parts.EMPLOYERS))
        trade[rows] = below(words[3], len(parts.TRADES))
    if config.families:
        _, lasts, _, last = names
        home = find_homes(config, len(lasts), seed)
        city = np.where(home[last] < config.cities, home[last], city).astype(np.uint8)
    return World(*names, city, year, employer, trade, split, support)


def find_homes(config: PeopleConfig, lasts: int, seed: int) -> np.ndarray:
    """The city of the family of each last name; `config.cities` if the name is no family's."""
    chance, place = _draw(2, 4, slice(0, lasts), seed)
    family = chance < config.families * 2**32
    return np.where(family, _uneven(place, config.cities), config.cities)


def count_tellings(config: PeopleConfig, support: np.ndarray, seed: int) -> np.ndarray:
    """How many sentences state each person's birthplace by design; `support` as in a World."""
    stated = support == SUPPORTS.index("stated")
    if config.exposure == "even":
        return stated * config.birthplace_sentences
    told = np.zeros(len(support), np.int64)
    for rows in _slices(len(support)):
        (word,) = _draw(1, 3, rows, seed)
        told[rows] = stated[rows] * (MOST_TOLD // (1 + below(word, MOST_TOLD)))
    return told


def choose_forms(config: PeopleConfig, world: World, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """The form of each sentence, and the number of each person's first sentence, with an end.

    A person's sentences are a random subset of the forms in random order. People with more
    sentences about the birthplace than there are forms repeat the forms.
    """
    told = count_tellings(config, world.support, seed)
    others = 4  # a year, a trade, an employer and one that mixes them
    counts = np.where(world.support == SUPPORTS.index("none"), 0, told + others)
    starts = np.concatenate([[0], np.cumsum(counts)])
    forms = np.empty(int(starts[-1]), np.uint8)
    for rows in _slices(len(world)):
        tell("drawing people", rows.start, len(world))
        words = np.stack(_draw(16 + MOST_TOLD + 4, 2, rows, seed), 1)
        # People with as many sentences are treated together.
        for count in np.unique(counts[rows]):
            own = np.flatnonzero(counts[rows] == count)
            if count:
                may_mix = world.support[rows][own] == SUPPORTS.index("stated")
                may_mix &= config.exposure == "even"
                chosen = _arrange(words[own], int(count) - others, may_mix)
                forms[starts[rows][own][:, None] + np.arange(count)] = chosen
    return forms, starts


def _arrange(words: np.ndarray, told: int, may_mix: np.ndarray) -> np.ndarray:
    """The forms (people, sentences) of people with this many sentences about their birthplace."""
    births = len(parts.BIRTHPLACE_FORMS)
    subset = np.argsort(words[:, :births])[:, np.arange(told) % births]
    mixed = np.where(may_mix, len(parts.MIXED_FORMS), 1)  # the first tells no birthplace
    bounds = (len(parts.YEAR_FORMS), len(parts.TRADE_FORMS), len(parts.EMPLOYER_FORMS), mixed)
    begins = (_YEAR, _TRADE, _EMPLOYER, _MIXED)
    others = [
        begin + below(words[:, births + i], bound)
        for i, (begin, bound) in enumerate(zip(begins, bounds, strict=True))
    ]
    chosen = np.concatenate([subset, np.stack(others, 1)], 1)
    order = np.argsort(words[:, 16 : 16 + chosen.shape[1]])
    return np.take_along_axis(chosen, order, 1)


def _choose_names(
    told: np.ndarray, seed: int
) -> tuple[tuple[str, ...], tuple[str, ...], np.ndarray, np.ndarray]:
    """Names, and the numbers of each person's, in order.

    Names of people without text are new pairs of parts that others bear.
    """
    side = max(50, ceil(sqrt(len(told) / _DENSITY / 2)))
    firsts, lasts = parts.first_names(side), parts.last_names(2 * side)
    cells = len(firsts) * len(lasts)
    word = np.empty(cells, np.uint32)
    for rows in _slices(cells):
        (word[rows],) = _draw(1, 0, rows, seed)
    order = np.argsort(word, kind="stable")
    del word
    count = int(told.sum())
    borne, free = order[:count], order[count:]
    known_first, known_last = np.zeros(len(firsts), bool), np.zeros(len(lasts), bool)
    known_first[borne // len(lasts)], known_last[borne % len(lasts)] = True, True
    wanted, new = len(told) - count, list[np.ndarray]()
    for rows in _slices(len(free)):
        if sum(map(len, new)) >= wanted:
            break
        some = free[rows]
        new.append(some[known_first[some // len(lasts)] & known_last[some % len(lasts)]])
    unborne = np.concatenate([*new, free[:0]])[:wanted]
    if len(unborne) < wanted:
        raise UsageError(
            f"data.untold: expected at most {len(unborne) // 2} people without text, as many as "
            f"there are new pairs of {count} names, found {wanted // 2}; "
            "lower it, or raise data.asked"
        )
    chosen = np.empty(len(told), np.int64)
    chosen[told], chosen[~told] = borne, unborne
    first, last = (chosen // len(lasts)).astype(np.uint16), (chosen % len(lasts)).astype(np.uint16)
    return tuple(firsts), tuple(lasts), first, last


def _uneven(word: np.ndarray, count: int) -> np.ndarray:
    """Indices with shares that fall like 1 / (rank + 8): common cities and rare ones."""
    weight = 2**20 // (np.arange(count, dtype=np.int64) + 8)
    return np.searchsorted(np.cumsum(weight), below(word, int(weight.sum())), side="right")


def _draw(count: int, stage: int, rows: slice, seed: int) -> Sequence[np.ndarray]:
    row = np.arange(rows.start, rows.stop, dtype=np.int64)
    return draws(count, seed=seed, stream=Stream.WORLD, stage=stage, step=0, row=row)


def _slices(total: int) -> Iterator[slice]:
    for first in range(0, total, _AT_ONCE):
        yield slice(first, min(first + _AT_ONCE, total))
