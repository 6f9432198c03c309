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

from wherefrom.core.files import write_text as write
from wherefrom.core.words import BEGIN, END
from wherefrom.data.embeddings import load_vectors
from wherefrom.data.treebank import read_sentences
from wherefrom.data.word_forms import HOMEWORK

NETWORK = WIDTH, HIDDEN, WORDS = 50, 50, 2000
DIMENSIONS = (6, 4, 5)  # of the small network
CALLS = 40  # batches that lm_wrapper draws
SAVED = "saved_params_40000.npy"
TEXT = (
    "W0100\tNN\nw0007\tVB\nunseen\tJJ\n1,234\tCD\nw0003\tNN\n\n-DOCSTART-\tX\nw0009\tNN\n42\tCD\n\n"
)
TEXTS = [[1, 2, 3, 3], [5, 7], [4, 6, 8, 9, 10, 11]]  # numbers of words, for an average
VECTORS, DROPPED, TRIES = 12, 0.5, (200, 20)  # words there, and calls in training and evaluation

Function = Callable[[Any], Any]


def square(factor: float = 1.0, last: float = 0.0, noise: float = 0.0) -> Function:
    """The sum of squares, with a gradient that may be off by a factor or in its last place.

    With noise, both are larger by a share that is drawn anew at each call.
    """

    def f(x: Any) -> Any:
        off = last * (np.arange(x.size) == x.size - 1).reshape(x.shape)
        drawn = 1 + noise * random.random()
        return drawn * np.sum(x**2), drawn * (2 * factor * x + off)

    return f


def slope(draw: int) -> np.ndarray:
    return np.random.default_rng(draw).uniform(0.5, 2.0, 2).round(3)


def falling(by: Any) -> Function:
    return lambda x: (0.0, by)


def cases(draw: int) -> dict[str, list[tuple[Any, ...]]]:
    """The arguments of every call, by what is called: FILE.FUNCTION, and what for."""
    dice = np.random.default_rng(draw)
    width, hidden, classes = DIMENSIONS
    data, labels = dice.normal(size=(8, width)), np.eye(classes)[dice.integers(0, classes, 8)]
    params = dice.normal(size=(width + 1) * hidden + (hidden + 1) * classes)
    large, rows = 1000.0 + dice.integers(1, 9, 2), dice.normal(0, 2, (2, 3))
    flat, down, still = list(DIMENSIONS), slope(draw), np.zeros(2)
    network = (dice.normal(size=(classes, width)).tolist(), flat, params)
    words = [i % 5 for i in range(500)]  # in bigrams of them each is as often as any other
    return {
        "sigmoid.sigmoid": [(dice.normal(0, 2, (3, 2)),), (np.array(0.0),)],
        "sigmoid.sigmoid_grad": [(np.sort(dice.uniform(0, 1, 7)),)],
        "softmax.softmax": [(rows,), (rows[0],)],
        "softmax.softmax.large": [(large,), (-large,)],
        "sgd.sgd": [
            (falling(down), still, 0.5, 3),
            (square(), np.array([0.5, -1.5]), 0.01, 1000),
            (falling(still), down, 1.0, 2, lambda x: x / 2),
        ],
        "q1c_neural.forward": [(data[[r]], int(labels[r].argmax()), params, flat) for r in (3, 5)],
        "q1c_neural.forward_backward_prop": [(data, labels, params, flat)],
        "q1d_neural_lm.lm_wrapper": [([4] * 100, [2] * 100, *network)],
        "q1d_neural_lm.lm_wrapper.draws": [(words, sorted(words), *network)] * CALLS,
    }


def gradients(draw: int) -> list[tuple[str, Function, Any]]:
    """Gradients for a gradient check, in a random order: of which kind, of what, and where."""
    dice, ones = Random(draw), [1.0, 1.0, 1.0]
    found: list[tuple[str, Function, Any]] = [
        ("wrong", square(last=0.1), ones), ("noisy", square(noise=1.0), ones)
    ]  # fmt: skip
    for at in (3.5, [0.5, -1.0, 2.0], [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]) * 2:
        wrong = square(dice.choice((0.8, 1.1, 1.25)))
        found += [("right", square(), at), ("wrong", wrong, at)]
    return dice.sample(found, len(found))


def parameters(draw: int) -> Any:
    size = (WIDTH + 1) * HIDDEN + (HIDDEN + 1) * WORDS
    return 0.3 * np.random.default_rng(draw).normal(size=size)


def write_text(home: Path, draw: int) -> tuple[tuple[str, ...], Any]:
    """A vocabulary of 2,000 made-up words with vectors, and a short text; words and vectors."""
    marks = ("UUUNKKK", BEGIN, END, "DG", "DGDG", "DGDGDGDG")
    words = [f"w{number:04d}" for number in range(WORDS - len(marks))]
    listed, table = (*marks, *words), home / "embeddings" / "glove.6B.50d.subset.npy"
    write(home / "language" / "ptb-dev.txt", TEXT)
    lines = (f"{word}\t{WORDS - i}\t0.1\n" for i, word in enumerate(listed))
    write(home / "language" / "vocab.ptb.txt", "".join(lines))
    write(table.with_suffix(".words.txt"), "".join(f"{word}\n" for word in words))
    np.save(table, np.random.default_rng(draw + 1).normal(size=(len(words), WIDTH)).astype("f4"))
    return listed, np.asarray(load_vectors(table, listed).array, dtype=float)


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
    known = set(word_to_num) - {BEGIN, END}
    found = []
    for sentence in docs:
        words = [HOMEWORK.canonical(pair[0], known) for pair in sentence]
        found.append(np.array([word_to_num[w] for w in (BEGIN, BEGIN, *words, END)]))
    return np.array([*found, None], dtype=object)[:-1]
