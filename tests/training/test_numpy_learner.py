"""Descent against itself resumed, torch's AdamW, and a text whose perplexity is known."""

from collections.abc import Callable

import numpy as np
import pytest
import torch

from wherefrom.core.contracts import Batch
from wherefrom.models.bigram import BigramConfig, build
from wherefrom.objectives.bigrams import Bigrams
from wherefrom.training.numpy_learner import SGD, NumpyAdamW, NumpyLearner, SGDConfig
from wherefrom.training.optimisers import AdamWConfig

PAIRS = np.random.default_rng(0).integers(0, 9, (200, 2))


def constant(step: int) -> float:
    return 1.0


def falling(step: int) -> float:
    return 1 / (1 + step)


def learner(factor: Callable[[int], float] = constant, kind: str = "sgd"):
    network = build(BigramConfig(), 9, 0)
    descender = (
        SGD(SGDConfig(2.0))
        if kind == "sgd"
        else NumpyAdamW(AdamWConfig(rate=0.05), network.parameters)
    )
    objective = Bigrams(PAIRS, rows=16, seed=0, stage=0)
    return NumpyLearner(network, objective, factor, descender, 1e9)


def descend(line: "Line", told: "Told", factor: Callable[[int], float], rate: float, clip: float):
    return NumpyLearner(line, told, factor, SGD(SGDConfig(rate)), clip)


class Line:
    """One parameter x, whose loss is the step's target times x: its gradient is the target."""

    def __init__(self, x: float = 0.0) -> None:
        self.parameters = {"x": np.array([x])}

    def loss_and_gradients(self, batch: Batch) -> tuple[float, dict[str, np.ndarray]]:
        slope = float(batch.targets)
        return float(batch.inputs + slope * self.parameters["x"][0]), {"x": np.array([slope])}


class Told:
    """An objective that hands out (offset of the loss, slope) for each step."""

    def __init__(self, *rows: tuple[float, float]) -> None:
        self.rows = rows

    def plan(self, first_step: int, count: int) -> list[tuple[float, float]]:
        return list(self.rows[first_step : first_step + count])

    def render(self, plan: list[tuple[float, float]], index: int) -> Batch:
        offset, slope = plan[index]
        return Batch(offset, slope, np.array([0.0, 0.5, 2.0]))


def test_each_step_goes_down_by_rate_times_factor_times_gradient():
    line = Line(1.0)
    found = descend(line, Told((0, 3), (0, -2)), falling, 0.1, 100).advance(0, 2)
    assert line.parameters["x"][0] == pytest.approx(1 - 0.1 * 3 + 0.1 / 2 * 2)
    assert found["loss"].tolist() == [3.0, pytest.approx(-1.4)]
    assert found["targets"].tolist() == [2, 2]
    assert found["finite"].tolist() == [True, True]


def test_a_long_gradient_is_cut_to_the_clip_and_a_short_one_is_not():
    line = Line()
    descend(line, Told((0, 30), (0, -0.5), (0, 0)), constant, 1.0, 2.0).advance(0, 3)
    assert line.parameters["x"][0] == pytest.approx(-2 + 0.5)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "bad", [(np.nan, 1.0), (np.inf, 1.0), (0.0, np.nan), (0.0, np.inf), (0.0, 1e200)]
)
def test_what_is_not_finite_is_flagged_and_not_applied(bad):
    line = Line()
    found = descend(line, Told((0, 1), bad, (0, 1)), constant, 1.0, 100).advance(0, 3)
    assert found["finite"].tolist() == [True, False, True]
    assert line.parameters["x"][0] == -2.0


def test_the_rate_is_halved_after_every_so_many_steps():
    line = Line()
    descender = SGD(SGDConfig(rate=0.8, halve_every=2))
    NumpyLearner(line, Told(*[(0, 1)] * 5), constant, descender, 100).advance(0, 5)
    assert line.parameters["x"][0] == pytest.approx(-(0.8 + 0.8 + 0.4 + 0.4 + 0.2))


def test_adamw_takes_torchs_steps():
    random, config = np.random.default_rng(0), AdamWConfig(rate=0.02, decay=0.3)
    ours = {"W": random.normal(size=(3, 4)), "b": random.normal(size=4)}
    theirs = {name: torch.nn.Parameter(torch.tensor(p)) for name, p in ours.items()}
    descender = NumpyAdamW(config, ours)
    reference = torch.optim.AdamW(
        [
            {"params": [theirs["W"]], "weight_decay": config.decay},
            {"params": [theirs["b"]], "weight_decay": 0.0},
        ],
        lr=config.rate,
        betas=(config.beta1, config.beta2),
    )
    for step in range(20):
        gradients = {name: random.normal(size=p.shape) for name, p in ours.items()}
        for name, p in theirs.items():
            p.grad = torch.tensor(gradients[name])
        for group in reference.param_groups:
            group["lr"] = config.rate * falling(step)
        reference.step()
        descender.step(ours, gradients, step, falling(step))
    for name, p in theirs.items():
        np.testing.assert_allclose(ours[name], p.detach().numpy(), rtol=1e-10)


@pytest.mark.parametrize("kind", ["sgd", "adamw"])
def test_stopped_saved_loaded_and_gone_on_is_bitwise_the_same(kind):
    whole, first, second = (learner(falling, kind) for _ in range(3))
    metrics = whole.advance(0, 10)
    early = first.advance(0, 9, stopped=iter([False] * 4 + [True]).__next__)
    saved = first.state()
    first.advance(5, 1)  # what was saved does not change with what it was taken from
    second.load(saved)
    late = second.advance(5, 5)
    for name, array in whole.state().arrays.items():
        assert array.tobytes() == second.state().arrays[name].tobytes()
        assert array.dtype == np.float32
    for name in metrics:
        np.testing.assert_array_equal(metrics[name], np.append(early[name], late[name]))
