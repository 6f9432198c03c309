"""Binomial tails: how likely few wrong answers are, if each is wrong with a given chance."""

import math

import numpy as np

_END = 0.025  # what may lie beyond either end of an exact interval
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


def exact_interval(right: int, n: int) -> tuple[float, float]:
    """Clopper and Pearson's interval of a share: it holds the truth in 95 % of all samples or more.

    It is wider than Wilson's (intervals.py), and right where a claim is tested: outside it, the
    truth is refuted.
    """
    return 1 - upper_bound(n - right, n, _END), upper_bound(right, n, _END)
