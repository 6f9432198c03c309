"""Perplexities by hand: units, classes, gaps, and text that was trained on."""

import math

import numpy as np
import pytest

from wherefrom.core.contracts import Document
from wherefrom.core.errors import MissingInput
from wherefrom.core.vocabulary import Alphabet
from wherefrom.core.words import BEGIN, END, WordForms, WordVocabulary
from wherefrom.evaluation.text.readings import CharacterReader, Reading, WordReader
from wherefrom.evaluation.text.text_perplexity import (
    UNSEEN,
    Training,
    Wanted,
    class_of,
    explain_gap,
    explain_gaps,
    measure,
    measure_text,
)


class Halves:
    """Every character costs one bit, an x two."""

    vocabulary = Alphabet(tuple("abcx. \n"))
    overlap = 0.5

    def log_probabilities(self, text):
        return np.array([-math.log(2) * (2 if c == "x" else 1) for c in text[1:]])


READER = CharacterReader(Halves())  # pyright: ignore


def reading(pieces, nats, charge=0.0, unknown=False) -> Reading:
    count = len(pieces)
    return Reading(
        tuple(pieces), np.arange(count), np.array(nats, float), np.full(count, charge),
        np.full(count, unknown), np.ones(count, dtype=bool), "".join(pieces),
    )  # fmt: skip


def test_units_by_hand():
    found = measure(reading(["the", "cat", ""], [2.0, 3.0, 1.0], charge=1.0), 8, set("x"))
    assert found.perplexity == pytest.approx(math.exp(2))
    assert found.nats_per_target == 2
    assert found.bits_per_target == pytest.approx(2 / math.log(2))
    assert found.nats_per_character == 6 / 8
    assert found.bits_per_character == pytest.approx(0.75 / math.log(2))
    assert found.charged.nats_per_character == 9 / 8
    assert found.charged.perplexity == pytest.approx(math.exp(3))
    assert found.n == 3
    dear = measure(reading(["a", "b"], [1, 1], charge=1000.0), 2, set())
    assert dear.charged.perplexity is None, "no float holds it"
    assert dear.charged.nats_per_character == 1001


def test_classes_carry_their_share_of_the_loss():
    found = measure(reading(["a", "B", "1", ".", " ", "\n"], [1, 2, 3, 2, 1, 1]), 6, set("aB. \n"))
    shares = {name: part.share_of_loss for name, part in found.classes.items()}
    assert shares == pytest.approx({
        UNSEEN: 0.3, "capitals": 0.2, "punctuation": 0.2, "lower case": 0.1, "space": 0.1,
        "line end": 0.1,
    })  # fmt: skip
    assert next(iter(shares)) == UNSEEN
    assert sum(part.targets for part in found.classes.values()) == 6


@pytest.mark.parametrize(
    ("piece", "name"),
    [
        ("", "sentence end"), ("a", "lower case"), ("don't", "lower case"), ("Cat", "capitals"),
        ("12", "digits"), ("1,250", "digits"), ("--", "punctuation"), ("\t", "space"),
        ("\n", "line end"), ("'s", "lower case"), ("ā", "lower case"),
    ],
)  # fmt: skip
def test_classes_of_characters_and_words(piece, name):
    assert class_of(piece) == name


def test_the_parts_of_a_gap_add_up_to_it():
    first = measure(reading(["a", "a", "B"], [1, 1, 4]), 3, set("aB"))
    second = measure(reading(["a", "1"], [2, 6]), 2, set("aB"))
    gap = explain_gap(first, second)
    assert gap == pytest.approx({UNSEEN: 3.0, "capitals": -4 / 3, "lower case": 1 - 2 / 3})
    assert sum(gap.values()) == pytest.approx(4 - 2)
    assert next(iter(gap)) == UNSEEN
    every = explain_gaps({"one": first, "two": second, "three": first})
    assert every == {"two": gap, "three": dict.fromkeys(("capitals", "lower case"), 0.0)}
    assert explain_gaps({"one": first}) == {}


def test_a_text_and_its_changes_are_measured_in_both_units():
    training = Training.of([Document("abc ab. c"), Document("ab\n")], "character")
    wanted = Wanted((("drop-unseen",), ("drop-unseen", "wrap2")))
    found = measure_text(READER, "ab xc xa", training, wanted)
    assert found.n == found.characters == 8
    assert found.nats_per_target == pytest.approx(10 / 8 * math.log(2))
    assert found.nats_per_character == pytest.approx(10 / 8 * math.log(2))
    assert found.classes[UNSEEN].targets == 2
    dropped, wrapped = found.preprocessed
    assert (dropped.changed, dropped.characters_seen) == (2, 6)
    assert dropped.per_character_seen == pytest.approx(2)
    assert dropped.per_original_character == pytest.approx(2 ** (6 / 8))
    place = 8 * -(0.25 * math.log(0.25) + 0.75 * math.log(0.75))
    everything = 6 * math.log(2) + place + 2 * math.log(256)
    assert dropped.charged_per_original_character == pytest.approx(math.exp(everything / 8))
    assert wrapped.changed == 4
    assert wrapped.steps == ("drop-unseen", "wrap2")


def test_unseen_characters_are_those_that_the_model_does_not_read_as_seen_ones():
    """ā is read as a and stays; x is known but was never seen; nothing is read for €."""
    training = Training.of([Document("abc ab. c")], "character")
    as_it_is = measure_text(READER, "āb xāc€", training)
    found = measure_text(READER, "āb xāc€", training, Wanted((("drop-unseen",),)))
    (dropped,) = found.preprocessed
    assert (dropped.changed, dropped.characters_seen) == (2, 5)
    assert as_it_is.classes[UNSEEN].targets == 1
    assert dropped.per_character_seen == pytest.approx(2)


def test_unseen_characters_are_not_dropped_where_nobody_knows_them():
    wanted = Wanted((("lower", "drop-unseen"),))
    with pytest.raises(MissingInput, match="preprocess drop-unseen: expected the text that"):
        measure_text(READER, "ab", None, wanted)
    words = WordReader(
        READER.scorer, WordVocabulary((BEGIN, END, "?"), forms=WordForms("?", digit="#"))
    )
    both = Wanted((("lower",), ("lower", "drop-unseen")), (2.0,))
    assert both.fitting(words) == Wanted((("lower",),), (2.0,))
    assert both.fitting(READER) == both


def test_a_word_model_has_seen_every_character_and_its_training_text_is_one_line():
    training = Training.of([Document("the cat"), Document("sat\n. ")], "word")
    assert training.text == "the cat sat ."
    assert "€" in training.seen
    assert "€" not in Training.of([Document("the cat")], "character").seen
