import numpy as np
import pytest

from wherefrom.core.bags import NO_WORD, BagVocabulary, split_words
from wherefrom.core.errors import BadData


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("It's GREAT, isn't it?!", "it 's great is n't it ? !"),
        ("I can't.<br /><br />They’re 10/10", "i ca n't they 're 10 10"),
        ("'The film', a well-made_one", "the film a well made one"),
        ("déjà vu\u2028again", "déjà vu again"),
    ],
)
def test_words_are_lower_case_and_split_as_word_vectors_have_them(text, words):
    assert split_words(text) == words.split()


def test_a_bag_has_the_words_that_are_known():
    vocabulary = BagVocabulary((NO_WORD, "good", "film"))
    found = vocabulary.encode("A good, GOOD film")
    assert found.tolist() == [1, 1, 2]
    assert vocabulary.encode("A good, GOOD film") is found  # it is read once
    assert vocabulary.decode(found.tolist()) == ["good", "good", "film"]
    assert vocabulary.encode("nothing").tolist() == []
    assert "film" in vocabulary
    assert "nothing" not in vocabulary


def test_a_vocabulary_is_known_by_its_words_in_order():
    one = BagVocabulary((NO_WORD, "a", "b"), np.zeros((3, 2)))
    assert one.hash == BagVocabulary((NO_WORD, "a", "b")).hash
    assert one.hash != BagVocabulary((NO_WORD, "b", "a")).hash
    with pytest.raises(BadData, match="first place"):
        BagVocabulary(("a", "b"))
    with pytest.raises(BadData, match="repetition"):
        BagVocabulary((NO_WORD, "a", "a"))
