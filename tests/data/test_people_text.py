"""What is made when it is read is what was made at once."""

from dataclasses import replace

import pytest

from wherefrom.core.contracts import Dataset
from wherefrom.data import people
from wherefrom.data import people_parts as parts
from wherefrom.data.people import PeopleConfig, load
from wherefrom.data.people_text import Form, Sentences

SMALL = PeopleConfig(asked=30, calibration=7, held_out=5, omitted=3, untold=6, masked=4)
CONFIGS = [SMALL, replace(SMALL, exposure="zipf"), replace(SMALL, birthplace_sentences=7, cities=5)]


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


@pytest.mark.parametrize("config", CONFIGS)
def test_its_questions_are_found_by_their_split(config, monkeypatch):
    small, large = load(config, 3), load_large(config, 3, monkeypatch)
    assert tuple(large.asked) == small.asked
    assert large.answer_room == small.answer_room
    for split in ("asked", "calibration", "held-out", "masked", "unanswered"):
        for support in (("stated",), ("omitted", "none"), ("unknown",), ()):
            assert large.select(split, support) == small.select(split, support)


@pytest.mark.parametrize("config", CONFIGS)
@pytest.mark.parametrize("seed", [0, 1])
def test_its_letters_are_those_of_its_text(config, seed, monkeypatch):
    large = load_large(config, seed, monkeypatch)
    assert isinstance(large.documents, Sentences)
    assert large.documents.letters == {c for d in large.documents for c in d.text}


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


def test_a_sentence_alone_is_the_one_with_its_facts():
    values = {"n": "Clara Whitfield", "c": "Oslo", "y": "1950", "e": "Kestrel", "t": "poet"}
    for form in map(Form.of, parts.FORMS):
        assert form.write(values) == form.fill(values, 0)[0]


def test_there_are_names_for_a_million_people():
    firsts, lasts = parts.first_names(2237), parts.last_names(4474)
    assert len(set(firsts)) == 2237
    assert len(set(lasts)) == 4474
    assert len(firsts) * len(lasts) * 0.1 > 1_000_000
    assert all(name.istitle() and name.isalpha() for name in (*firsts, *lasts))
    assert not set(firsts + lasts) & {*parts.CITIES, *parts.EMPLOYERS, *parts.TRADES}
    assert parts.first_names(50) == firsts[:50], "a larger world only takes more of them"
