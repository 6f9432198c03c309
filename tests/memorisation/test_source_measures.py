"""The figures about the source predictor: by hand, and what is said of them."""

from dataclasses import replace

import numpy as np
import pytest

from wherefrom.memorisation.counterfactual import CounterfactualMemorisation
from wherefrom.memorisation.source_measures import PredictedSources, measure_source

ALL = np.ones(80, dtype=bool)


def sources(recalled: np.ndarray, predicted: np.ndarray, **more: np.ndarray) -> PredictedSources:
    """Answers about people with text; m is 0.9 where the answer is recalled, else 0.1."""
    n = recalled.size
    with_text = np.where(recalled, 0.95, 0.15)
    by_pair = np.tile(np.where(recalled, 0.9, 0.1), (2, 1))
    memorisation = CounterfactualMemorisation(with_text, np.full(n, 0.05), 4, by_pair)
    usual = {"supported": np.ones(n, bool), "probability": np.full(n, 0.5)}
    return PredictedSources(memorisation, np.ones(n, bool), predicted, **{**usual, **more})


def noisy(recalled: np.ndarray, noise: float, seed: int = 0) -> np.ndarray:
    value = recalled + noise * np.random.default_rng(seed).normal(size=recalled.size)
    return np.clip(value, 0.001, 0.999)


@pytest.fixture
def recalled() -> np.ndarray:
    return np.arange(80) % 4 > 0


def test_a_small_example_by_hand():
    """Five answers: one without text, one without an m; the text supports the first three."""
    predicted = np.array([0.9, 0.4, 0.6, 0.2, 0.7])
    with_text, without = np.array([0.9, 0.9, 0.3, 0.1, np.nan]), np.array([0.1, 0.1, 0.2, 0.1, 0.1])
    memorisation = CounterfactualMemorisation(with_text, without, 2, np.zeros((1, 5)))
    found = measure_source(
        PredictedSources(
            memorisation=memorisation,
            has_text=np.array([True, True, True, False, True]),
            predicted=predicted,
            probability=np.array([0.9, 0.8, 0.1, 0.5, 0.5]),
            confidence=np.array([0.1, 0.2, 0.9, 0.5, 0.5]),
            supported=np.array([True, True, True, False, False]),
        ),
        np.ones(5, bool),
    )
    assert found.evidence.value == 0.75, "the third is supported and not recalled"
    assert (found.auroc.value, found.auroc.n) == (0.75, 4)
    assert (found.auroc_with_text.value, found.auroc_with_text.n) == (0.5, 3)
    assert found.agreement.value == 0.5  # the second and the third are called otherwise
    assert found.recalled_share.value == 0.5
    assert (found.constant.value, found.constant.details) == (0.5, {"label": "guessed"})
    assert found.gain.value == -0.25, "against the evidence"
    assert found.probability_alone.auroc.value == 1.0
    assert found.probability_alone.gain.value == -0.5
    assert found.confidence_alone.auroc.value == 0.0
    assert found.reliability is None, "one pair of models cannot be compared with another"
    assert found.pairs_agree is None
    assert found.spearman is None


def test_it_is_compared_with_the_better_of_the_two_scores_that_cost_nothing(recalled):
    score, weak = noisy(recalled, 0.7), noisy(recalled, 5.0, 2)
    for predicted, probability, confidence, said in (
        (score, weak, weak, "the predictor separates recalled from guessed better than the "),
        (score, weak, score**2, "the predictor is not shown to be better than the confidence al"),
        (
            weak,
            score,
            weak,
            "the predictor is worse than the model's own probability alone, so use",
        ),
    ):
        given = sources(recalled, predicted, probability=probability, confidence=confidence)
        line = measure_source(given, ALL).in_words[0]
        assert line.startswith(said)
        assert "among 80 answers about people with text, difference " in line


def test_it_is_compared_with_the_evidence(recalled):
    """Three in four are recalled, the text supports all, and the predictor calls all recalled."""
    found = measure_source(sources(recalled, 0.6 + 0.3 * recalled), ALL)
    assert found.in_words[-1] == (
        "the predictor is no better than the evidence alone: 75.0 % of its labels are right; "
        "'recalled' where the text supports the answer would be right for 75.0 %"
    )
    found = measure_source(sources(recalled, noisy(recalled, 0.1)), ALL)
    assert found.in_words[-1].startswith("the predictor is better than the evidence alone: 100.0 %")


def test_if_every_answer_has_one_label_nothing_can_be_ranked():
    guessed = np.zeros(30, bool)
    found = measure_source(sources(guessed, np.full(30, 0.2)), np.ones(30, bool))
    assert found.auroc is None
    assert found.probability_alone is None


def test_rough_labels_are_called_rough(recalled):
    """Pairs that agree by chance alone, and one pair, which nothing can be said of."""
    found = sources(recalled, noisy(recalled, 0.2))
    chance = np.random.default_rng(0).random((2, 80))
    rough = replace(found, memorisation=replace(found.memorisation, m_by_pair=chance))
    measured = measure_source(rough, ALL)
    assert "the labels are rough: halves of the 2 pairs agree with a kappa" in measured.in_words[-1]
    assert measured.in_words[-1].endswith("; more pairs give better labels (--pairs)")
    single = replace(found, memorisation=replace(found.memorisation, m_by_pair=chance[:1]))
    measured = measure_source(single, ALL)
    assert measured.in_words[-1].startswith("the labels come from one pair of models")
