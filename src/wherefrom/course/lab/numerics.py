"""The few pieces of numpy that the demonstrations share: attention, Gaussian means, differences.

Everything is float64, and nothing here is taken from the models: a demonstration should not
believe the code that it explains.
"""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_PANELS, _NODES, _REACH = 600, 24, 12.0  # of the quadrature; _REACH in standard deviations


def softmax(scores: Array) -> Array:
    shifted = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return shifted / shifted.sum(axis=-1, keepdims=True)


def sigmoid(x: Array) -> Array:
    """Without overflow: one of the two forms is exact wherever the other is not."""
    small = np.exp(-np.abs(x))
    return np.where(x >= 0, 1 / (1 + small), small / (1 + small))


def attend(query: Array, keys: Array, values: Array) -> tuple[Array, Array]:
    """The weights softmax(k_i . q), and the average of the values that they make."""
    weights = softmax(keys @ query)
    return weights, weights @ values


def length(vector: Array) -> float:
    return float(np.linalg.norm(vector))


def generator(seed: int, use: int) -> np.random.Generator:
    """Philox keyed by the run's seed and by what it is for."""
    return np.random.Generator(np.random.Philox(key=np.array([seed, use], dtype=np.uint64)))


def orthonormal(random: np.random.Generator, rows: int, columns: int) -> Array:
    """Columns of unit length, each at right angles to the others."""
    return np.linalg.qr(random.standard_normal((rows, columns)))[0]


def gaussian_mean(f: Callable[[Array], Array], sd: float, low: float = -np.inf) -> float:
    """The mean of f(g) for g ~ N(0, sd^2), given g > low, by Gauss-Legendre panels.

    The panels meet at 0, where the sigmoids that are averaged here bend.
    """
    ends = [max(low, -_REACH * sd), *([0.0] if low < 0 else []), _REACH * sd]
    parts = [np.linspace(a, b, _PANELS // 2 + 1) for a, b in pairwise(ends)]
    edges = np.unique(np.concatenate(parts))
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    half = np.diff(edges)[:, None] / 2
    g = (edges[:-1, None] + half) + half * nodes
    density = np.exp(-((g / sd) ** 2) / 2) * half * weights
    return float((density * f(g)).sum() / density.sum())


def gaussian_variance(f: Callable[[Array], Array], sd: float, low: float = -np.inf) -> float:
    mean = gaussian_mean(f, sd, low)
    return gaussian_mean(lambda g: (f(g) - mean) ** 2, sd, low)


def squared_distances(points: Array) -> Array:
    """Of sampled points from their mean: the mean of these is the total variance."""
    return ((points - points.mean(axis=0)) ** 2).sum(axis=-1)


def standard_error(values: NDArray[Any]) -> float:
    """Of the mean of independent samples."""
    return float(values.std() / np.sqrt(len(values)))


def central_differences(f: Callable[[Array], float], x: Array, step: float = 1e-5) -> Array:
    """The gradient of f at x, one coordinate after the other."""
    gradient = np.zeros_like(x)
    for i in range(len(x)):
        shift = np.zeros_like(x)
        shift[i] = step
        gradient[i] = (f(x + shift) - f(x - shift)) / (2 * step)
    return gradient
