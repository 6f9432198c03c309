"""The few pieces of numpy that the demonstrations share: softmax, Gaussian means, differences.

Everything is float64, and nothing here is taken from the models: a demonstration should not
believe the code that it explains.
"""

import zlib
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_CELLS, _REACH = 20_000, 12.0  # of the quadrature; _REACH in standard deviations


def softmax(scores: Array) -> Array:
    shifted = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return shifted / shifted.sum(axis=-1, keepdims=True)


def sigmoid(x: Array) -> Array:
    return np.exp(-np.logaddexp(0, -x))  # 1 / (1 + e^-x), which would overflow


def length(vector: Array) -> float:
    return float(np.linalg.norm(vector))


def generator(seed: int, use: str) -> np.random.Generator:
    """Philox keyed by the run's seed and by what it is for."""
    return np.random.Generator(np.random.Philox(key=[seed, zlib.crc32(use.encode())]))


def orthonormal(random: np.random.Generator, rows: int, columns: int) -> Array:
    """Columns of unit length, each at right angles to the others."""
    return np.linalg.qr(random.standard_normal((rows, columns)))[0]


def gaussian_variance(f: Callable[[Array], Array], sd: float, low: float = -np.inf) -> float:
    """The variance of f(g) for g ~ N(0, sd^2), given g > low, by the midpoint rule."""
    edges = np.linspace(max(low, -_REACH * sd), _REACH * sd, _CELLS + 1)
    g = (edges[1:] + edges[:-1]) / 2
    density = np.exp(-((g / sd) ** 2) / 2)
    density, values = density / density.sum(), f(g)
    return float(density @ (values - density @ values) ** 2)


def central_differences(f: Callable[[Array], float], x: Array, step: float = 1e-5) -> Array:
    """The gradient of f at x, one coordinate after the other."""
    shifts = step * np.eye(len(x))
    return np.array([(f(x + shift) - f(x - shift)) / (2 * step) for shift in shifts])
