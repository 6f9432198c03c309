"""Which known names are offered for an unknown one, and which are not."""

import pytest

from wherefrom.answering.name_suggestions import NameSuggester, similarity

NAMES = ["Amos Karlsson", "Amos Karlson", "Adam Whitfield", "Johann Sebastian Bach", "Li Wu"]


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("Amos Karlssen", ("Amos Karlsson", "Amos Karlson")),  # a letter
        ("Amoz Karlsson", ("Amos Karlsson", "Amos Karlson")),  # in the first word
        ("Karlsson Amos", ("Amos Karlsson",)),  # the order
        ("AmosKarlsson", ("Amos Karlsson", "Amos Karlson")),  # a space
        ("Johann Bach", ("Johann Sebastian Bach",)),  # a middle name
        ("Johann S Sebastian Bach", ("Johann Sebastian Bach",)),
        ("Clara Whitfield", ()),  # another person of the family
        ("Amos Whitfield", ()),
        ("Karlsson", ()),  # a word that several share
        ("Xqzw Vvkk", ()),
        ("", ()),
    ],
)
def test_what_is_offered(typed, offered):
    assert NameSuggester(NAMES).suggest(typed) == offered


def test_no_more_than_three_are_offered_and_equals_in_order():
    crowd = [f"Amos Karlsson {letter}" for letter in "fedcba"]
    offered = tuple(f"Amos Karlsson {letter}" for letter in "abc")
    assert NameSuggester(crowd).suggest("Amos Karlsson x") == offered


def test_the_closest_is_found_among_many_longer_names_that_share_more_of_it():
    crowd = [f"Jo Lii Karlsson {i}" for i in range(200)]
    assert NameSuggester([*crowd, "Jo Li"]).suggest("Jo Lii")[0] == "Jo Li"


def test_nobody_is_offered_of_no_names():
    assert NameSuggester([]).suggest("Ada Lund") == ()


def test_a_name_is_itself():
    assert similarity("ada lund", "ada lund") == 1.0
