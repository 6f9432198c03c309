"""Steps that change a text, and how much they say they changed, counted by hand."""

import math

import pytest

from wherefrom.core.errors import UsageError
from wherefrom.evaluation.text.charges import BYTE, where
from wherefrom.evaluation.text.preprocess import Changed, parse_steps, preprocess, spell_number


def apply(text: str, *steps: str, seen: str = "") -> Changed:
    return preprocess(text, steps, seen)


def test_lower_changes_capitals_only():
    found = apply("The KING, 1st", "lower")
    assert (found.text, found.changed) == ("the king, 1st", 5)
    assert found.undo == pytest.approx(-5 * math.log(5 / 13) - 8 * math.log(8 / 13))
    assert apply("ABCD", "lower") == Changed("abcd", 4, 0)  # all of them: nothing to tell


def test_ascii_folds_what_looks_alike_and_drops_the_rest():
    found = apply("Māori – 40 €", "ascii")
    assert (found.text, found.changed) == ("Maori - 40 ", 3)
    assert found.undo == pytest.approx(where(3, 12) + (2 + 3 + 3) * BYTE)


def test_wrapping_turns_spaces_into_line_ends():
    text = "one two three four"
    assert apply(text, "wrap8") == Changed("one two\nthree\nfour", 2)
    assert apply("one two", "wrap7") == Changed("one two", 0)
    assert apply("oneandtwo three", "wrap4") == Changed("oneandtwo\nthree", 1)
    assert apply("a b\nc d", "wrap3") == Changed("a b\nc d", 0)


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (0, "zero"), (13, "thirteen"), (20, "twenty"), (42, "forty-two"),
        (1350, "one thousand three hundred fifty"), (2_000_001, "two million one"),
    ],
)  # fmt: skip
def test_numbers_in_words(number, words):
    assert spell_number(number) == words


def test_numbers_are_spelled_where_they_stand():
    found = apply("in 1250, 30,000 or 4.5%", "spell-numbers")
    assert found.text == "in one thousand two hundred fifty, thirty thousand or four.five%"
    assert found.changed == 4 + 6 + 1 + 1
    assert apply("1" * 13, "spell-numbers").text == " ".join(["one"] * 13)


def test_a_chain_adds_up_what_its_steps_changed():
    found = apply("A1 b2", "lower", "drop-unseen", "wrap1", seen="ab ")
    assert (found.text, found.changed) == ("a\nb", 1 + 2 + 1)
    assert found.undo == pytest.approx(where(1, 5) + where(2, 5) + 2 * BYTE)


def test_names_are_checked():
    assert parse_steps("lower, wrap40") == ("lower", "wrap40")
    with pytest.raises(UsageError, match=r"preprocess lowr: .*did you mean 'lower'"):
        parse_steps("lowr")
    for bad in ("wrap", "wrap0", "wrapx", ""):
        with pytest.raises(UsageError, match="no such step"):
            parse_steps(bad)
