"""What is paid for a text, with models whose probabilities are known."""

import math

import numpy as np
import pytest

from tests.support.made_up import Unmoved
from wherefrom.core.errors import BadData
from wherefrom.core.vocabulary import Alphabet, Vocabulary
from wherefrom.core.words import BEGIN, END, WordForms, WordVocabulary
from wherefrom.evaluation.text.charges import BYTE, where
from wherefrom.evaluation.text.readings import CharacterReader, WordReader
from wherefrom.evaluation.text.treebank_tokens import one_a_line
from wherefrom.generation.text_scorer import TextScorer

UNKNOWN = "<unk>"
FORMS = WordForms(UNKNOWN, digit="DG")
WORDS = WordVocabulary((BEGIN, END, UNKNOWN, "the", "cat", "DGDG", "."), forms=FORMS)
SHARES = np.array([0.0, 0.1, 0.2, 0.3, 0.25, 0.05, 0.1])


class FixedWords:
    def log_probabilities(self, text):
        return np.log(SHARES[text[:, 1]])


def characters(letters: str, shares: list[float]) -> CharacterReader:
    model = Unmoved([math.log(share) for share in shares], 8)
    return CharacterReader(TextScorer(model, Alphabet(tuple(letters))))


@pytest.mark.parametrize("before", ["\n", " "])
def test_every_character_is_scored_the_first_as_one_that_begins_a_line_or_a_word(before):
    shares = {"a": 0.5, "b": 0.25, before: 0.25}
    found = characters("".join(shares), list(shares.values())).read("abbaabab" * 4)
    assert "".join(found.pieces) == "abbaabab" * 4
    np.testing.assert_allclose(found.nats, [-math.log(shares[c]) for c in found.pieces], rtol=1e-5)
    assert not found.charge.any()
    assert not found.unknown.any()


def test_without_line_ends_and_spaces_the_first_character_is_an_even_guess():
    found = characters("ab", [0.75, 0.25]).read("aab")
    np.testing.assert_allclose(found.nats, -np.log([0.5, 0.75, 0.25]), rtol=1e-5)


def test_what_a_text_costs_by_character_is_all_that_is_paid_for_it():
    found = characters("ab", [0.75, 0.25]).read("aáb€b")
    paid = found.cost_by_character(5)
    assert paid.shape == (5,)
    assert (paid > 0).all()
    assert paid.sum() == pytest.approx(found.nats.sum() + found.charge.sum())


def test_unknown_characters_are_folded_or_left_out_and_charged():
    found = characters("ab", [0.75, 0.25]).read("aáb€b")
    assert found.form == "aabb"
    assert found.pieces == ("a", "a", "b", "b", "€")
    assert list(found.starts) == [0, 1, 2, 4, 3]
    assert list(found.unknown) == [False, True, False, False, True]
    assert list(found.scored) == [True, True, True, True, False]
    each = where(2, 5) / 2  # which two of five they are, and their bytes
    assert found.charge == pytest.approx([0, each + 2 * BYTE, 0, 0, each + 3 * BYTE])
    assert found.nats[-1] == 0


def test_pad_and_mask_are_no_characters_of_a_text():
    vocabulary = Vocabulary.from_text(["ab"])
    reader = CharacterReader(TextScorer(Unmoved([0.0] * 4, 8), vocabulary))
    assert reader.read(f"a{vocabulary.characters[0]}b").form == "ab"


def test_a_character_that_is_folded_onto_two_is_charged_once():
    found = characters("ab-", [0.5, 0.25, 0.25]).read("a—b")
    assert found.pieces == ("a", "-", "-", "b")
    assert found.charge == pytest.approx([0, where(1, 3) + 3 * BYTE, 0, 0])
    first = characters("ab-", [0.5, 0.25, 0.25]).read("—b")
    assert first.charge == pytest.approx([where(1, 2) + 3 * BYTE, 0, 0])


def test_a_temperature_of_two_takes_the_root_of_the_probabilities():
    found = characters("ab", [0.9, 0.1]).at(2).read("aab")
    rest = math.sqrt(0.9) + math.sqrt(0.1)
    wanted = [-math.log(math.sqrt(p) / rest) for p in (0.9, 0.1)]
    np.testing.assert_allclose(found.nats[1:], wanted, rtol=1e-5)


def test_a_text_that_the_model_cannot_read_is_refused():
    with pytest.raises(BadData, match="characters that the model knows, found 1 among 3"):
        characters("ab", [0.5, 0.5]).read("a€€")


def test_words_and_ends_are_scored_and_unknown_ones_spelled_in_bytes():
    found = WordReader(FixedWords(), WORDS).read("The cat sat 12. Sat.")
    assert found.pieces == ("The", "cat", "sat", "12", ".", "", "Sat", ".", "")
    assert found.form == f"the cat {UNKNOWN} DGDG . {UNKNOWN} ."
    assert list(found.unknown) == [False, False, True, False, False, False, True, False, False]
    wanted = [0.3, 0.25, 0.2, 0.05, 0.1, 0.1, 0.2, 0.1, 0.1]
    np.testing.assert_allclose(found.nats, -np.log(wanted))
    charge = np.zeros(9)
    charge[[2, 6]] = 4 * BYTE  # three letters and an end
    charge[3] = 2 * math.log(10)
    np.testing.assert_allclose(found.charge, charge)
    assert found.scored.all()


def test_a_character_model_may_spell_the_unknown_words():
    letters = "\n .Tacehst12"
    speller = characters(letters, [1 / len(letters)] * len(letters))
    found = WordReader(FixedWords(), WORDS, spell=speller).read("The cat sat.")
    # Three letters and what follows them, each one of twelve.
    assert found.charge[2] == pytest.approx(4 * math.log(12), rel=1e-5)
    assert found.charge[[0, 1, 3, 4]].tolist() == [0, 0, 0, 0]
    first = WordReader(FixedWords(), WORDS, spell=speller).read("Sat the cat")
    assert first.charge[0] > 3 * math.log(12)  # S is unknown to both


def test_words_that_nobody_knows_are_refused_unless_lines_are_words():
    with pytest.raises(BadData, match="words that the model knows, found none among 2"):
        WordReader(FixedWords(), WORDS).read("dog bit")
    found = WordReader(FixedWords(), WORDS, one_a_line).read("the cat\nsat\n\nno dog")
    assert found.form == " ".join([UNKNOWN] * 3)
    assert len(found.nats) == 5
