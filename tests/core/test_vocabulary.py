import pytest
from hypothesis import given
from hypothesis import strategies as st

from wherefrom.core.errors import BadData
from wherefrom.core.vocabulary import (
    _MASKS,
    _PADS,
    MASK,
    MASK_ID,
    PAD,
    PAD_ID,
    Alphabet,
    Vocabulary,
    read_characters,
)

TEXT = st.text(st.characters(exclude_characters=PAD + MASK, exclude_categories=["Cs"]))


@given(st.lists(TEXT))
def test_texts_come_back_from_their_numbers(texts):
    vocabulary = Vocabulary.from_text(texts)
    for text in texts:
        ids = vocabulary.encode(text)
        assert vocabulary.decode(ids) == text
        assert all(MASK_ID < i < len(vocabulary) for i in ids)


def test_missing_characters_are_named_each_once_in_order():
    vocabulary = Vocabulary.from_text(["abc"])
    assert vocabulary.missing("zaéz") == ["z", "é"]
    with pytest.raises(BadData, match=r"'zaéz': .*'z' \(U\+007A\), 'é' \(U\+00E9\)"):
        vocabulary.encode("zaéz")
    with pytest.raises(BadData, match=r"found 'z' \(U\+007A\); the model has never seen it$"):
        vocabulary.encode("zaz")


@pytest.mark.parametrize(("marks", "name"), [(_PADS, "pad"), (_MASKS, "mask")])
def test_a_text_that_leaves_no_mark_is_refused(marks, name):
    with pytest.raises(BadData, match=f"no {name} character"):
        Vocabulary.from_text(["fine", f"not{''.join(marks)}fine"])


@given(st.lists(st.text(f"ab{PAD}{MASK}\u25af\u2370\ue000\ue010")))
def test_other_marks_are_chosen_where_the_text_has_the_usual_ones(texts):
    vocabulary = Vocabulary.from_text(texts)
    seen = {c for text in texts for c in text}
    assert vocabulary.characters[2:] == tuple(sorted(seen))
    assert not seen & {*vocabulary.marks}
    assert (vocabulary.marks[PAD_ID] == PAD) == (PAD not in seen)
    assert (vocabulary.mask == MASK) == (MASK not in seen)
    for written in (vocabulary, Alphabet(("a", "b"))):
        assert read_characters(list(written.characters)) == written
    for mark in vocabulary.marks:
        with pytest.raises(BadData, match="as a marker"):
            vocabulary.refuse_marks(f"a{mark}")
    vocabulary.refuse_marks("".join(seen))


@pytest.mark.parametrize(
    ("characters", "message"),
    [(("a", "b"), "begin with pad"), ((), "begin with pad"), ((PAD, MASK, "a", "a"), "once")],
)
def test_a_list_that_is_no_vocabulary_is_refused(characters, message):
    with pytest.raises(BadData, match=message):
        Vocabulary(characters)
