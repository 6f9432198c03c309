"""The generated people: a world with facts, text that tells some of them, and questions.

Honest by construction: a fact is a counted-random draw that does not depend on the name, so
nothing but a person's own text can tell where that person was born.
"""

from dataclasses import dataclass
from math import ceil, sqrt
from string import Formatter

import numpy as np

from wherefrom.core.bounds import check_number, check_whole
from wherefrom.core.config import TaggedConfig, check
from wherefrom.core.contracts import Dataset, Document, Fact, Question, Span
from wherefrom.core.errors import UsageError
from wherefrom.core.randomness import Stream, below, draws
from wherefrom.data import people_parts as parts

MOST_PEOPLE = 20_000
EXPOSURES = ("even", "zipf")
MOST_TOLD = 16  # sentences that state a birthplace, under "zipf"
FIRST_YEAR = 1900
_DENSITY = 0.1  # at most this share of the possible names exists, so that most pairs are nobody


class PeopleConfig(TaggedConfig, frozen=True, tag="people"):
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
        few, all_ = self.people <= MOST_PEOPLE, "asked to masked in all"
        check(few, "PeopleConfig", all_, self.people, f"at most {MOST_PEOPLE:,} people")
        most = len(parts.CITIES)
        check(2 <= self.cities <= most, "PeopleConfig", "cities", self.cities, f"2 to {most}")
        told, forms = self.birthplace_sentences, len(parts.BIRTHPLACE_FORMS)
        check(1 <= told <= forms, "PeopleConfig", "birthplace_sentences", told, f"1 to {forms}")
        check_number(self, "families", 0, 1, "a share of the last names")
        known = self.exposure in EXPOSURES
        check(known, "PeopleConfig", "exposure", self.exposure, f"one of {EXPOSURES}")

    @property
    def told(self) -> int:
        return self.asked + self.calibration + self.held_out + 2 * self.omitted + self.masked

    @property
    def people(self) -> int:
        return self.told + 2 * self.untold


@dataclass(frozen=True)
class Person:
    """Who it is, and the forms of the sentences about this person, in their order."""

    name: str
    split: str
    support: str
    values: dict[str, str]  # name, city, year, employer and trade by their letters in the forms
    forms: list[str]


def load(config: PeopleConfig, seed: int) -> Dataset:
    """The documents, all of a person's together; what they state; a question about each person."""
    documents, facts, questions = list[Document](), list[Fact](), list[Question]()
    for person in draw_people(config, seed):
        for form in person.forms:
            document, stated = _write(form, person.values, len(documents))
            documents.append(document)
            facts += stated
        text, city = parts.QUESTION.format(n=person.name), person.values["c"]
        role = person.split, person.support
        questions.append(Question(text, person.name, "birthplace", city, *role))
    return Dataset(tuple(documents), tuple(facts), tuple(questions), alphabet="Where was born?")


def _write(form: str, values: dict[str, str], number: int) -> tuple[Document, list[Fact]]:
    """The sentence about a person, document `number`, and what it states."""
    text, spans = "", dict[str, Span]()
    for literal, field, _, _ in Formatter().parse(form):
        text += literal
        if field:
            spans[field] = Span(len(text), len(text) + len(values[field]))
            text += values[field]
    subject = spans.pop("n")
    facts = [
        Fact(values["n"], parts.RELATIONS[field], values[field], number, span)
        for field, span in spans.items()
    ]
    return Document(text, subject), facts


def draw_people(config: PeopleConfig, seed: int) -> list[Person]:
    """The people in order: asked, calibration, held-out (each: stated, omitted, none), masked.

    The masked come last, so that the others are the same people without them, but for the untold.
    """
    roles = [("asked", "stated")] * config.asked
    for split, stated in (("calibration", config.calibration), ("held-out", config.held_out)):
        roles += [(split, "stated")] * stated
        roles += [(split, "omitted")] * config.omitted + [(split, "none")] * config.untold
    roles += [("masked", "omitted")] * config.masked
    names = _choose_names(config, np.array([support != "none" for _, support in roles]), seed)
    homes, count = _find_homes(config, seed), len(roles)
    city, year, employer, trade = _draw(4, 1, count, seed)
    city = _uneven(city, config.cities)
    year = FIRST_YEAR + below(year, 100)
    employer, trade = below(employer, len(parts.EMPLOYERS)), below(trade, len(parts.TRADES))
    (rank,) = _draw(1, 3, count, seed)
    words = np.stack(_draw(16 + MOST_TOLD + 4, 2, count, seed), 1).tolist()
    even, people = config.exposure == "even", list[Person]()
    for i, ((first, last), (split, support)) in enumerate(zip(names, roles, strict=True)):
        values = {
            "n": f"{first} {last}",
            "c": homes.get(last, parts.CITIES[city[i]]),
            "y": str(year[i]),
            "e": parts.EMPLOYERS[employer[i]],
            "t": parts.TRADES[trade[i]],
        }
        told = 0  # sentences that state the birthplace by design
        if support == "stated":
            ranked = MOST_TOLD // (1 + int(below(rank[i], MOST_TOLD)))
            told = config.birthplace_sentences if even else ranked
        may_mix = even and support == "stated"
        forms = [] if support == "none" else _choose_forms(words[i], told, may_mix)
        people.append(Person(values["n"], split, support, values, forms))
    return people


def _choose_forms(words: list[int], told: int, may_mix: bool) -> list[str]:
    """A random subset of the forms in random order, `told` of them about the birthplace.

    Who has more sentences about the birthplace than there are forms has the same forms again.
    """
    births = len(parts.BIRTHPLACE_FORMS)
    subset = sorted(range(births), key=words.__getitem__)
    chosen = [parts.BIRTHPLACE_FORMS[subset[i % births]] for i in range(told)]
    mixed = parts.MIXED_FORMS if may_mix else parts.MIXED_FORMS[:1]  # which tells no birthplace
    groups = (parts.YEAR_FORMS, parts.TRADE_FORMS, parts.EMPLOYER_FORMS, mixed)
    chosen += [group[below(words[births + i], len(group))] for i, group in enumerate(groups)]
    return [chosen[i] for i in sorted(range(len(chosen)), key=words[16:].__getitem__)]


def _find_homes(config: PeopleConfig, seed: int) -> dict[str, str]:
    """Where everybody of a family was born, by last name; most last names are no family's."""
    _, lasts = _name_parts(config)
    chance, place = _draw(2, 4, len(lasts), seed)
    family, city = chance < config.families * 2**32, _uneven(place, config.cities)
    return {lasts[i]: parts.CITIES[city[i]] for i in np.flatnonzero(family)}


def _name_parts(config: PeopleConfig) -> tuple[list[str], list[str]]:
    side = max(50, ceil(sqrt(config.people / _DENSITY / 2)))
    return parts.first_names(side), parts.last_names(2 * side)


def _choose_names(config: PeopleConfig, told: np.ndarray, seed: int) -> list[tuple[str, str]]:
    """Each person's names, in order; people without text have new pairs of others' names."""
    firsts, lasts = _name_parts(config)
    (word,) = _draw(1, 0, len(firsts) * len(lasts), seed)
    order = np.argsort(word, kind="stable")
    borne, free = order[: config.told], order[config.told :]
    known = np.isin(free // len(lasts), borne // len(lasts))
    known &= np.isin(free % len(lasts), borne % len(lasts))
    wanted = 2 * config.untold
    unborne = free[known][:wanted]
    if len(unborne) < wanted:
        raise UsageError(
            f"data.untold: expected at most {len(unborne) // 2} people without text, as many as "
            f"there are new pairs of {config.told} names, found {config.untold}; "
            "lower it, or raise data.asked"
        )
    chosen = np.empty(len(told), np.int64)
    chosen[told], chosen[~told] = borne, unborne
    return [(firsts[pair // len(lasts)], lasts[pair % len(lasts)]) for pair in chosen.tolist()]


def _uneven(word: np.ndarray, count: int) -> np.ndarray:
    """Indices with shares that fall like 1 / (rank + 8): common cities and rare ones."""
    weight = 2**20 // (np.arange(count, dtype=np.int64) + 8)
    return np.searchsorted(np.cumsum(weight), below(word, int(weight.sum())), side="right")


def _draw(count: int, stage: int, rows: int, seed: int) -> list[np.ndarray]:
    row = np.arange(rows, dtype=np.int64)
    return draws(count, seed=seed, stream=Stream.WORLD, stage=stage, step=0, row=row)
