"""The homework's spelling of unknown words and numbers, and lists of words that have it."""

from wherefrom.core.words import BEGIN, END
from wherefrom.data.word_forms import HOMEWORK, reopen_vocabulary


def test_a_list_with_the_homeworks_unknown_word_has_its_forms():
    """Run folders keep the words alone; those of the homework's text know their unknown word."""
    found = reopen_vocabulary([BEGIN, "the", "UUUNKKK", END])
    assert (found.forms, found.unknown) == (HOMEWORK, 2)
    assert HOMEWORK.canonical("1,234.5", {"DGDGDGDG.DG"}) == "DGDGDGDG.DG"
    assert reopen_vocabulary([BEGIN, END, "the", "<unk>"]).unknown is None
