"""What a submission of the homework is given to work on, the same here and where it is judged.

Everything follows from a number, the draw. The last three functions stand in for the hand-out's
`data_utils.utils`, for submissions that come without it.
"""

import random
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from wherefrom.core.words import BEGIN, END
from wherefrom.data.embeddings import load_vectors
from wherefrom.data.treebank import read_sentences
from wherefrom.data.word_forms import HOMEWORK

NETWORK = WIDTH, HIDDEN, WORDS = 50, 50, 2000
DIMENSIONS = (6, 4, 5)  # of the small network
CALLS = 40  # batches that lm_wrapper draws
# The file and the function that are called, by claim.
CALLED = {
    "sigmoid": ("sigmoid", "sigmoid"),
    "slope": ("sigmoid", "sigmoid_grad"),
    "softmax": ("softmax", "softmax"),
    "large": ("softmax", "softmax"),
    "descent": ("sgd", "sgd"),
    "forward": ("q1c_neural", "forward"),
    "passes": ("q1c_neural", "forward_backward_prop"),
    "wrapper": ("q1d_neural_lm", "lm_wrapper"),
    "draws": ("q1d_neural_lm", "lm_wrapper"),
}
SAVED = "saved_params_40000.npy"
TEXT = (
    "W0100\tNN\nw0007\tVB\nunseen\tJJ\n1,234\tCD\nw0003\tNN\n\n-DOCSTART-\tX\nw0009\tNN\n42\tCD\n\n"
)
TEXTS = [[1, 2, 3, 3], [5, 7], [4, 6, 8, 9, 10, 11]]  # numbers of words, for an average
VECTORS, DROPPED, TRIES = 12, 0.5, (200, 20)  # words there, and calls in training and evaluation

Function = Callable[[Any], Any]


def square(factor: float = 1.0, last: float = 0.0) -> Function:
    """The sum of squares, with a gradient that may be off by a factor or in its last place."""

    def f(x: Any) -> Any:
        off = np.zeros_like(x)
        if last:
            off[-1] = last
        return np.sum(x**2), 2 * factor * x + off

    return f


def noisy(x: Any) -> Any:
    factor = 1 + random.random()
    return factor * np.sum(x**2), 2 * factor * x


def slope(draw: int) -> np.ndarray:
    return np.random.default_rng(draw).uniform(0.5, 2.0, 2).round(3)


def falling(by: Any) -> Function:
    return lambda x: (0.0, by)


def cases(draw: int) -> dict[str, list[tuple[Any, ...]]]:
    """The arguments of every call, by claim."""
    dice = np.random.default_rng(draw)
    width, hidden, classes = DIMENSIONS
    data, labels = dice.normal(size=(8, width)), np.eye(classes)[dice.integers(0, classes, 8)]
    params = dice.normal(size=(width + 1) * hidden + (hidden + 1) * classes)
    large, rows = 1000.0 + dice.integers(1, 9, (1, 2)), dice.normal(0, 2, (2, 3))
    flat, down, still = list(DIMENSIONS), slope(draw), np.zeros(2)
    network = (dice.normal(size=(classes, width)).tolist(), flat, params)
    return {
        "sigmoid": [(dice.normal(0, 2, (3, 2)),), (np.array(0.0),)],
        "slope": [(np.sort(dice.uniform(0, 1, 7)),)],
        "softmax": [(rows,), (rows[0],)],
        "large": [(large,), (-large,)],
        "descent": [
            (falling(down), still, 0.5, 3),
            (square(), np.array([0.5, -1.5]), 0.01, 1000),
            (falling(still), down, 1.0, 2, lambda x: x / 2),
        ],
        "forward": [(data[[r]], int(labels[r].argmax()), params, flat) for r in (3, 5)],
        "passes": [(data, labels, params, flat)],
        "wrapper": [([4] * 100, [2] * 100, *network)],
        # Bigrams of five words, each as often as any other.
        "draws": [([i % 5 for i in range(500)], [i // 100 for i in range(500)], *network)] * CALLS,
    }


def gradients(draw: int) -> list[tuple[str, Function, Any]]:
    """Gradients for a gradient check, in a random order: of which kind, of what, and where."""
    dice = Random(draw)
    places: list[Any] = [3.5, [0.5, -1.0, 2.0], [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]]
    found: list[tuple[str, Function, Any]] = []
    for at in places * 2:
        factor = dice.choice((0.8, 1.1, 1.25))
        found += [("right", square(), at), ("wrong", square(factor), at)]
    ones = [1.0, 1.0, 1.0]
    found += [("wrong", square(last=0.1), ones), ("noisy", noisy, ones)]
    return dice.sample(found, len(found))


def parameters(draw: int) -> Any:
    size = (WIDTH + 1) * HIDDEN + (HIDDEN + 1) * WORDS
    return 0.3 * np.random.default_rng(draw).normal(size=size)


def write_text(home: Path, draw: int) -> tuple[tuple[str, ...], Any]:
    """A vocabulary of 2,000 made-up words with vectors, and a short text; words and vectors.

    It lies in a folder as the hand-outs have it and as this project has it.
    """
    marks = ("UUUNKKK", BEGIN, END, "DG", "DGDG", "DGDGDGDG")
    words = [f"w{number:04d}" for number in range(WORDS - len(marks))]
    listed = (*marks, *words)
    for folder in ("language", "embeddings", "data/lm"):
        (home / folder).mkdir(parents=True, exist_ok=True)
    (home / "language" / "ptb-dev.txt").write_text(TEXT, encoding="utf-8")
    lines = "".join(f"{word}\t{WORDS - i}\t0.1\n" for i, word in enumerate(listed))
    (home / "language" / "vocab.ptb.txt").write_text(lines, encoding="utf-8")
    table = np.random.default_rng(draw + 1).normal(size=(len(words), WIDTH)).astype(np.float32)
    np.save(home / "embeddings" / "glove.6B.50d.subset.npy", table)
    names = home / "embeddings" / "glove.6B.50d.subset.words.txt"
    names.write_text("".join(f"{word}\n" for word in words), encoding="utf-8")
    vectors = load_vectors(home / "embeddings" / "glove.6B.50d.subset.npy", listed).array
    return listed, np.asarray(vectors, dtype=float)


def glove(draw: int) -> np.ndarray:
    """Word i has its own two numbers; word 0, with which texts are padded, has none."""
    vectors = np.zeros((VECTORS, 2 * VECTORS), np.float32)
    own = np.random.default_rng(draw).uniform(1, 3, (VECTORS, 2))
    for word in range(1, VECTORS):
        vectors[word, 2 * word : 2 * word + 2] = own[word] * (1, -1)
    return vectors


def invert_dict(d):
    return {value: key for key, value in d.items()}


def load_dataset(fname):
    """Sentences, each a list of (word, tag)."""
    return [[(word, "") for word in sentence] for sentence in read_sentences(Path(fname))]


def docs_to_indices(docs, word_to_num):
    """Every sentence as numbers, with two marks before it and one after."""
    known = set(word_to_num) - {"<s>", "</s>"}
    found = []
    for sentence in docs:
        words = [HOMEWORK.canonical(pair[0], known) for pair in sentence]
        found.append(np.array([word_to_num[w] for w in ("<s>", "<s>", *words, "</s>")]))
    return np.array([*found, None], dtype=object)[:-1]
