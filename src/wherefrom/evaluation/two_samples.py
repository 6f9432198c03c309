"""Do two samples come from one population? Tests for shares and for distributions."""

import math

import numpy as np

_TERMS = 100  # of Kolmogorov's series, which falls like exp(-k²)
_SAME = 1e-7  # tables whose probabilities differ by less are equally likely


def mismatch(one: np.ndarray, other: np.ndarray) -> float:
    """Kolmogorov and Smirnov's distance: how far two distributions differ at most, 0 to 1."""
    places = np.concatenate((one, other))
    below_one = np.searchsorted(np.sort(one), places, side="right") / len(one)
    below_other = np.searchsorted(np.sort(other), places, side="right") / len(other)
    return float(np.abs(below_one - below_other).max())


def compare_distributions(one: np.ndarray, other: np.ndarray) -> float:
    """The p-value of Kolmogorov and Smirnov's test, by Stephens's approximation (1970).

    With ties, as of lengths, it is too large rather than too small.
    """
    distance, size = mismatch(one, other), len(one) * len(other) / (len(one) + len(other))
    root = math.sqrt(size)
    scaled = (root + 0.12 + 0.11 / root) * distance
    if scaled < 0.2:  # the series converges slowly there, and its limit is 1
        return 1.0
    k = np.arange(1, _TERMS + 1)
    series = 2 * float(((-1.0) ** (k - 1) * np.exp(-2 * (k * scaled) ** 2)).sum())
    return min(max(series, 0.0), 1.0)


def compare_shares(count: int, n: int, other_count: int, other_n: int) -> float:
    """The two-sided p-value of Fisher's exact test that two shares are equal."""
    total, drawn = n + other_n, count + other_count
    least, most = max(0, drawn - other_n), min(drawn, n)
    k = np.arange(least, most + 1)
    logs = np.array([_log_ways(n, i) + _log_ways(other_n, drawn - i) for i in k.tolist()])
    chance = np.exp(logs - _log_ways(total, drawn))
    return min(1.0, float(chance[chance <= chance[count - least] * (1 + _SAME)].sum()))


def _log_ways(n: int, k: int) -> float:
    """The logarithm of the number of ways to choose k of n."""
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
