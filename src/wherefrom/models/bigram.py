"""The bigram network, by hand: one hidden layer from a word to the next, in numpy.

Shapes: N rows (bigrams), D width of a word's frozen vector, H hidden units, V words.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from wherefrom.core.config import check
from wherefrom.core.contracts import Batch
from wherefrom.core.randomness import Stream, below, draws

_VECTORS = 4  # place of the frozen vectors in the INITIAL stream, after the four parameters
_FINE = 2**24  # a fraction of so many steps is exact in float32 too


@dataclass(frozen=True)
class BigramConfig:
    kind: ClassVar[str] = "bigram"
    hidden: int = 16
    width: int = 0  # of random frozen vectors; 0: one-hot ones, as wide as the vocabulary
    dtype: str = "float32"

    def __post_init__(self) -> None:
        check(self.hidden > 0, "BigramConfig", "hidden", self.hidden, "a whole number above 0")
        check(self.width >= 0, "BigramConfig", "width", self.width, "0 (one-hot) or more")
        known = self.dtype in ("float32", "float64")
        check(known, "BigramConfig", "dtype", self.dtype, "float32 or float64")


class Bigram:
    """h = sigmoid(x W1 + b1), p = softmax(h W2 + b2), where x is the previous word's vector.

    `vectors` [V, D] are given and stay as they are; the four `parameters` are trained.
    """

    def __init__(self, config: BigramConfig, vectors: np.ndarray, seed: int) -> None:
        self.config = config
        self.vectors = vectors.astype(config.dtype)
        words, width = vectors.shape
        shapes = {
            "W1": (width, config.hidden),
            "b1": (config.hidden,),
            "W2": (config.hidden, words),
            "b2": (words,),
        }
        self.parameters = {
            name: _initial(shape, seed, place).astype(config.dtype)
            for place, (name, shape) in enumerate(shapes.items())
        }

    def forward(self, previous: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """x [N, D], h [N, H] and the logarithm of p [N, V]; the first two serve `backward`."""
        p = self.parameters
        x_ND = self.vectors[previous]
        h_NH = _sigmoid(x_ND @ p["W1"] + p["b1"])
        theta_NV = h_NH @ p["W2"] + p["b2"]
        theta_NV -= theta_NV.max(1, keepdims=True)
        return x_ND, h_NH, theta_NV - np.log(np.exp(theta_NV).sum(1, keepdims=True))

    def backward(
        self, x_ND: np.ndarray, h_NH: np.ndarray, d_theta_NV: np.ndarray
    ) -> dict[str, np.ndarray]:
        """Gradients of the parameters, from the loss's gradient by theta = h W2 + b2.

        theta is linear in W2, b2 and h:    dW2 = h' dtheta,  db2 = sum dtheta,  dh = dtheta W2'
        h = sigmoid(z), whose slope is h (1 - h):                                dz = dh h (1 - h)
        z = x W1 + b1 is linear in W1, b1:  dW1 = x' dz,      db1 = sum dz
        """
        d_z_NH = d_theta_NV @ self.parameters["W2"].T * h_NH * (1 - h_NH)
        return {
            "W1": x_ND.T @ d_z_NH,
            "b1": d_z_NH.sum(0),
            "W2": h_NH.T @ d_theta_NV,
            "b2": d_theta_NV.sum(0),
        }

    def loss_and_gradients(self, batch: Batch) -> tuple[float, dict[str, np.ndarray]]:
        """The mean cross-entropy of the batch's rows, each counted `weights` times.

        With c the row's share of all weight and t its target, the loss is a sum of
        -c log p_t = c (log sum exp theta - theta_t), so dtheta = c (p - one-hot t).
        """
        x_ND, h_NH, log_p_NV = self.forward(batch.inputs)
        weights = np.asarray(batch.weights, self.config.dtype)
        share_N = weights / (weights.sum() or 1)  # a batch of nothing costs nothing
        rows = np.arange(len(share_N))
        loss = -(share_N * log_p_NV[rows, batch.targets]).sum()
        d_theta_NV = np.exp(log_p_NV)
        d_theta_NV[rows, batch.targets] -= 1
        d_theta_NV *= share_N[:, None]
        return float(loss), self.backward(x_ND, h_NH, d_theta_NV)

    def log_probabilities(self, text: np.ndarray) -> np.ndarray:
        """Of each next word given the previous one; the text is its bigrams, [N, 2]."""
        words = np.arange(len(self.vectors))
        log_p_VV = self.forward(words)[2].astype(np.float64)  # every bigram there can be
        return log_p_VV[text[:, 0], text[:, 1]]


def build(config: BigramConfig, words: int, seed: int) -> Bigram:
    """The network over a vocabulary of so many words, with the config's own vectors."""
    if config.width == 0:
        return Bigram(config, np.eye(words), seed)
    return Bigram(config, _uniform((words, config.width), seed, _VECTORS), seed)


def _initial(shape: tuple[int, ...], seed: int, place: int) -> np.ndarray:
    """Glorot and Bengio's range, which keeps the sigmoids off their flat ends; biases 0."""
    if len(shape) == 1:
        return np.zeros(shape)
    return _uniform(shape, seed, place) * np.sqrt(6 / sum(shape))


def _uniform(shape: tuple[int, ...], seed: int, place: int) -> np.ndarray:
    """Numbers spread evenly over -1 to 1."""
    rows = np.arange(np.prod(shape), dtype=np.int64)
    word = draws(1, seed=seed, stream=Stream.INITIAL, stage=0, step=place, row=rows)[0]
    return ((2 * below(word, _FINE) + 1) / _FINE - 1).reshape(shape)


def _sigmoid(z: np.ndarray) -> np.ndarray:
    """1 / (1 + exp(-z)) in a form that no z overflows."""
    return 0.5 * (1 + np.tanh(0.5 * z))
