"""Word vectors from a file: an array in `NAME.npy`, its words in `NAME.words.txt`; or a text file.

In a text file each line is a word and its numbers, as GloVe has them and as a homework's own
`vocab.embeddings.glove.txt`.

Not every word of a vocabulary has a vector there. The marks, the unknown word and the shapes of
numbers (DGDG.DG) are no words of a text: each gets one made up from its own letters, as long as
the file's are. A compound such as year-earlier gets the mean of its parts. Any other is an error
where vectors stay as they are; where they are trained, it begins near zero.
"""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.lib import format as numpy_format

from wherefrom.core.errors import BadData
from wherefrom.core.files import reading
from wherefrom.core.words import BEGIN, END
from wherefrom.data.fetching import registry
from wherefrom.data.word_forms import HOMEWORK
from wherefrom.reading.table_files import read_lines

GLOVE = "embeddings/glove.6B.50d.npy"  # where a fetched one lies in its folder
_SHOWN = 5
_NUMBER = re.compile(rf"(?:{HOMEWORK.digit}|[^A-Za-z])+")
_BITS = 24
_NEAR_ZERO = 0.1  # of the file's own deviation


@dataclass(frozen=True)
class WordVectors:
    """An array [words, width], and the words whose vectors are made up."""

    array: np.ndarray
    made_up: tuple[str, ...]


def load_vectors(path: Path, words: Sequence[str]) -> WordVectors:
    """The vectors of the words, in their order."""
    table, index = read_vectors(path)
    spread = float(table.std())
    found, made_up, missing = [], [], []
    for word in words:
        parts = word.split("-")
        if word in index:
            found.append(table[index[word]])
        elif word in (BEGIN, END, HOMEWORK.unknown) or _NUMBER.fullmatch(word):
            made_up.append(word)
            found.append(spread * make_up(word, table.shape[1]))
        elif len(parts) > 1 and all(part in index for part in parts):
            found.append(table[[index[part] for part in parts]].mean(0))
        else:
            missing.append(word)
    if missing:
        shown = ", ".join(repr(word) for word in missing[:_SHOWN])
        more = f" and {len(missing) - _SHOWN} more" if len(missing) > _SHOWN else ""
        raise BadData(
            f"{words_file(path)}: expected a vector for every word of the vocabulary, found none "
            f"for {shown}{more}; use fewer words (data.words) or another file (data.embeddings)"
        )
    return WordVectors(np.stack(found), tuple(made_up))


def known_vectors(path: Path, words: Sequence[str]) -> np.ndarray:
    """The words' vectors, where they are to be trained on: one that has none begins near zero."""
    table, index = read_vectors(path)
    small = _NEAR_ZERO * float(table.std())
    width = table.shape[1]
    found = [table[index[w]] if w in index else small * make_up(w, width) for w in words]
    return np.stack(found).astype(table.dtype)


def read_vectors(path: Path) -> tuple[np.ndarray, dict[str, int]]:
    """The array of a file, and each word's row in it."""
    if path.suffix == ".txt":
        return _read_text(path)
    table = read_array(path)
    names = read_lines(words_file(path))
    if len(names) != len(table):
        raise BadData(
            f"{path}: expected a row for each of the {len(names)} words of {words_file(path)}, "
            f"found {len(table)}"
        )
    return table, {name: i for i, name in enumerate(names)}


def _read_text(path: Path) -> tuple[np.ndarray, dict[str, int]]:
    rows: list[list[str]] = [line.split() for line in read_lines(path)]
    width = len(rows[0])
    for number, row in enumerate(rows, 1):
        try:
            if len(row) != width or width < 2 or not np.isfinite([float(x) for x in row[1:]]).all():
                raise ValueError
        except ValueError:
            raise BadData(
                f"{path}:{number}: expected a word and {max(width - 1, 1)} numbers, as on line 1, "
                f"found {len(row)} columns that are not that"
            ) from None
    table = np.array([[float(x) for x in row[1:]] for row in rows], dtype=np.float32)
    return table, {row[0]: i for i, row in enumerate(rows)}


def fetched_vectors() -> Path | None:
    """GloVe's whole file, if it was fetched ('wherefrom data fetch glove')."""
    folder = registry.find_unchanged("glove")
    path = None if folder is None else folder / GLOVE
    return path if path and path.is_file() else None


def words_file(path: Path) -> Path:
    return path.with_suffix(".words.txt")


def read_npy(path: Path) -> np.ndarray:
    """The array of a NAME.npy from anybody's hand; nothing is unpickled, no archive is opened."""
    with reading(path), path.open("rb") as file:
        try:
            return numpy_format.read_array(file, allow_pickle=False)
        except (ValueError, EOFError, OverflowError, MemoryError):
            raise BadData(  # numpy's own words go on to recommend what is not safe
                f"{path}: expected an array of numbers as numpy saves it, found another kind of "
                "file, or one that is damaged or cut off"
            ) from None


def read_array(path: Path) -> np.ndarray:
    """An array of numbers, a row a word."""
    array = read_npy(path)
    if array.ndim != 2 or array.dtype.kind != "f":
        form = f"{array.dtype}{list(array.shape)}"
        raise BadData(f"{path}: expected real numbers [words, width], found {form}")
    if not array.size or not np.isfinite(array).all():
        raise BadData(f"{path}: expected finite numbers, found none or some that are not")
    return array


def make_up(word: str, width: int) -> np.ndarray:
    """Numbers of deviation 1 that depend on the word's letters alone."""
    digest = hashlib.shake_256(word.encode()).digest(4 * width)
    whole = np.frombuffer(digest, "<u4") >> (32 - _BITS)
    return (2 * (whole + 0.5) / 2**_BITS - 1) * np.sqrt(3)
