"""Decoys: what they are made of, that they are new, and that they never change."""

import hashlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wherefrom.answering.decoys import (
    TIERS,
    DecoyNames,
    NovelNames,
    famous_people,
    make_tiers,
)
from wherefrom.core.errors import BadData
from wherefrom.core.vocabulary import Vocabulary
from wherefrom.data.people import PeopleConfig, load

ODD = (
    "José Bénazéraf", "Asa G. Yancey, Sr.", "Pierre Lecomte du Noüy", "John of Kronstadt",
    "A. G. E. Blake", "Jean-Luc O'Neil", "Elfie W%C3%B6rner", "Pelé", "Lasse Lintilä",
    "Jan Jakob Tønseth", "Robert E. Merriam", "Serdar Apaydın",
)  # fmt: skip


def length(names) -> np.ndarray:
    """A likelihood that can be matched: how many letters, and which."""
    return np.array([-len(name) - sum(map(ord, name)) / 1000 for name in names])


def novel(known, avoid=(), documents=()) -> NovelNames:
    return NovelNames.of(known, lambda _: True, avoid, documents)


@pytest.fixture(scope="module")
def world():
    return load(PeopleConfig(), 0)


@pytest.fixture(scope="module")
def known(world) -> list[str]:
    return sorted({d.subject.of(d.text) for d in world.documents})


@pytest.fixture(scope="module")
def made(world, known):
    vocabulary = Vocabulary.from_text([*(d.text for d in world.documents), world.alphabet])
    asked = [q.subject for q in world.questions]
    novel = NovelNames.of(known, lambda name: not vocabulary.missing(name), asked, world.documents)
    return make_tiers(novel, length, 200)


def test_there_are_two_hundred_of_each_and_they_are_out_of_corpus(made, world, known):
    assert {tier: len(names) for tier, names in made.items()} == dict.fromkeys(TIERS, 200)
    assert set(made["absent"]) <= set(famous_people()), "real people"
    assert all(len(name.split()) == 2 for name in made["absent"])  # as all names are here
    everything = "\n".join([d.text for d in world.documents] + [q.text for q in world.questions])
    whole = [name for tier in TIERS if tier != "shortened" for name in made[tier]]
    assert not [name for name in whole if name in everything]
    # Shortened names are the beginnings of known ones.
    begun = {name[:i] for name in known for i in range(2, len(name))}
    assert set(made["shortened"]) <= begun
    assert not set(made["shortened"]) & set(known)
    alone = sum(" " not in name for name in made["shortened"])
    assert 0 < alone < 200, "some are first names, and some are cut in their last word"


def test_single_words_cannot_be_recombined_and_are_scrambled():
    words = "Arno Beck Cole Dorn Eder".split()
    found = DecoyNames(novel(words), 24).of("Arno")
    assert len(set(found)) == 24
    assert not set(found) & set(words)
    assert {len(name) for name in found} == {4}


def test_decoys_share_a_part_and_are_out_of_corpus(known, world):
    avoid = [q.subject for q in world.questions]
    everything = "\n".join([*(d.text for d in world.documents), *avoid])
    decoys = DecoyNames(novel(known, avoid, world.documents), 24)
    for name in known[:20]:
        found = decoys.of(name)
        assert len(found) == len(set(found)) > 12
        first, last = name.split()
        shared = [(n.split()[0] == first, n.split()[1] == last) for n in found]
        assert set(shared) == {(True, False), (False, True)}
        assert not [n for n in found if n in everything]
        assert decoys.of(name) == found


def test_an_out_of_corpus_name_has_decoys_of_its_own_words_or_others(known, world):
    decoys = DecoyNames(novel(known, documents=world.documents), 8)
    for name in decoys.of("Zzyx Qwert"):
        assert ("Zzyx" in name) != ("Qwert" in name)
    assert all(" " in name and "Zzyx" not in name for name in decoys.of("Zzyx"))


def test_inventions_are_as_likely_as_known_names_and_have_a_new_word(made, known, stats):
    words = {word for name in known for word in name.split()}
    assert all(not words.issuperset(name.split()) for name in made["invented"])
    assert stats.ks_2samp(length(known), length(made["invented"])).statistic < 0.1


def test_the_lists_never_change(made):
    assert digest(made, *TIERS[:4]) == (
        "46bdf6274bd02288e27fb556817152d4235910c525037969f9c685f216c96e75"
    )
    assert digest(made, "shortened") == (
        "c3baff6a38464ff466c656954859740b9004b0cecb773c4b75dafd941ce58d4e"
    )


def digest(made, *tiers):
    return hashlib.sha256("\n".join(n for t in tiers for n in made[t]).encode()).hexdigest()


def test_neither_order_nor_repetition_of_the_known_matters(known):
    one = make_tiers(novel(known), length, 20)
    assert make_tiers(novel(list(reversed(known)) * 2), length, 20) == one
    with pytest.raises(BadData, match="expected known names to imitate, found none"):
        novel([])


def test_odd_names_keep_their_shape():
    made = make_tiers(NovelNames.of(ODD, lambda name: "%" not in name), length, 30)
    assert not {n.casefold() for n in ODD} & {n.casefold() for t in made.values() for n in t}
    heads = {name.split()[0] for name in (*ODD, "Elfie Wörner")}
    tails = {name.partition(" ")[2] for name in (*ODD, "Elfie Wörner")}
    assert all(n.split(" ", 1)[0] in heads for n in made["recombined"])
    assert all(n.split(" ", 1)[1] in tails for n in made["recombined"])
    assert any("," in name and name.endswith(".") for name in made["gibberish"])
    assert any("-" in name and "'" in name for name in made["gibberish"])
    assert all(len(made[tier]) == 30 for tier in TIERS if tier != "shortened")  # one a name
    assert 0 < len(made["shortened"]) <= len(ODD)
    assert len({len(name.split()) for name in made["absent"]}) > 1


@given(size=st.integers(1, 12), count=st.integers(1, 15))
@settings(max_examples=8, deadline=None)
def test_whatever_the_corpus_names_are_new_and_can_be_written(size, count):
    letters = set("".join(ODD)) - {"%"}
    known = NovelNames.of(ODD[:size], lambda name: letters.issuperset(name))
    made = make_tiers(known, length, count)
    names = [name for tier in made.values() for name in tier]
    assert len({name.casefold() for name in names}) == len(names)
    assert not {name.casefold() for name in names} & {name.casefold() for name in ODD[:size]}
    assert all(letters.issuperset(name) for name in names)
    assert all(len(tier) <= count for tier in made.values())
