"""Word vectors from a file, and words that have none there."""

import pickle
from pathlib import Path

import numpy as np
import pytest

from wherefrom.core.errors import BadData
from wherefrom.data.embeddings import load_vectors, make_up, read_array, read_npy

WORDS = ("the", "year", "earlier")
TABLE = np.array([[1.0, 0.0, 2.0], [0.0, 4.0, 0.0], [2.0, 0.0, -2.0]], np.float32)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "small.3d.npy"
    np.save(path, TABLE)
    (tmp_path / "small.3d.words.txt").write_text("\n".join(WORDS) + "\n")
    return path


def test_a_compound_is_the_mean_of_its_parts(file):
    found = load_vectors(file, ["year-earlier"])
    np.testing.assert_array_equal(found.array, [[1.0, 2.0, -1.0]])
    assert found.made_up == ()


def test_marks_the_unknown_and_numbers_get_vectors_of_their_own(file):
    words = ["<s>", "</s>", "UUUNKKK", "DG", "DGDG.DG", "DG/DG"]
    found, again = load_vectors(file, words), load_vectors(file, words[::-1])
    assert found.made_up == tuple(words)
    np.testing.assert_array_equal(found.array, again.array[::-1])
    assert len(np.unique(found.array, axis=0)) == len(words)


def test_what_is_made_up_is_spread_like_the_file():
    values = make_up("<s>", 20_000)
    assert abs(values.mean()) < 0.03
    assert values.std() == pytest.approx(1, abs=0.02)
    assert np.abs(values).max() <= np.sqrt(3)


def test_another_number_of_words_is_refused(file):
    file.with_suffix(".words.txt").write_text("the\nyear\n")
    with pytest.raises(BadData, match=r"each of the 2 words of .*, found 3"):
        load_vectors(file, ["the"])


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.zeros(3), r"found float64\[3\]"),
        (np.zeros((2, 2), int), r"found int64\[2, 2\]"),
        (np.full((2, 2), np.nan), "finite"),
        (np.zeros((0, 2)), "finite"),
        (np.array([[{}]], dtype=object), "as numpy saves it"),
    ],
)
def test_what_is_no_table_of_numbers_is_refused(tmp_path, array, message):
    np.save(tmp_path / "a.npy", array, allow_pickle=True)
    with pytest.raises(BadData, match=message):
        read_array(tmp_path / "a.npy")


def test_any_other_file_is_refused_in_one_line_and_takes_no_memory(tmp_path):
    path = tmp_path / "a.npy"
    np.save(path, np.zeros(3))
    good = path.read_bytes()
    for data in (
        b"", pickle.dumps([1.0]), b"PK\x03\x04" + b"." * 50, good[:-8], good[:9],
        good.replace(b"(3,)", b"(9999999999999,)"), good.replace(b"(3,)", b"(3x)"),
    ):  # fmt: skip
        path.write_bytes(data)
        with pytest.raises(BadData, match="as numpy saves it, found another kind of file") as error:
            read_npy(path)
        assert "\n" not in str(error.value)
        assert "allow_pickle" not in str(error.value)


def test_a_text_file_has_a_word_and_its_numbers_on_each_line(tmp_path):
    path = tmp_path / "vocab.embeddings.glove.txt"
    path.write_text("the 0.5 -1\nDGDG 0.25 2e-1\n")
    found = load_vectors(path, ["DGDG", "the"])
    assert found.array.tolist() == [[0.25, np.float32(0.2)], [0.5, -1.0]]
    assert found.made_up == (), "a number that the file has is not made up"
    for line in ("cat 1", "cat 1 two", "cat 1 nan"):
        path.write_text(f"the 0.5 -1\n{line}\n")
        with pytest.raises(BadData, match=r"txt:2: expected a word and 2 numbers"):
            load_vectors(path, ["the"])
