"""Stretches of a text that stand in the training text."""

from wherefrom.evaluation.text.verbatim import Verbatim, find_verbatim, one_line


def test_text_of_the_training_text_is_found():
    words = " ".join(f"word{i}" for i in range(100))
    assert find_verbatim(words, f"before {words} after") == Verbatim(11, 11)
    assert find_verbatim(words.upper(), words) == Verbatim(0, 11)
    assert find_verbatim("too short", "too short a text") == Verbatim(0, 0)
    short = "To be, or not to be: that is"
    assert find_verbatim(short, f"He says: {short}") == Verbatim(1, 1)
    assert find_verbatim(short, short.lower()) == Verbatim(0, 1)
    assert find_verbatim(short[:20], short) == Verbatim(1, 1)
    assert find_verbatim(short[:18], short) == Verbatim(0, 0)
    assert find_verbatim("UUUNKKK the UUUNKKK .", "", "UUUNKKK").windows == 0
    assert find_verbatim("UUUNKKK " * 20, "UUUNKKK " * 50, "UUUNKKK").windows == 0
    assert find_verbatim("UUUNKKK " * 20, "UUUNKKK " * 50).found == 2  # a word like any other
    assert find_verbatim(words * 200, "").windows == 1000
    assert find_verbatim(words.replace(" ", "\n"), one_line(f"{words}\n")).found == 11
