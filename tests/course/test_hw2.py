"""The homework's files: their own checks, its packing, and going on after a stop."""

import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.course.files import HW2, load

q1c, q1d, sgd = load(HW2, "q1c_neural", "q1d_neural_lm", "sgd")

DIMENSIONS = (6, 4, 5)
SIZE = 7 * 4 + 5 * 5


@pytest.mark.parametrize("name", ["sigmoid", "softmax", "gradcheck", "sgd", "q1c_neural"])
def test_every_file_runs_its_own_check(name, tmp_path):
    command = [sys.executable, str(HW2 / f"{name}.py")]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout


def test_a_descent_that_was_stopped_goes_on_bitwise_the_same(tmp_path, monkeypatch):
    monkeypatch.setattr(sgd, "SAVE_PARAMS_EVERY", 10)
    monkeypatch.setattr(sgd, "ANNEAL_EVERY", 15)

    def f(x):
        noise = np.random.normal(size=x.shape) + random.random()  # an odd number of each
        return float(np.sum(x**2)), 2 * x + noise

    def descend(seed, steps, folder):
        folder.mkdir(exist_ok=True)
        random.seed(seed)
        np.random.seed(seed)
        return sgd.sgd(f, np.ones(3), 0.1, steps, None, True, 1000, folder)

    whole = descend(0, 40, tmp_path / "whole")
    descend(0, 20, tmp_path / "parts")
    resumed = descend(123, 40, tmp_path / "parts")  # whatever another process has drawn
    assert resumed.tobytes() == whole.tobytes()
    assert sgd.load_saved_params(tmp_path / "parts")[0] == 40
    assert sgd.load_saved_params(tmp_path) is None


def test_the_language_model_is_saved_in_the_homeworks_packing_and_read_back(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    assert q1d.main(["--steps", "60"]) == 0
    trained = capsys.readouterr().out
    assert "generated" in trained
    flat = np.load("saved_params_60.npy")
    assert flat.shape == (50 * 50 + 50 + 50 * 53 + 53,)
    dimensions = (50, 50, 53)
    assert q1d.read_params(Path("saved_params_60.npy"), dimensions).tolist() == flat.tolist()
    np.save("short.npy", flat[1:])
    np.save("words.npy", np.array(["a"] * len(flat)))
    np.save("nan.npy", flat * np.nan)
    for name in ("short.npy", "words.npy", "nan.npy"):
        with pytest.raises(q1d.BadData, match=name):
            q1d.read_params(Path(name), dimensions)


def test_a_text_is_scored_by_its_path_alone(tmp_path, monkeypatch):
    """The mean of what `forward` says of every bigram of the sentence."""
    language, vectors = tmp_path / "language", tmp_path / "embeddings"
    language.mkdir()
    vectors.mkdir()
    listed = ("<s>", "</s>", "UUUNKKK", "the", "cat")
    (language / "vocab.ptb.txt").write_text("".join(f"{word}\n" for word in listed))
    (language / "dev.tsv").write_text("The\tDT\ncat\tNN\nsat\tVBD\n")
    np.save(vectors / "glove.6B.50d.subset.npy", np.eye(2, 6))
    (vectors / "glove.6B.50d.subset.words.txt").write_text("the\ncat\n")
    monkeypatch.setattr(q1d, "HIDDEN", 4)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(q1d.MissingInput, match=r"expected saved_params_N\.npy here, found none"):
        q1d.eval_neural_lm(language / "dev.tsv", words=5)
    params = np.random.default_rng(4).normal(size=SIZE)
    np.save("saved_params_40.npy", params)
    np.save("saved_params_20.npy", 0 * params)
    table = q1d.load_vectors(vectors / "glove.6B.50d.subset.npy", listed).array
    pairs = [(0, 3), (3, 4), (4, 2), (2, 1)]  # <s> the cat UUUNKKK </s>
    each = [q1c.forward(table[a], b, params, DIMENSIONS) for a, b in pairs]
    wanted = np.exp(-np.mean(np.log(each)))
    assert q1d.eval_neural_lm(language / "dev.tsv", words=5) == pytest.approx(wanted)
    even = q1d.eval_neural_lm(language / "dev.tsv", "saved_params_20.npy", words=5)
    assert even == pytest.approx(5)


def test_fewer_steps_than_are_saved_train_nothing(tmp_path, capsys):
    np.save(tmp_path / "saved_params_60.npy", np.ones(3))
    assert q1d.main(["--steps", "50", "--out", str(tmp_path)]) == 2
    assert "--steps: expected 60 or more, as" in capsys.readouterr().err
