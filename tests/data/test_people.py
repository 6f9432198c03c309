"""The generated world: what is told of whom, and that nothing else gives a birthplace away."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

import pytest

from wherefrom.core.contracts import Dataset
from wherefrom.core.errors import UsageError
from wherefrom.data import people
from wherefrom.data import people_parts as parts
from wherefrom.data.people import PeopleConfig, Sentences, load
from wherefrom.data.people_world import SPLITS, SUPPORTS, draw_world

DEFAULT = PeopleConfig()
SMALL = PeopleConfig(asked=9, calibration=5, held_out=4, omitted=3, untold=6)


class Person(NamedTuple):
    name: str
    values: dict[str, str]
    split: str
    support: str


def populate(config: PeopleConfig, seed: int) -> list[Person]:
    world = draw_world(config, seed)
    return [
        Person(
            world.name(i),
            dict(zip("cyet", world.values(i), strict=True)),
            SPLITS[world.split[i]],
            SUPPORTS[world.support[i]],
        )
        for i in range(len(world))
    ]


@pytest.fixture(scope="module")
def world() -> Dataset:
    return load(DEFAULT, 0)


@pytest.fixture(scope="module")
def crowd() -> list[Person]:
    return populate(PeopleConfig(asked=20_000), 0)


def texts_by_subject(world: Dataset) -> dict[str, list[str]]:
    found = defaultdict(list)
    for document in world.documents:
        found[document.subject.of(document.text)].append(document.text)
    return found


def words(text: str) -> set[str]:
    return set(text.replace(",", " ").replace(".", " ").split())


def are_independent(pairs: Iterable[tuple[object, object]]) -> bool:
    """By the chi-squared test on how often each pair occurs."""
    from scipy.stats import chi2_contingency

    counts = Counter(pairs)
    rows, columns = ({pair[i] for pair in counts} for i in (0, 1))
    return chi2_contingency([[counts[a, b] for b in columns] for a in rows]).pvalue > 1e-3


# --- who there is ----------------------------------------------------------------------------


def test_families_share_a_place_and_the_others_stay_as_they_are():
    usual, found = populate(DEFAULT, 0), populate(replace(DEFAULT, families=0.5), 0)
    assert [p.name for p in found] == [p.name for p in usual]
    places, before = defaultdict(set), {p.name: p.values["c"] for p in usual}
    for person in found:
        places[person.name.split()[1]].add(person.values["c"])
    moved = [p.name.split()[1] for p in found if p.values["c"] != before[p.name]]
    assert all(len(places[last]) == 1 for last in moved)
    assert 0.35 < len(set(moved)) / len(places) < 0.65
    one = populate(replace(DEFAULT, families=1.0), 0)
    assert len({(p.name.split()[1], p.values["c"]) for p in one}) == len(places)


@pytest.mark.parametrize("part", [0, 1])
@pytest.mark.parametrize("attribute", ["c", "e", "t"])
def test_no_part_of_a_name_tells_a_fact(crowd, part, attribute):
    """Names in 40 groups by their place in the alphabet against the fact: independent."""
    bearers = sorted({p.name.split()[part] for p in crowd})
    group = {name: 40 * i // len(bearers) for i, name in enumerate(bearers)}
    assert are_independent((group[p.name.split()[part]], p.values[attribute]) for p in crowd)


def test_there_are_names_for_a_million_people():
    firsts, lasts = parts.first_names(2237), parts.last_names(4474)
    assert len(set(firsts)) == 2237
    assert len(set(lasts)) == 4474
    assert len(firsts) * len(lasts) * 0.1 > 1_000_000
    assert all(name.istitle() and name.isalpha() for name in (*firsts, *lasts))
    groups = ({*firsts, *lasts}, {*parts.CITIES}, {*parts.EMPLOYERS}, {*parts.TRADES})
    assert sum(map(len, groups)) == len(set().union(*groups)), "no word is two things"
    assert parts.first_names(50) == firsts[:50], "a larger world only takes more of them"


# --- what is told ----------------------------------------------------------------------------


def test_the_birthplace_is_stated_where_it_is_said_to_be(world):
    """A text that omits it names no city at all."""
    texts = texts_by_subject(world)
    stated = Counter(f.subject for f in world.facts if f.relation == "birthplace")
    for question in world.questions:
        expected = question.support == "stated"
        assert (stated[question.subject] >= DEFAULT.birthplace_sentences) is expected
        assert (stated[question.subject] > 0) is expected
        if question.support == "omitted":
            assert texts[question.subject]
            assert not any(words(t) & set(parts.CITIES) for t in texts[question.subject])


# --- sizes -----------------------------------------------------------------------------------


def test_there_is_memory_for_a_million_people_and_no_more():
    message = "at most 1,000,000 people .*2 GB of memory.*, found 1000204"
    with pytest.raises(UsageError, match=message):
        replace(DEFAULT, asked=999_900)


def test_more_people_without_text_than_there_are_names_for():
    few = {"asked": 12, "calibration": 8, "held_out": 8, "omitted": 2}
    with pytest.raises(UsageError, match=r"data\.untold: expected at most (\d+) people") as error:
        load(PeopleConfig(**few, untold=1000), 0)
    most = int(str(error.value).split("at most ")[1].split()[0])
    assert most > 10
    assert len(load(PeopleConfig(**few, untold=most), 0).questions) == 12 + 16 + 4 + 2 * most


# --- made when it is read --------------------------------------------------------------------

MIXED = replace(SMALL, asked=30, masked=4)
CONFIGS = [MIXED, replace(MIXED, exposure="zipf"), replace(MIXED, birthplace_sentences=7, cities=5)]


def load_large(config: PeopleConfig, seed: int, monkeypatch: pytest.MonkeyPatch) -> Dataset:
    monkeypatch.setattr(people, "FEW", 0)
    return load(config, seed)


@pytest.mark.parametrize("config", CONFIGS)
def test_a_large_world_is_the_small_one(config, monkeypatch):
    small, large = load(config, 3), load_large(config, 3, monkeypatch)
    assert type(small.documents) is tuple
    assert type(large.documents) is Sentences
    assert tuple(large.documents) == small.documents
    assert tuple(large.facts) == small.facts
    assert tuple(large.questions) == small.questions
    assert [large.documents[i] for i in (0, 11, -1)] == [small.documents[i] for i in (0, 11, -1)]
    assert [large.facts[i] for i in (0, 11, -1)] == [small.facts[i] for i in (0, 11, -1)]
    assert large.training_documents is large.documents
    assert large.documents.letters == {c for d in large.documents for c in d.text}
    assert tuple(large.asked) == small.asked
    assert large.answer_room == small.answer_room
    for split in ("asked", "calibration", "held-out", "masked", "unanswered"):
        for support in (("stated",), ("omitted", "none"), ("unknown",), ()):
            assert large.select(split, support) == small.select(split, support)


def test_its_key_is_that_of_these_data_alone(monkeypatch):
    made = [
        load_large(config, seed, monkeypatch)
        for config in (SMALL, replace(SMALL, asked=31), replace(SMALL, exposure="zipf"))
        for seed in (0, 1)
    ]
    assert len({dataset.key for dataset in made}) == len(made)
    assert load_large(SMALL, 0, monkeypatch).key == made[0].key
    assert replace(made[0], questions=made[0].questions[:3]).key == "", "other questions"
    assert replace(made[0], documents=made[0].documents[:3]).key == "", "other documents"
