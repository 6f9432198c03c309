"""Causes of an error, tested on a network whose answer can be computed by hand."""

import numpy as np
import pytest

from wherefrom.core.bags import NO_WORD, BagVocabulary
from wherefrom.experiments.comparing.causes import (
    CAUSES,
    CUT,
    count_causes,
    try_causes,
    words_to_flip,
)

SCORES = {
    "good": 3.0, "bad": -4.0, "film": 0.0, "not": -1.0, "great": 6.0, "!": 9.0, "boring": -5.0,
}  # fmt: skip
VOCABULARY = BagVocabulary((NO_WORD, *SCORES))
VALUES = np.array([0.0, *SCORES.values()])


def logits(bags):
    """The mean of the words' own scores."""
    return np.array([VALUES[bag].mean() if len(bag) else 0.0 for bag in bags])


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def tried(text, label):
    return {cause.cause: cause for cause in try_causes(text, label, VOCABULARY, logits)}


def test_every_cause_is_tried_and_what_is_not_there_changes_nothing():
    found = tried("good film", 1)
    assert list(found) == list(CAUSES)
    for cause in found.values():
        assert (cause.changed, cause.found, cause.flips, cause.explains) == (0, (), False, False)
        assert cause.after == cause.before == pytest.approx(sigmoid(1.5))
        assert cause.in_words() == f"{cause.cause}: none in the text"


def test_negations_are_left_out_alone_or_with_what_they_negate():
    found = tried("Not bad, a good film. Not boring; good.", 0)  # -1-4+3+0-1-5+3, wrongly negative
    negation = found["negation"]
    assert negation.before == pytest.approx(sigmoid(5 / 7))
    assert negation.after == pytest.approx(sigmoid(3 / 5))
    assert (negation.found, negation.changed, negation.flips) == (("not", "not"), 2, False)
    negated = found["negated words"]  # "not bad a good" and "not boring good" go; a film is left
    assert negated.found == ("not", "bad", "a", "good", "not", "boring", "good")
    assert (negated.changed, negated.after) == (6, 0.5)


def test_a_cause_explains_what_no_random_change_does():
    found = tried("good " * 30 + "not " * 50, 0)
    cause = found["negation"]  # 0.5 wrongly negative; without the negations +3
    assert cause.flips
    assert cause.explains
    assert cause.after == pytest.approx(sigmoid(-3))
    assert cause.after < cause.control[0] <= cause.control[1]
    assert cause.in_words().endswith("explains it")


def test_an_answer_that_flips_by_any_change_is_not_explained():
    """Without the negations, two words are left; some other two flip it as far."""
    cause = tried("great bad not not not", 0)["negation"]
    assert cause.after == pytest.approx(sigmoid(-1))
    assert cause.control[0] < cause.after < cause.control[1]
    assert (cause.flips, cause.explains) == (True, False)


def test_the_first_words_or_the_last_are_kept():
    cause = tried("good " * 60 + "bad " * 60, 0)[f"length, first {CUT}"]
    assert cause.flips
    assert cause.after == pytest.approx(sigmoid(-3))
    far = tried("bad " * 60 + "good " * 60, 0)[f"length, first {CUT}"]
    assert not far.flips
    assert far.after == pytest.approx(sigmoid(4))


def test_marks_of_irony_and_short_quotations_go():
    cause = tried('A "great" film! Boring.', 1)["irony"]
    assert set(cause.found) == {"!", "great"}
    assert cause.after == pytest.approx(sigmoid(-5 / 2))
    assert cause.flips


def test_an_unseen_word_becomes_the_known_one_that_begins_alike():
    cause = tried("greatest film xyzzyx", 0)["unseen words"]
    assert cause.found == ("greatest",)
    assert (cause.changed, cause.after) == (1, pytest.approx(sigmoid(-3)))
    assert cause.control == (0.5, 0.5)  # the only known word is "film": to add it moves nothing


def test_the_strongest_words_are_left_out_until_the_answer_flips():
    bag = VOCABULARY.encode("great good bad film")
    assert words_to_flip(bag, float(logits([bag])[0]), logits) == 1
    only = VOCABULARY.encode("good film")
    assert words_to_flip(only, 1.5, logits) is None


def test_several_errors_are_counted():
    errors = [
        try_causes(text, 0, VOCABULARY, logits)
        for text in ("good " * 30 + "not " * 50, "good bad", "not good film film film")
    ]
    negation, *others = count_causes(errors)
    assert negation == "negation: present in 2 of 3 errors, flips 2, explains 1"
    assert len(others) == len(CAUSES) - 1
