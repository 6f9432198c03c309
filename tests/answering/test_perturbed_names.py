"""Perturbed names: each tier changes a name as it says, and none of them is somebody known."""

import unicodedata

import pytest

from wherefrom.answering.decoys import NovelNames
from wherefrom.answering.perturbed_names import (
    ACCENTED,
    INITIALS,
    MERGED,
    MISSPELT,
    PERTURBED,
    SWAPPED,
    TITLED,
    UNSEEN,
    WAYS,
    Writing,
    make_perturbed,
)
from wherefrom.core.contracts import Document

FIRST = ["Amos", "Clara", "Édith", "Bo", "Ingrid", "Jean-Luc", "Tomás", "Wu"]
LAST = ["Karlsson", "Whitfield", "O'Neil", "Li", "van den Berg", "Núñez", "Ferreira"]
NAMES = [f"{first} {last}" for first in FIRST for last in LAST] + ["Pelé", "Björk"]
LETTERS = set("".join(NAMES)) | set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.,-ö ")


def spells(name: str) -> bool:
    return set(name) <= LETTERS


@pytest.fixture(scope="module")
def tiers() -> dict[str, tuple[str, ...]]:
    return make_perturbed(NovelNames.of(NAMES, spells), 40)


def plain(text: str) -> str:
    apart = unicodedata.normalize("NFD", text)
    return "".join(c for c in apart if not unicodedata.combining(c))


def test_there_are_enough_of_each_and_nobody_is_known_or_twice(tiers):
    assert tuple(tiers) == PERTURBED
    everybody = [name for names in tiers.values() for name in names]
    assert len(everybody) == len(set(everybody))
    assert not set(everybody) & set(NAMES)
    assert all(len(names) == 40 for names in tiers.values())
    for tier in set(PERTURBED) - {ACCENTED, UNSEEN}:
        assert all(spells(name) for name in tiers[tier]), tier


def test_they_are_a_function_of_the_names(tiers):
    assert make_perturbed(NovelNames.of(reversed(NAMES), spells), 40) == tiers


def test_a_name_of_the_text_is_no_perturbed_one(tiers):
    typo = tiers[MISSPELT][0]
    told = NovelNames.of(NAMES, spells, documents=[Document(f"{typo} was born.")])
    for novel in (told, NovelNames.of(NAMES, spells, avoid=[typo])):
        assert typo not in make_perturbed(novel, 40)[MISSPELT]


@pytest.mark.parametrize(
    ("way", "first", "second"),
    [
        (0, "Bmos Li", "Abos Li"),
        (1, "mos Li", "Aos Li"),
        (2, "Aamos Li", "Ammos Li"),
        (3, "Maos Li", "Aoms Li"),
    ],
)
def test_the_four_slips_by_hand(way, first, second):
    """At the first of the six letters, which stays a capital, and at the second."""
    writing = Writing(("b",), spells, NAMES)
    for place, typo in ((0, first), (2**32 // 6 + 1, second)):
        assert list(WAYS[MISSPELT]("Amos Li", (way, place, 0, 0), writing)) == [typo]


def test_an_accent_that_the_model_has_read_is_the_first_choice():
    writing = Writing(("b",), spells, NAMES)
    assert spells(next(WAYS[ACCENTED]("Clara Moon", (0, 0, 0, 0), writing)))
    assert not spells(next(WAYS[ACCENTED]("Wm Brt", (0, 0, 0, 0), writing)))


def test_every_tier_differs_from_known_names_as_it_says(tiers):
    assert {plain(name) for name in tiers[ACCENTED]} <= {plain(name) for name in NAMES}
    assert any(name.isascii() for name in tiers[ACCENTED]), "some are taken away"
    assert any(not name.isascii() for name in tiers[ACCENTED]), "some are added"
    for name in tiers[SWAPPED]:
        words = name.replace(",", "").split()
        assert " ".join((*words[1:], words[0])) in NAMES
    for name in tiers[MERGED]:
        run_together = [n for n in NAMES if n.replace(" ", "", 1).lower() == name.lower()]
        joined = [n for n in NAMES if name.startswith((f"{n} ", f"{n}-"))]
        assert run_together or joined, name
    assert all(any(len(w.rstrip(".")) == 1 for w in name.split()) for name in tiers[INITIALS])
    assert all(name.split(" ", 1)[1] in NAMES for name in tiers[TITLED])
    for name in tiers[UNSEEN]:
        assert not spells(name)
        assert any(
            len(known) == len(name) and sum(a != b for a, b in zip(name, known, strict=True)) == 1
            for known in NAMES
        )
