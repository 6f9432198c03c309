"""Many texts at once are encoded as one after the other."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wherefrom.core.errors import BadData
from wherefrom.core.vocabulary import Vocabulary
from wherefrom.objectives.encoder import Encoder

LETTERS = st.text("ab cé😀\U0010ffff", max_size=8)


@given(st.lists(LETTERS, max_size=5))
def test_it_is_one_text_after_the_other(texts):
    vocabulary = Vocabulary.from_text(texts)
    expected = [number for text in texts for number in vocabulary.encode(text)]
    assert Encoder(vocabulary).encode(texts).tolist() == expected


@pytest.mark.parametrize("stranger", ["z", "é", "😀", "\0"])
def test_a_character_that_the_vocabulary_lacks_is_named(stranger):
    encoder = Encoder(Vocabulary.from_text(["abc"]))
    with pytest.raises(BadData, match=f"U\\+{ord(stranger):04X}"):
        encoder.encode(["ab", f"c{stranger}", "a"])
