"""Which known names are offered for an unknown one, and which are not."""

import pytest

from wherefrom.answering.name_suggestions import NameSuggester, is_one_slip

NAMES = ["Amos Karlsson", "Amos Karlson", "Adam Whitfield", "Johann Sebastian Bach", "Li Wu",
         "Pelé"]  # fmt: skip


OFFERED = {
    "Amos Karlssen": ("Amos Karlsson", "Amos Karlson"),  # a letter
    "Karlsson Amos": ("Amos Karlsson",),  # the order
    "AmosKarlsson": ("Amos Karlsson", "Amos Karlson"),  # a space
    "Johann Bach": ("Johann Sebastian Bach",),  # a middle name
    "Johann S Sebastian Bach": ("Johann Sebastian Bach",),
    "Clara Whitfield": (),  # another person of the family
    "Amos Whitfield": (),
    "Karlsson": (),  # a word that several share
    "Xqzw Vvkk": (),
    "": (),
    "Lj Wu": ("Li Wu",),  # a letter of two
    "Il Wu": ("Li Wu",),  # two letters exchanged
    "Lí Wú": ("Li Wu",),  # accents
    "Wu, Li": ("Li Wu",),
    "LiWu": ("Li Wu",),
    "A. Whitfield": ("Adam Whitfield",),
    "Adam W.": ("Adam Whitfield",),
    "J. S. Bach": ("Johann Sebastian Bach",),
    "J. Bach": ("Johann Sebastian Bach",),
    "C. Whitfield": (),  # another initial
    "Dr. Li Wu": ("Li Wu",),
    "Аdam Whitfield": ("Adam Whitfield",),  # the first letter is Cyrillic
    "Adam": (),
    "Sir Pele": ("Pelé",),  # a title before a single word
}


@pytest.mark.parametrize(("typed", "offered"), OFFERED.items())
def test_what_is_offered(typed, offered):
    assert NameSuggester(NAMES).suggest(typed) == offered


def test_no_more_than_three_are_offered_and_equals_in_order():
    crowd = [f"Amos Karlsson {letter}" for letter in "fedcba"]
    offered = tuple(f"Amos Karlsson {letter}" for letter in "abc")
    assert NameSuggester(crowd).suggest("Amos Karlsson x") == offered
    # The closest is found among many longer names that share more of it.
    crowd = [f"Jo Lii Karlsson {i}" for i in range(200)]
    assert NameSuggester([*crowd, "Jo Li"]).suggest("Jo Lii")[0] == "Jo Li"


def slips(word):
    """Every word that is one slip away, by brute force."""
    letters = "abc"
    for i in range(len(word) + 1):
        for c in letters:
            yield word[:i] + c + word[i:]
            yield word[:i] + c + word[i + 1 :]
        yield word[:i] + word[i + 1 :]
        yield word[:i] + word[i : i + 2][::-1] + word[i + 2 :]


def test_a_slip_is_one_letter_replaced_added_dropped_or_exchanged():
    from itertools import product

    words = ["".join(letters) for n in (3, 4, 5) for letters in product("abc", repeat=n)]
    for word in ("abca", "aabb", "cab"):
        near = {other for other in slips(word) if len(other) >= 3}
        for other in words:
            assert is_one_slip(word, other) == (other in near), (word, other)
