"""The bigram network, by hand: one hidden layer from a word to the next, in numpy.

Shapes: N rows (bigrams), U different words among their first ones, D width of a word's frozen
vector, H hidden units, V words that may follow.
"""

import numpy as np

from wherefrom.core.bounds import MOST_UNITS, check_whole
from wherefrom.core.config import TaggedConfig, check
from wherefrom.core.contracts import Batch
from wherefrom.core.errors import BadData
from wherefrom.core.randomness import Stream, below, draws

_VECTORS = 4  # place of the frozen vectors in the INITIAL stream, after the four parameters
_SAFE = 50.0  # exp of so much, and of so much below 0, is far from float32's ends
_FINE = 2**24  # a fraction with this denominator is exact in float32 too
INITIALS = ("glorot", "normal")


class BigramConfig(TaggedConfig, frozen=True, tag="bigram"):
    """`initial` says how each stage's parameters begin; its last entry holds for all after it.

    "normal" is the homework's: every parameter, biases too, from a normal distribution of
    deviation 1, which saturates the hidden units and costs it most of what it lacks.
    """

    hidden: int = 16
    width: int = 0  # of the frozen vectors; 0: one-hot ones, as wide as the vocabulary
    initial: tuple[str, ...] = ("glorot",)  # glorot, normal

    def __post_init__(self) -> None:
        check_whole(self, "hidden", 1, MOST_UNITS)
        check_whole(self, "width", 0, MOST_UNITS, "0: one-hot vectors")
        known = bool(self.initial) and set(self.initial) <= set(INITIALS)
        check(known, "BigramConfig", "initial", self.initial, f"some of {INITIALS}")


class Bigram:
    """h = sigmoid(x W1 + b1), p = softmax(h W2 + b2), where x is the previous word's vector.

    `vectors` [words, D] are given and stay as they are; the four `parameters` are trained. They
    are views of one flat array, packed as the homework packs them. W2 and b2 are neighbours
    there, one matrix: b2 is the weight of a hidden unit that is always 1.
    """

    def __init__(
        self, vectors: np.ndarray, flat: np.ndarray, dimensions: tuple[int, int, int]
    ) -> None:
        self.vectors, self.flat, self.dimensions = vectors, flat, dimensions
        self.parameters = unpack(flat, dimensions)
        _, hidden, words = dimensions
        self._out = flat[-(hidden + 1) * words :].reshape(hidden + 1, words)  # W2, and b2 below it
        self._ones = np.ones(dimensions[2], flat.dtype)

    @property
    def frozen(self) -> dict[str, np.ndarray]:
        return {"vectors": self.vectors}

    def forward(self, previous: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """x [U, D], h [U, H + 1] (the last is the 1) and theta [U, V], which exp can be taken of.

        A softmax does not change when a row of theta is shifted; where one is large, it is.
        """
        p, rows = self.parameters, len(previous)
        x_UD = self.vectors[previous]
        h_UH = np.ones((rows, self.dimensions[1] + 1), x_UD.dtype)
        h_UH[:, :-1] = sigmoid(x_UD @ p["W1"] + p["b1"])
        theta_UV = h_UH @ self._out
        largest_U = theta_UV.max(1, keepdims=True)
        if not (np.abs(largest_U) < _SAFE).all():
            theta_UV -= largest_U
        return x_UD, h_UH, theta_UV

    def backward(
        self, x_UD: np.ndarray, h_UH: np.ndarray, d_theta_UV: np.ndarray
    ) -> dict[str, np.ndarray]:
        """Gradients of the parameters, from the loss's gradient by theta = h W2 + b2.

        theta is linear in W2, b2 and h:    dW2 = h' dtheta,  db2 = 1' dtheta,   dh = dtheta W2'
        h = sigmoid(z), whose slope is h (1 - h):                                dz = dh h (1 - h)
        z = x W1 + b1 is linear in W1, b1:  dW1 = x' dz,      db1 = 1' dz
        """
        d_z_UH = d_theta_UV @ self.parameters["W2"].T
        d_z_UH *= sigmoid_slope(h_UH[:, :-1])
        d_out = h_UH.T @ d_theta_UV  # dW2, and db2 in its last row
        return {"W1": x_UD.T @ d_z_UH, "b1": d_z_UH.sum(0), "W2": d_out[:-1], "b2": d_out[-1]}

    def loss_and_gradients(self, batch: Batch) -> tuple[float, dict[str, np.ndarray]]:
        """The mean cross-entropy of the batch's rows, each counted `weights` times.

        With c the row's share of all weight and t its target, the loss is a sum of
        -c log p_t = c (log sum exp theta - theta_t), so dtheta = c (p - one-hot t). Rows that
        have the same previous word have the same p: it is computed once, and their c added.
        """
        weights_N = np.asarray(batch.weights, self.flat.dtype)
        share_N = weights_N / (weights_N.sum() or 1)  # a batch of nothing costs nothing
        words_U, row_N = self._different(batch.inputs)
        x_UD, h_UH, theta_UV = self.forward(words_U)
        target_theta_N = theta_UV[row_N, batch.targets]
        p_UV = np.exp(theta_UV, out=theta_UV)
        total_U = p_UV @ self._ones  # faster than its sum
        loss = (share_N * (np.log(total_U)[row_N] - target_theta_N)).sum(dtype=np.float64)
        share_U = np.bincount(row_N, share_N, len(words_U)).astype(share_N.dtype)
        d_theta_UV = np.multiply(p_UV, (share_U / total_U)[:, None], out=p_UV)
        np.subtract.at(d_theta_UV, (row_N, batch.targets), share_N)
        return float(loss), self.backward(x_UD, h_UH, d_theta_UV)

    def _different(self, words_N: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The different words among these, and which of them each is; no sorting is needed."""
        words_U = np.flatnonzero(np.bincount(words_N, minlength=len(self.vectors)))
        place = np.empty(len(self.vectors), np.int64)
        place[words_U] = np.arange(len(words_U))
        return words_U, place[words_N]

    def probabilities(self, previous: np.ndarray) -> np.ndarray:
        """Probabilities of every next word after each of some words, [U, V]."""
        p_UV = np.exp(self.forward(previous)[2].astype(np.float64))
        return p_UV / p_UV.sum(1, keepdims=True)

    def log_probabilities(self, text: np.ndarray) -> np.ndarray:
        """One for each bigram of the text, [N, 2]: its second word given its first."""
        words_U, row_N = self._different(text[:, 0])
        theta_UV = self.forward(words_U)[2].astype(np.float64)
        total_U = np.log(np.exp(theta_UV).sum(1))
        return theta_UV[row_N, text[:, 1]] - total_U[row_N]


def build(
    config: BigramConfig, words: int, seed: int, stage: int = 0, vectors: np.ndarray | None = None
) -> Bigram:
    """The network over a vocabulary of `words` words, with the given vectors or its own."""
    if vectors is None:
        vectors = np.eye(words) if config.width == 0 else _uniform((words, config.width), seed)
    elif vectors.shape != (words, config.width):
        raise BadData(
            f"word vectors: expected {config.width} numbers for each of {words} words, found "
            f"{vectors.shape[1]} for each of {len(vectors)}; name another file "
            "(--set data.embeddings=FILE) or --set model.width"
        )
    dimensions = (vectors.shape[1], config.hidden, words)
    how = config.initial[min(stage, len(config.initial) - 1)]
    parameters = {
        name: _initial(how, shape, seed, stage, place).astype(np.float32)
        for place, (name, shape) in enumerate(shapes(dimensions).items())
    }
    return Bigram(vectors.astype(np.float32), pack(parameters), dimensions)


def shapes(dimensions: tuple[int, int, int]) -> dict[str, tuple[int, ...]]:
    """Shapes of the parameters, in the homework's order; dimensions are D, H and V."""
    width, hidden, words = dimensions
    return {"W1": (width, hidden), "b1": (hidden,), "W2": (hidden, words), "b2": (words,)}


def pack(parameters: dict[str, np.ndarray]) -> np.ndarray:
    """All parameters in one flat array, as the homework's `saved_params_40000.npy` has them."""
    return np.concatenate([parameters[name].ravel() for name in ("W1", "b1", "W2", "b2")])


def unpack(flat: np.ndarray, dimensions: tuple[int, int, int]) -> dict[str, np.ndarray]:
    """The parameters as views of one flat array."""
    forms = shapes(dimensions)
    sizes = [int(np.prod(shape)) for shape in forms.values()]
    if flat.shape != (sum(sizes),):
        raise BadData(
            f"parameters: expected {sum(sizes)} numbers in a row for dimensions "
            f"{list(dimensions)}, found an array of shape {list(flat.shape)}"
        )
    pieces = np.split(flat, np.cumsum(sizes)[:-1])
    return {n: p.reshape(s) for (n, s), p in zip(forms.items(), pieces, strict=True)}


def sigmoid(z: np.ndarray) -> np.ndarray:
    """1 / (1 + exp(-z)) in a form that no z overflows."""
    return 0.5 + 0.5 * np.tanh(0.5 * z)


def sigmoid_slope(s: np.ndarray) -> np.ndarray:
    """The derivative of the sigmoid where its value is s."""
    return s * (1 - s)


def _initial(how: str, shape: tuple[int, ...], seed: int, stage: int, place: int) -> np.ndarray:
    """Glorot and Bengio's range, which keeps the sigmoids off their flat ends; biases 0."""
    if how == "normal":
        return _normal(shape, seed, stage, place)
    if len(shape) == 1:
        return np.zeros(shape)
    return _uniform(shape, seed, stage, place) * np.sqrt(6 / sum(shape))


def _normal(shape: tuple[int, ...], seed: int, stage: int, place: int) -> np.ndarray:
    """Box and Muller's: a radius and an angle from two even numbers."""
    one, two = (_even(shape, seed, stage, place, draw) for draw in (0, 1))
    return np.sqrt(-2 * np.log(one)) * np.cos(2 * np.pi * two)


def _uniform(
    shape: tuple[int, ...], seed: int, stage: int = 0, place: int = _VECTORS
) -> np.ndarray:
    """Numbers spread evenly over -1 to 1."""
    return 2 * _even(shape, seed, stage, place, 0) - 1


def _even(shape: tuple[int, ...], seed: int, stage: int, place: int, draw: int) -> np.ndarray:
    """Numbers spread evenly over 0 to 1, neither end among them."""
    rows = np.arange(np.prod(shape), dtype=np.int64)
    words = draws(draw + 1, seed=seed, stream=Stream.INITIAL, stage=stage, step=place, row=rows)
    return ((below(words[draw], _FINE) + 0.5) / _FINE).reshape(shape)
