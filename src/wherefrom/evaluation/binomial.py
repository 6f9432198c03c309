"""Binomial tails: how likely few wrong answers are, if each is wrong with a given chance."""

import math

import numpy as np


def binomial_tail(n: int, chance: float, most: int) -> np.ndarray:
    """P(Bin(n, chance) <= k) for k from 0 to `most`."""
    chance = min(max(chance, 1e-300), 1 - 1e-16)
    k = np.arange(1, min(most, n) + 1)
    ratios = np.log((n - k + 1) / k) + math.log(chance) - math.log1p(-chance)
    terms = n * math.log1p(-chance) + np.append(0.0, np.cumsum(ratios))
    return np.minimum(np.cumsum(np.exp(terms)), 1.0)
