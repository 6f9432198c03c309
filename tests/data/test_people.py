"""The generated world: what is told of whom, and that nothing else gives a birthplace away."""

import hashlib
from collections import Counter, defaultdict
from dataclasses import replace

import numpy as np
import pytest

from wherefrom.core.contracts import Dataset
from wherefrom.core.errors import UsageError
from wherefrom.core.vocabulary import Vocabulary
from wherefrom.data import people_parts as parts
from wherefrom.data.people import PeopleConfig, Person, load, populate, tell, tellings

DEFAULT = PeopleConfig()
SMALL = PeopleConfig(asked=9, calibration=5, held_out=4, omitted=3, untold=6)
FORMS = (
    *parts.BIRTHPLACE_FORMS,
    *parts.YEAR_FORMS,
    *parts.TRADE_FORMS,
    *parts.EMPLOYER_FORMS,
    *parts.MIXED_FORMS,
)
CLARA = Person(
    0, "Clara Whitfield", {"c": "Oslo", "y": "1950", "e": "Kestrel", "t": "poet"}, "asked", "stated"
)


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


# --- one seed, one world ---------------------------------------------------------------------


def test_another_seed_gives_other_people_facts_and_wording():
    here, there = populate(DEFAULT, 0), populate(DEFAULT, 1)
    assert len(here) == len(there)
    assert len({p.name for p in here} & {p.name for p in there}) < len(here) / 2
    alike = sum(a.values["c"] == b.values["c"] for a, b in zip(here, there, strict=True))
    assert alike < len(here) / 4

    def told(seed: int) -> list[str]:
        return [f.relation for f in load(DEFAULT, seed).facts]

    assert told(0) != told(1)


# --- who there is ----------------------------------------------------------------------------


def test_masked_people_are_told_about_but_for_the_birthplace():
    masked = replace(SMALL, masked=7)
    told, without = populate(masked, 0), populate(SMALL, 0)
    assert [(p.split, p.support) for p in told[-7:]] == [("masked", "omitted")] * 7
    read = [p for p in without if p.support != "none"]
    assert [p for p in told[:-7] if p.support != "none"] == read, "the others are as they were"
    assert len({p.name for p in told}) == len(told)
    texts = texts_by_subject(load(masked, 0))
    for person in told[-7:]:
        assert texts[person.name]
        assert not any(person.values["c"] in words(text) for text in texts[person.name])


def test_splits_have_the_sizes_asked_for(world):
    count = Counter((q.split, q.support) for q in world.questions)
    assert count == {
        ("asked", "stated"): 120,
        ("calibration", "stated"): 80,
        ("calibration", "omitted"): 12,
        ("calibration", "none"): 60,
        ("held-out", "stated"): 80,
        ("held-out", "omitted"): 12,
        ("held-out", "none"): 60,
    }
    assert DEFAULT.told == 120 + 92 + 92
    assert len(texts_by_subject(world)) == DEFAULT.told
    assert len(world.documents) == 8 * DEFAULT.told - 4 * 2 * DEFAULT.omitted


def test_names_are_two_words_and_nobody_shares_one(crowd):
    names = [p.name for p in crowd]
    assert len(set(names)) == len(names)
    assert all(len(name.split(" ")) == 2 and name.istitle() for name in names)


def test_parts_of_names_are_shared(world):
    told = list(texts_by_subject(world))
    firsts, lasts = Counter(n.split()[0] for n in told), Counter(n.split()[1] for n in told)
    assert np.mean([firsts[n.split()[0]] > 1 for n in told]) > 0.9
    assert np.mean([lasts[n.split()[1]] > 1 for n in told]) > 0.8


def test_people_without_text_are_new_pairs_of_known_parts(world):
    told = list(texts_by_subject(world))
    untold = [q.subject for q in world.questions if q.support == "none"]
    assert len(untold) == 120
    assert not set(untold) & set(told)
    assert {n.split()[0] for n in untold} <= {n.split()[0] for n in told}
    assert {n.split()[1] for n in untold} <= {n.split()[1] for n in told}
    everything = "\n".join(d.text for d in world.documents)
    assert not any(name in everything for name in untold)


def test_there_are_many_cities_of_uneven_shares(crowd):
    """City number i has a share like 1 / (i + 8)."""
    assert DEFAULT.cities >= 30
    count = Counter(p.values["c"] for p in crowd)
    assert set(count) == set(parts.CITIES[: DEFAULT.cities])
    from scipy.stats import chisquare

    share = 1 / (np.arange(DEFAULT.cities) + 8)
    observed = [count[city] for city in parts.CITIES[: DEFAULT.cities]]
    assert chisquare(observed, share / share.sum() * len(crowd)).pvalue > 1e-3
    assert max(observed) > 3 * min(observed)


@pytest.mark.parametrize("part", [0, 1])
@pytest.mark.parametrize("attribute", ["c", "e", "t"])
def test_no_part_of_a_name_tells_a_fact(crowd, part, attribute):
    """Names in 40 groups by their place in the alphabet against the fact: independent."""
    from scipy.stats import chi2_contingency

    bearers = sorted({p.name.split()[part] for p in crowd})
    group = {name: 40 * i // len(bearers) for i, name in enumerate(bearers)}
    values = {value: i for i, value in enumerate(sorted({p.values[attribute] for p in crowd}))}
    table = np.zeros((40, len(values)))
    for person in crowd:
        table[group[person.name.split()[part]], values[person.values[attribute]]] += 1
    assert chi2_contingency(table).pvalue > 1e-3


def test_facts_do_not_tell_each_other(crowd):
    """A birthplace cannot be guessed from trade or firm either."""
    from scipy.stats import chi2_contingency

    for attribute in "te":
        pairs = Counter((p.values["c"], p.values[attribute]) for p in crowd)
        rows, columns = sorted({a for a, _ in pairs}), sorted({b for _, b in pairs})
        table = [[pairs[a, b] for b in columns] for a in rows]
        assert chi2_contingency(table).pvalue > 1e-3


# --- what is told ----------------------------------------------------------------------------


def test_there_are_many_forms_and_few_resemble_the_question():
    assert len(set(FORMS)) == len(FORMS) >= 12
    assert sum("born" in form.lower() for form in FORMS) <= 2
    for group, letter in (
        (parts.BIRTHPLACE_FORMS, "c"),
        (parts.YEAR_FORMS, "y"),
        (parts.TRADE_FORMS, "t"),
        (parts.EMPLOYER_FORMS, "e"),
    ):
        assert all(form.count("{n}") == 1 and f"{{{letter}}}" in form for form in group)
    assert "{c}" not in parts.MIXED_FORMS[0]


def test_a_form_filled_in_by_hand():
    document, facts = tell("Born in {c} in {y}, {n} became a {t}.", CLARA, 7)
    assert document.text == "Born in Oslo in 1950, Clara Whitfield became a poet."
    assert (document.subject.start, document.subject.end) == (22, 37)
    found = [(f.relation, f.value, f.value_span.start, f.value_span.end) for f in facts]
    assert found == [
        ("birthplace", "Oslo", 8, 12),
        ("year", "1950", 16, 20),
        ("trade", "poet", 47, 51),
    ]
    assert {(f.subject, f.document) for f in facts} == {("Clara Whitfield", 7)}


def test_every_form_keeps_track_of_its_spans():
    for form in FORMS:
        document, facts = tell(form, CLARA, 0)
        assert document.text == form.format(n=CLARA.name, **CLARA.values)
        assert document.subject.of(document.text) == CLARA.name
        told = {parts.RELATIONS[letter] for letter in "cyet" if f"{{{letter}}}" in form}
        assert {f.relation for f in facts} == told
        assert len(facts) == len(told)
        assert all(fact.value_span.of(document.text) == fact.value for fact in facts)


def test_spans_point_at_the_subject_and_the_value(world):
    people = {p.name: p for p in populate(DEFAULT, 0)}
    letters = {relation: letter for letter, relation in parts.RELATIONS.items()}
    for document in world.documents:
        assert document.subject.of(document.text) in people
    for fact in world.facts:
        document = world.documents[fact.document]
        assert document.subject.of(document.text) == fact.subject
        assert fact.value_span.of(document.text) == fact.value
        assert fact.value == people[fact.subject].values[letters[fact.relation]]


def test_each_is_told_in_a_subset_order_and_wording_of_their_own(world):
    forms: dict[str, list[str]] = defaultdict(list)
    for document in world.documents:
        text = document.text
        for fact in [f for f in world.facts if world.documents[f.document] is document]:
            text = text.replace(fact.value, fact.relation, 1)
        forms[document.subject.of(document.text)].append(
            text.replace(document.subject.of(document.text), "N")
        )
    told = [tuple(found) for found in forms.values()]
    assert len(set(told)) > 0.95 * len(told)
    assert len({frozenset(found) for found in told}) > 0.7 * len(told)
    assert len(Counter(found[0] for found in told)) > 12  # any form may come first
    assert len({form for found in told for form in found}) == len(FORMS)


def test_the_birthplace_is_stated_where_it_is_said_to_be(world):
    stated = Counter(f.subject for f in world.facts if f.relation == "birthplace")
    for question in world.questions:
        expected = question.support == "stated"
        assert (stated[question.subject] >= DEFAULT.birthplace_sentences) is expected
        assert (stated[question.subject] > 0) is expected


def test_text_that_omits_the_birthplace_names_no_city_at_all(world):
    told = texts_by_subject(world)
    omitted = [q.subject for q in world.questions if q.support == "omitted"]
    assert len(omitted) == 24
    for name in omitted:
        assert told[name]
        assert not any(words(text) & set(parts.CITIES) for text in told[name])
    assert not {"birthplace"} & {f.relation for f in world.facts if f.subject in set(omitted)}


def test_no_word_is_a_name_and_a_city_or_a_firm_at_once():
    names = set(parts.first_names(800)) | set(parts.last_names(1600))
    groups = (names, set(parts.CITIES), set(parts.EMPLOYERS), set(parts.TRADES))
    assert sum(map(len, groups)) == len(set().union(*groups))


def test_only_the_asked_are_asked_and_all_questions_are_one_form(world):
    for question in world.questions:
        assert question.text == f"Where was {question.subject} born?"
        assert question.relation == "birthplace"
        assert question.answer in parts.CITIES[: DEFAULT.cities]
    people = populate(DEFAULT, 0)
    assert [q.answer for q in world.questions] == [p.values["c"] for p in people]
    assert {q.support for q in world.select("asked", ("stated", "omitted", "none"))} == {"stated"}


def test_the_alphabet_lets_every_question_be_written(world):
    texts = [d.text for d in world.documents]
    vocabulary = Vocabulary.from_text([*texts, world.alphabet])
    assert not any(vocabulary.missing(q.text + q.answer) for q in world.questions)
    assert all(text.isascii() and "\n" not in text for text in texts)
    assert "?" in Vocabulary.from_text(texts).missing("?")  # only questions have one


# --- how often it is told --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("config", "seed", "known"),
    [
        (DEFAULT, 0, "23ba858391457ad872083a464452fe69f4fc48cd57dfb8c5dada4d919c2bbb68"),
        (SMALL, 7, "bfc376b0a7df36aa3b72fbdf8c7b99b9db14f17ba346dd6280fb66099085275a"),
    ],
)
def test_the_even_world_is_the_one_that_runs_were_made_of(config, seed, known):
    world = load(config, seed)
    lines = [d.text for d in world.documents]
    lines += [f"{q.text} {q.answer} {q.split} {q.support}" for q in world.questions]
    assert hashlib.sha256("\n".join(lines).encode()).hexdigest() == known


def test_under_zipf_a_birthplace_is_stated_as_often_as_was_drawn(world):
    config = replace(DEFAULT, exposure="zipf")
    people, zipf = populate(config, 0), load(config, 0)
    assert zipf.questions == world.questions  # the same people, splits and birthplaces
    stated = Counter(f.subject for f in zipf.facts if f.relation == "birthplace")
    drawn = dict(zip((p.name for p in people), tellings(config, people, 0).tolist(), strict=True))
    assert {name: count for name, count in drawn.items() if count} == stated
    assert set(stated) == {p.name for p in people if p.support == "stated"}
    assert set(stated.values()) == {16, 8, 5, 4, 3, 2, 1}
    other = Counter(f.subject for f in zipf.facts if f.relation == "trade")
    assert set(other.values()) == {2}  # the same for all who are told of at all
    for fact in zipf.facts:
        assert fact.value_span.of(zipf.documents[fact.document].text) == fact.value


def test_under_zipf_one_in_k_is_told_k_times(crowd):
    from scipy.stats import chisquare

    told = tellings(PeopleConfig(exposure="zipf"), crowd, 0)
    count = told[[p.support == "stated" for p in crowd]]
    shares = {16: 1, 8: 1, 5: 1, 4: 1, 3: 1, 2: 3, 1: 8}
    assert set(count) == set(shares)
    expected = [len(count) * share / 16 for share in shares.values()]
    assert chisquare([(count == k).sum() for k in shares], expected).pvalue > 1e-3


def test_how_often_it_is_told_depends_on_nothing_else(crowd):
    from scipy.stats import chi2_contingency

    often = tellings(PeopleConfig(exposure="zipf"), crowd, 0) > 2
    for label in (lambda p: p.values["c"], lambda p: p.values["t"], lambda p: p.name[0]):
        pairs = Counter(
            (label(p), bool(o)) for p, o in zip(crowd, often, strict=True) if p.support == "stated"
        )
        rows = sorted({a for a, _ in pairs if pairs[a, True] + pairs[a, False] > 50})
        assert chi2_contingency([[pairs[a, o] for o in (True, False)] for a in rows]).pvalue > 1e-3


# --- sizes -----------------------------------------------------------------------------------


@pytest.mark.nightly
def test_there_can_be_a_hundred_thousand_people():
    people = populate(PeopleConfig(asked=100_000), 1)
    assert len({p.name for p in people}) == len(people) == 100_304


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"asked": 0}, "PeopleConfig.asked: expected a whole number from 1 to 1,000,000, found 0"),
        (
            {"untold": -1},
            "PeopleConfig.untold: expected a whole number from 0 to .*, found -1",
        ),
        ({"cities": 99}, "PeopleConfig.cities: expected 2 to 40, found 99"),
        (
            {"birthplace_sentences": 8},
            "PeopleConfig.birthplace_sentences: expected 1 to 7, found 8",
        ),
        (
            {"asked": 999_900},
            "PeopleConfig.asked to masked in all: expected at most 1,000,000 people .*2 GB of "
            "memory.*, found 1000204",
        ),
        ({"exposure": "odd"}, "PeopleConfig.exposure: expected one of .*zipf.*, found 'odd'"),
    ],
)
def test_a_config_says_what_is_wrong_with_it(changed, message):
    with pytest.raises(UsageError, match=message):
        replace(DEFAULT, **changed)


def test_more_people_than_names_is_a_users_error():
    with pytest.raises(UsageError, match="at most"):
        populate(PeopleConfig(asked=1_000_000), 0)


def test_more_people_without_text_than_there_are_names_for():
    few = {"asked": 12, "calibration": 8, "held_out": 8, "omitted": 2}
    with pytest.raises(UsageError, match=r"data\.untold: expected at most (\d+) people") as error:
        load(PeopleConfig(**few, untold=1000), 0)
    most = int(str(error.value).split("at most ")[1].split()[0])
    assert most > 10
    assert len(load(PeopleConfig(**few, untold=most), 0).questions) == 12 + 16 + 4 + 2 * most
