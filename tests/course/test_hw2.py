"""The homework's files: their own checks, its packing, and going on after a stop."""

import importlib
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

HW2 = Path(__file__).parents[2] / "course" / "hw2"
sys.path.insert(0, str(HW2))

gradcheck = importlib.import_module("gradcheck")
q1c = importlib.import_module("q1c_neural")
q1d = importlib.import_module("q1d_neural_lm")
sgd = importlib.import_module("sgd")
sigmoid = importlib.import_module("sigmoid")
softmax = importlib.import_module("softmax")

DIMENSIONS = (6, 4, 5)
SIZE = 7 * 4 + 5 * 5


@pytest.mark.parametrize("name", ["sigmoid", "softmax", "gradcheck", "sgd", "q1c_neural"])
def test_every_file_runs_its_own_check(name, tmp_path):
    command = [sys.executable, str(HW2 / f"{name}.py")]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout


def test_the_gradient_of_the_sigmoid_takes_its_value():
    x = np.linspace(-4, 4, 9)
    measured = (sigmoid.sigmoid(x + 1e-6) - sigmoid.sigmoid(x - 1e-6)) / 2e-6
    np.testing.assert_allclose(sigmoid.sigmoid_grad(sigmoid.sigmoid(x)), measured, atol=1e-9)


def test_a_softmax_of_one_row_and_of_several():
    x = np.random.default_rng(0).normal(size=(3, 4)) * 100
    wanted = torch.softmax(torch.tensor(x), 1).numpy()
    np.testing.assert_allclose(softmax.softmax(x), wanted)
    np.testing.assert_allclose(softmax.softmax(x[1]), wanted[1])


def drawn():
    generator = np.random.default_rng(1)
    labels = np.eye(5)[generator.integers(0, 5, 8)]
    return generator.normal(size=(8, 6)), labels, generator.normal(size=SIZE)


def test_cost_and_gradient_are_torchs_summed_over_the_batch():
    data, labels, params = drawn()
    cost, gradient = q1c.forward_backward_prop(data, labels, params, DIMENSIONS)
    flat = torch.tensor(params, requires_grad=True)
    W1, b1, W2, b2 = torch.split(flat, [24, 4, 20, 5])
    hidden = torch.sigmoid(torch.tensor(data) @ W1.reshape(6, 4) + b1)
    scores = hidden @ W2.reshape(4, 5) + b2
    wanted = torch.nn.functional.cross_entropy(
        scores, torch.tensor(labels.argmax(1)), reduction="sum"
    )
    wanted.backward()
    assert cost == pytest.approx(wanted.item(), rel=1e-12)
    assert flat.grad is not None
    np.testing.assert_allclose(gradient, flat.grad.numpy(), rtol=1e-9, atol=1e-12)
    p = torch.softmax(scores, 1).detach().numpy()
    assert q1c.forward(data[3], 2, params, DIMENSIONS) == pytest.approx(p[3, 2])


def test_a_wrong_gradient_fails_the_check_and_random_ones_are_held_still():
    assert not gradcheck.grad_check(lambda x: (float(np.sum(x**2)), x), np.ones(2))

    def noisy(x):
        factor = 1 + random.random() + np.random.rand()
        return float(factor * np.sum(x**2)), 2 * factor * x

    assert gradcheck.grad_check(noisy, np.ones(3))


def test_a_descent_that_was_stopped_goes_on_bitwise_the_same(tmp_path, monkeypatch):
    monkeypatch.setattr(sgd, "SAVE_PARAMS_EVERY", 10)
    monkeypatch.setattr(sgd, "ANNEAL_EVERY", 15)

    def f(x):
        noise = np.random.normal(size=x.shape) + random.random()  # an odd number of each
        return float(np.sum(x**2)), 2 * x + noise

    def descend(steps, folder):
        folder.mkdir(exist_ok=True)
        return sgd.sgd(f, np.ones(3), 0.1, steps, None, True, 1000, folder)

    def seed(number):
        random.seed(number)
        np.random.seed(number)

    seed(0)
    whole = descend(40, tmp_path / "whole")
    seed(0)
    descend(20, tmp_path / "parts")
    seed(123)  # whatever another process has drawn
    resumed = descend(40, tmp_path / "parts")
    assert resumed.tobytes() == whole.tobytes()
    (tmp_path / "parts" / "saved_state_40.json").unlink()  # a save without its states is none
    assert sgd.load_saved_params(tmp_path / "parts")[0] == 30
    assert sgd.load_saved_params(tmp_path) is None


def test_the_language_model_is_saved_in_the_homeworks_packing_and_read_back(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    assert q1d.main(["--steps", "60"]) == 0
    trained = capsys.readouterr().out
    assert "generated" in trained
    flat = np.load("saved_params_60.npy")
    assert flat.shape == (50 * 50 + 50 + 50 * 62 + 62,)
    assert q1d.main(["--steps", "60", "--saved", "saved_params_60.npy"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == trained.splitlines()[-1]
    np.save("short.npy", flat[1:])
    assert q1d.main(["--saved", "short.npy"]) == 65
    assert q1d.main(["--saved", "none.npy"]) == 66
    complaints = capsys.readouterr().err.splitlines()
    assert len(complaints) == 2
    assert "expected 5712 numbers" in complaints[0]
