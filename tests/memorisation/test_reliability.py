"""The reliability of labels: by hand, by definition, and where the true m is known."""

import numpy as np
import pytest

from wherefrom.evaluation.selective import auroc
from wherefrom.memorisation.reliability import find_ceiling, mean_kappa, measure_reliability


def world(pairs: int, n: int, noise: float, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """The true m of n answers, and what each pair measures of it."""
    chance = np.random.default_rng(seed)
    true = chance.uniform(0, 1, n)
    return true, true + noise * chance.normal(size=(pairs, n))


def kappa(one: np.ndarray, other: np.ndarray) -> float:
    """Cohen's: agreement beyond what labels of these frequencies would have by chance."""
    same = (one == other).mean()
    by_chance = sum((one == label).mean() * (other == label).mean() for label in (0, 1))
    return (same - by_chance) / (1 - by_chance)


def test_kappa_is_cohens():
    chance = np.random.default_rng(0)
    one, other = chance.random((3, 40)) < 0.7, chance.random((3, 40)) < 0.6
    other[0] = one[0]
    found = mean_kappa(one, other)
    each = [kappa(a, b) for a, b in zip(one, other, strict=True)]
    assert found.value == pytest.approx(np.mean(each))
    assert found.n == 40
    assert found.interval[0] < found.value < found.interval[1]


def test_labels_that_are_all_the_same_agree():
    same = np.ones((1, 9), dtype=bool)
    assert mean_kappa(same, same).value == 1
    assert mean_kappa(same, ~same).value == 0  # no better than chance, which is certain


def test_two_pairs_by_hand():
    """Of four answers the two pairs agree about three: recalled twice, guessed once."""
    m = np.array([[0.9, 0.8, 0.1, 0.7], [0.7, 0.9, 0.4, 0.3]])
    found = measure_reliability(m)
    assert found.pairs == 2
    assert found.pairs_agree.value == 0.75
    # Chance: 3/4 x 2/4 + 1/4 x 2/4 = 1/2; kappa = (3/4 - 1/2) / (1/2).
    assert found.kappa_of_pairs.value == pytest.approx(0.5)
    assert found.kappa_of_halves.value == pytest.approx(0.5)
    # The first pair's m against the second's labels: 0.9 and 0.8 above 0.1 and 0.7. The other way
    # round, 0.7 and 0.9 above 0.4, but not 0.3.
    assert found.auroc_of_halves.value == pytest.approx((1 + 2 / 3) / 2)
    # Ranks 4 3 1 2 and 3 4 2 1: 1 - 6 (1 + 1 + 1 + 1) / (4 x 15).
    assert found.spearman_of_halves.value == pytest.approx(0.6)


def test_answers_without_an_m_are_left_out():
    _, m = world(3, 30, 0.2)
    more = np.hstack((m, np.full((3, 5), np.nan)))
    assert measure_reliability(more) == measure_reliability(m)


def test_one_pair_cannot_be_compared():
    assert measure_reliability(np.zeros((1, 5))) is None
    assert measure_reliability(np.zeros((0, 5))) is None
    assert measure_reliability(np.full((2, 5), np.nan)) is None


@pytest.mark.parametrize(("pairs", "within"), [(4, 0.012), (8, 0.02)])
def test_the_ceiling_is_what_the_true_m_reaches(pairs: int, within: float):
    """Over many worlds whose true m is known, the mean of the one is the mean of the other."""
    reached, promised = [], []
    for seed in range(12):
        true, m = world(pairs, 1000, 0.7, seed)
        area, ceiling = auroc(true, m.mean(0) > 0.5), find_ceiling(m, simulations=40)
        reached.append(area.value)
        promised.append(ceiling.value)
    assert np.mean(promised) == pytest.approx(np.mean(reached), abs=within)


def test_without_noise_the_ceiling_is_1():
    _, m = world(4, 50, 0.0)
    found = find_ceiling(m)
    assert (found.value, found.interval) == (1.0, (1.0, 1.0))
    assert find_ceiling(m[:3]) is None, "too few pairs to tell"
    assert find_ceiling(np.zeros((4, 5))) is None, "nothing is recalled in any simulation"
