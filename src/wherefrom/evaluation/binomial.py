"""Binomial tails: how likely few wrong answers are, if each is wrong with a given chance."""

import math

import numpy as np

_HALVINGS = 30  # of the interval from 0 to 1: to nine digits


def binomial_tail(n: int, chance: float, most: int) -> np.ndarray:
    """P(Bin(n, chance) <= k) for k from 0 to `most`."""
    chance = min(max(chance, 1e-300), 1 - 1e-16)
    k = np.arange(1, min(most, n) + 1)
    ratios = np.log((n - k + 1) / k) + math.log(chance) - math.log1p(-chance)
    terms = n * math.log1p(-chance) + np.append(0.0, np.cumsum(ratios))
    return np.minimum(np.cumsum(np.exp(terms)), 1.0)


def upper_bound(wrong: int, n: int, delta: float) -> float:
    """The smallest chance at which so few wrong ones have a probability of at most delta.

    It is Clopper and Pearson's bound (1934): the chance exceeds it in a share delta of all samples
    at most.
    """
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        passes = binomial_tail(n, middle, wrong)[-1] <= delta
        low, high = (low, middle) if passes else (middle, high)
    return high
