"""The homework's spelling of unknown words and numbers, and lists of words that have it."""

import pytest

from wherefrom.core.words import BEGIN, END
from wherefrom.data.word_forms import HOMEWORK, reopen_vocabulary

KNOWN = frozenset({"the", "DG", "DGDGDGDG", "DGDG.DG", "7", "UUUNKKK"})


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("The", "the"),
        ("7", "7"),
        ("8", "DG"),
        ("1,234", "DGDGDGDG"),
        ("12.5", "DGDG.DG"),
        ("1970s", "UUUNKKK"),
        ("Aardvark", "UUUNKKK"),
        ("UUUNKKK", "UUUNKKK"),
    ],
)
def test_the_homeworks_form_of_a_word(word, expected):
    assert HOMEWORK.canonical(word, KNOWN) == expected


def test_a_list_with_the_homeworks_unknown_word_has_its_forms():
    """Run folders keep the words alone; those of the homework's text know their unknown word."""
    found = reopen_vocabulary([BEGIN, "the", "UUUNKKK", END])
    assert (found.forms, found.unknown) == (HOMEWORK, 2)
    assert reopen_vocabulary([BEGIN, END, "the", "<unk>"]).unknown is None
