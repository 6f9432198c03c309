import pytest
from hypothesis import given
from hypothesis import strategies as st

from wherefrom.core.errors import BadData
from wherefrom.core.words import BEGIN, END, WordForms, WordVocabulary

WORDS = st.lists(st.text("abcdé'-.", min_size=1))
FORMS = WordForms(unknown="<unk>", digit="#")


@given(st.lists(WORDS))
def test_texts_come_back_from_their_numbers(sentences):
    texts = [" ".join(words) for words in sentences]
    vocabulary = WordVocabulary.from_text(texts)
    for text in texts:
        ids = vocabulary.encode(text)
        assert vocabulary.decode(ids) == text
        assert all(vocabulary.end < i < len(vocabulary) for i in ids)


def test_the_marks_may_stand_anywhere():
    vocabulary = WordVocabulary(("the", "<unk>", END, "cat", BEGIN), forms=FORMS)
    assert (vocabulary.begin, vocabulary.end, vocabulary.unknown) == (4, 2, 1)
    expected = [[4, 0], [0, 3], [3, 2], [4, 2], [4, 1], [1, 2]]
    assert vocabulary.bigrams(["the cat", "", "<unk>"]).tolist() == expected


KNOWN = frozenset({"the", "#", "####", "##.#", "1980s", "7", "--", "#/#", "<unk>"})


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("The", "the"),
        ("7", "7"),  # it is in the vocabulary as it is
        ("1,234", "####"),
        ("12.5", "##.#"),
        ("1970s", "<unk>"),  # it has a letter
        ("$12", "<unk>"),  # no such shape
        ("Aardvark", "<unk>"),
        ("<unk>", "<unk>"),
    ],
)
def test_the_listed_form_of_a_word(word, expected):
    assert FORMS.canonical(word, KNOWN) == expected


def test_the_unknown_word_is_the_one_that_the_forms_name_and_must_be_listed():
    """A list that has such a word means nothing by it unless it is told to."""
    words = (BEGIN, END, "<unk>", "a")
    assert WordVocabulary(words).unknown is None
    assert WordVocabulary(words, forms=FORMS).unknown == 2
    assert WordVocabulary(words, forms=FORMS) == WordVocabulary(words)
    with pytest.raises(BadData, match="expected <unk>, which stands for unknown words"):
        WordVocabulary((BEGIN, END, "a"), forms=FORMS)


def test_unknown_words_are_named_each_once_in_order():
    vocabulary = WordVocabulary.from_text(["the cat"])
    assert vocabulary.missing("the dog saw the dog") == ["dog", "saw"]
    with pytest.raises(BadData, match=r"found 'dog', 'saw'; the model has never seen them"):
        vocabulary.encode("the dog saw the dog")
    with pytest.raises(BadData, match=r"found 'dog'; the model has never seen it"):
        vocabulary.encode("the dog")


@pytest.mark.parametrize("mark", [BEGIN, END])
def test_a_mark_in_a_text_is_refused(mark):
    with pytest.raises(BadData, match=f"no word {mark}"):
        WordVocabulary.from_text(["the cat", f"the {mark}"])
    with pytest.raises(BadData, match=f"found '{mark}'"):
        WordVocabulary.from_text(["the cat"]).encode(f"the {mark} cat")


@pytest.mark.parametrize(
    ("words", "message"),
    [(("a",), "found no <s>"), (("a", BEGIN), "found no </s>"), ((BEGIN, END, "a", "a"), "once")],
)
def test_a_list_that_is_no_vocabulary_is_refused(words, message):
    with pytest.raises(BadData, match=message):
        WordVocabulary(words)
