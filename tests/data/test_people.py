"""The generated world: what is told of whom, and that nothing else gives a birthplace away."""

from collections import Counter, defaultdict
from collections.abc import Iterable

import pytest
from msgspec.structs import replace

from wherefrom.core.contracts import Dataset
from wherefrom.core.errors import UsageError
from wherefrom.data import people_parts as parts
from wherefrom.data.people import PeopleConfig, Person, draw_people, load

DEFAULT = PeopleConfig()


@pytest.fixture(scope="module")
def world() -> Dataset:
    return load(DEFAULT, 0)


@pytest.fixture(scope="module")
def crowd() -> list[Person]:
    return draw_people(PeopleConfig(asked=19_000), 0)


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
    usual, found = draw_people(DEFAULT, 0), draw_people(replace(DEFAULT, families=0.5), 0)
    assert [p.name for p in found] == [p.name for p in usual]
    places, before = defaultdict(set), {p.name: p.values["c"] for p in usual}
    for person in found:
        places[person.name.split()[1]].add(person.values["c"])
    moved = [p.name.split()[1] for p in found if p.values["c"] != before[p.name]]
    assert all(len(places[last]) == 1 for last in moved)
    assert 0.35 < len(set(moved)) / len(places) < 0.65
    one = draw_people(replace(DEFAULT, families=1.0), 0)
    assert len({(p.name.split()[1], p.values["c"]) for p in one}) == len(places)


@pytest.mark.parametrize("part", [0, 1])
@pytest.mark.parametrize("attribute", ["c", "e", "t"])
def test_no_part_of_a_name_tells_a_fact(crowd, part, attribute):
    """Names in 40 groups by their place in the alphabet against the fact: independent."""
    bearers = sorted({p.name.split()[part] for p in crowd})
    group = {name: 40 * i // len(bearers) for i, name in enumerate(bearers)}
    assert are_independent((group[p.name.split()[part]], p.values[attribute]) for p in crowd)


def test_there_are_names_for_twenty_thousand_people():
    firsts, lasts = parts.first_names(317), parts.last_names(634)
    assert len(set(firsts)) == 317
    assert len(set(lasts)) == 634
    assert len(firsts) * len(lasts) * 0.1 > 20_000
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


def test_twenty_thousand_people_and_no_more():
    most = replace(DEFAULT, asked=20_000 - 304)
    assert len(load(most, 0).questions) == 20_000
    with pytest.raises(UsageError, match="at most 20,000 people, found 20001"):
        replace(most, masked=1)


def test_more_people_without_text_than_there_are_names_for():
    few = {"asked": 12, "calibration": 8, "held_out": 8, "omitted": 2}
    with pytest.raises(UsageError, match=r"data\.untold: expected at most (\d+) people") as error:
        load(PeopleConfig(**few, untold=1000), 0)
    most = int(str(error.value).split("at most ")[1].split()[0])
    assert most > 10
    assert len(load(PeopleConfig(**few, untold=most), 0).questions) == 12 + 16 + 4 + 2 * most
