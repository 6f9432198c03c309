import pytest
from hypothesis import given
from hypothesis import strategies as st

from wherefrom.core.errors import BadData
from wherefrom.core.words import BEGIN, BEGIN_ID, END, END_ID, WordVocabulary

WORDS = st.lists(st.text("abcdé'-.", min_size=1))


@given(st.lists(WORDS))
def test_texts_come_back_from_their_numbers(sentences):
    texts = [" ".join(words) for words in sentences]
    vocabulary = WordVocabulary.from_text(texts)
    for text in texts:
        ids = vocabulary.encode(text)
        assert vocabulary.decode(ids) == text
        assert all(END_ID < i < len(vocabulary) for i in ids)


def test_the_marks_come_first_then_words_in_order():
    vocabulary = WordVocabulary.from_text(["the cat", "a  cat\n"])
    assert vocabulary.words == (BEGIN, END, "a", "cat", "the")
    assert vocabulary.encode(" the cat ") == [4, 3]
    assert vocabulary.decode([BEGIN_ID, 4, END_ID]) == "<s> the </s>"


def test_unknown_words_are_named_each_once_in_order():
    vocabulary = WordVocabulary.from_text(["the cat"])
    assert vocabulary.missing("the dog saw the dog") == ["dog", "saw"]
    with pytest.raises(BadData, match=r"found 'dog', 'saw'; the model"):
        vocabulary.encode("the dog saw the dog")


@pytest.mark.parametrize("mark", [BEGIN, END])
def test_a_mark_in_a_text_is_refused(mark):
    with pytest.raises(BadData, match=f"no word {mark}"):
        WordVocabulary.from_text(["the cat", f"the {mark}"])
    with pytest.raises(BadData, match=f"found '{mark}'"):
        WordVocabulary.from_text(["the cat"]).encode(f"the {mark} cat")


@pytest.mark.parametrize(
    ("words", "message"), [(("a",), "begin with <s>"), ((BEGIN, END, "a", "a"), "once")]
)
def test_a_list_that_is_no_vocabulary_is_refused(words, message):
    with pytest.raises(BadData, match=message):
        WordVocabulary(words)


def test_equal_when_the_words_are_and_not_otherwise():
    here, there = WordVocabulary.from_text(["a b"]), WordVocabulary.from_text(["b", "a a"])
    assert here == there
    assert here.hash == there.hash != WordVocabulary.from_text(["ab"]).hash
