"""Plain codes, by hand."""

import math

import pytest

from wherefrom.core.words import WordForms
from wherefrom.evaluation.text.charges import BYTE, left_out, unsaid, where


def test_where_is_the_entropy_of_the_places():
    assert where(1, 2) == pytest.approx(2 * math.log(2))
    assert where(0, 5) == where(5, 5) == where(0, 0) == 0


def test_what_is_left_out_costs_its_place_and_its_bytes():
    assert left_out("", 10) == []
    assert left_out("ab", 2) == [BYTE, BYTE]  # all of it: where needs no telling
    assert left_out("aā", 4) == pytest.approx([2 * math.log(2) + b * BYTE for b in (1, 2)])


def test_a_form_leaves_letters_or_digits_unsaid():
    forms = WordForms(unknown="UUUNKKK", digit="DG")
    assert unsaid("The", "the", forms) == 0
    assert unsaid("Zoë", "UUUNKKK", forms) == 5 * BYTE  # its four bytes and what ends it
    assert unsaid("1,234.5", "DGDGDGDG.DG", forms) == pytest.approx(5 * math.log(10))
    assert unsaid("DGDG", "dgdg", forms) == 0  # a word like any other
    assert unsaid("UUUNKKK", "UUUNKKK", None) == 0  # without forms, words are what they are
