"""What a submission of the homework is given to work on, the same here and where it is judged."""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from wherefrom.core.words import BEGIN, END
from wherefrom.data.embeddings import load_vectors

WORDS, HIDDEN, WIDTH = 2000, 50, 50
SAVED = "saved_params_40000.npy"
TEXT = (
    "W0100\tNN\nw0007\tVB\nunseen\tJJ\n1,234\tCD\nw0003\tNN\n\n-DOCSTART-\tX\nw0009\tNN\n42\tCD\n\n"
)
TEXTS = [[1, 2, 3, 3], [5, 7], [4, 6, 8, 9, 10, 11]]  # numbers of words, for an average


def _square(case: dict[str, Any]) -> Callable[[Any], Any]:
    """The sum of squares, with a gradient that may be off by a factor or in one place."""
    factor, last = case.get("factor", 1.0), case.get("last", 0.0)

    def f(x: Any) -> Any:
        off = np.zeros_like(x)
        if last:
            off[-1] = last
        return np.sum(x**2), 2 * factor * x + off

    return f


def _noisy(_: dict[str, Any]) -> Callable[[Any], Any]:
    def f(x: Any) -> Any:
        factor = 1 + random.random()
        return factor * np.sum(x**2), 2 * factor * x

    return f


def _slope(case: dict[str, Any]) -> Callable[[Any], Any]:
    return lambda x: (0.0, np.array(case["by"], dtype=float))


def _halve(_: dict[str, Any]) -> Callable[[Any], Any]:
    return lambda x: x / 2


FUNCTIONS: dict[str, Callable[[dict[str, Any]], Callable[[Any], Any]]] = {
    "square": _square,
    "noisy": _noisy,
    "slope": _slope,
    "halve": _halve,
}


def array(values: Any) -> dict[str, Any]:
    """An array as JSON has it."""
    return {"array": np.asarray(values, dtype=float).tolist()}


def argument(value: Any) -> Any:
    """What a function is called with: an array or a function that JSON only describes."""
    if isinstance(value, dict) and "array" in value:
        return np.array(value["array"], dtype=float)
    return FUNCTIONS[value["function"]](value) if isinstance(value, dict) else value


def size() -> int:
    return (WIDTH + 1) * HIDDEN + (HIDDEN + 1) * WORDS


def parameters(draw: int) -> Any:
    return 0.3 * np.random.default_rng(draw).normal(size=size())


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
