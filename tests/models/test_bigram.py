"""The hand-written gradients against central differences and torch's own."""

import numpy as np
import pytest
import torch

from wherefrom.core.contracts import Batch, Scorer
from wherefrom.core.errors import UsageError
from wherefrom.models.bigram import Bigram, BigramConfig, build

WORDS, ROWS = 7, 11
NAMES = ["W1", "b1", "W2", "b2"]


def network(width: int = 5, **config) -> Bigram:
    net = build(BigramConfig(hidden=4, width=width, **{"dtype": "float64"} | config), WORDS, 3)
    random = np.random.default_rng(0)
    for name in ("b1", "b2"):  # zero at first, where a wrong sign could hide
        net.parameters[name] += random.normal(size=net.parameters[name].shape)
    return net


def batch(weights=None) -> Batch:
    random = np.random.default_rng(1)
    inputs, targets = random.integers(0, WORDS, (2, ROWS))
    return Batch(inputs, targets, random.uniform(0, 3, ROWS) if weights is None else weights)


@pytest.mark.parametrize("width", [0, 5])
def test_gradients_agree_with_central_differences(width):
    net, rows, step = network(width), batch(), 1e-5
    gradients = net.loss_and_gradients(rows)[1]
    for name, values in net.parameters.items():
        measured = np.zeros_like(values)
        for place in np.ndindex(values.shape):
            kept, ends = values[place], []
            for sign in (1, -1):
                values[place] = kept + sign * step
                ends.append(net.loss_and_gradients(rows)[0])
            values[place] = kept
            measured[place] = (ends[0] - ends[1]) / (2 * step)
        scale = np.abs(gradients[name]).max()
        np.testing.assert_allclose(measured, gradients[name], rtol=0, atol=1e-6 * scale)


@pytest.mark.parametrize("width", [0, 5])
def test_loss_and_gradients_agree_with_torch(width):
    net, rows = network(width), batch()
    loss, gradients = net.loss_and_gradients(rows)
    p = {k: torch.tensor(v, requires_grad=True) for k, v in net.parameters.items()}
    hidden = torch.sigmoid(torch.tensor(net.vectors[rows.inputs]) @ p["W1"] + p["b1"])
    losses = torch.nn.functional.cross_entropy(
        hidden @ p["W2"] + p["b2"], torch.tensor(rows.targets), reduction="none"
    )
    weights = torch.tensor(rows.weights)
    expected = (losses * weights).sum() / weights.sum()
    expected.backward()
    assert loss == pytest.approx(expected.item(), rel=1e-12)
    for name in NAMES:
        torch.testing.assert_close(
            torch.tensor(gradients[name]), p[name].grad, rtol=1e-6, atol=1e-12
        )


def test_counts_stand_for_rows_that_repeat():
    net, counts = network(), np.random.default_rng(2).integers(0, 4, ROWS)
    counted = batch(counts)
    repeated = Batch(
        np.repeat(counted.inputs, counts), np.repeat(counted.targets, counts), np.ones(counts.sum())
    )
    loss, gradients = net.loss_and_gradients(counted)
    expected_loss, expected = net.loss_and_gradients(repeated)
    assert loss == pytest.approx(expected_loss, rel=1e-12)
    for name in NAMES:
        np.testing.assert_allclose(gradients[name], expected[name], rtol=1e-9, atol=1e-15)


def test_a_batch_without_weight_costs_and_teaches_nothing():
    loss, gradients = network().loss_and_gradients(batch(np.zeros(ROWS)))
    assert loss == 0
    assert all((g == 0).all() for g in gradients.values())


def test_log_probabilities_sum_to_one_and_make_up_the_loss():
    net, rows = network(), batch(np.ones(ROWS))
    scorer: Scorer = net
    every = np.stack(np.meshgrid(range(WORDS), range(WORDS), indexing="ij"), -1).reshape(-1, 2)
    table = scorer.log_probabilities(every).reshape(WORDS, WORDS)
    np.testing.assert_allclose(np.exp(table).sum(1), 1, rtol=1e-12)
    scored = scorer.log_probabilities(np.stack([rows.inputs, rows.targets], 1))
    assert scored.shape == (ROWS,)
    assert -scored.mean() == pytest.approx(net.loss_and_gradients(rows)[0], rel=1e-12)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_large_weights_overflow_nothing(dtype):
    net = network(dtype=dtype)
    net.parameters["W1"] *= 1e4
    net.parameters["W2"] *= 1e4
    loss, gradients = net.loss_and_gradients(batch())
    assert np.isfinite(loss)
    assert all(np.isfinite(g).all() for g in gradients.values())


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_everything_stays_in_the_chosen_precision(dtype):
    net = network(dtype=dtype)
    gradients = net.loss_and_gradients(batch())[1]
    for name, shape in zip(NAMES, [(5, 4), (4,), (4, WORDS), (WORDS,)], strict=True):
        assert net.parameters[name].dtype == gradients[name].dtype == dtype
        assert net.parameters[name].shape == gradients[name].shape == shape
    assert net.vectors.dtype == dtype


def test_initial_values_fill_the_range_and_follow_the_seed():
    config = BigramConfig(hidden=50, width=40)
    first, again, other = (build(config, 100, seed) for seed in (0, 0, 1))
    for name, fans in (("W1", 90), ("W2", 150)):
        values, bound = first.parameters[name], np.sqrt(6 / fans)
        assert 0.95 * bound < np.abs(values).max() <= bound
        assert abs(values.mean()) < 4 * bound / np.sqrt(3 * values.size)
        assert len(np.unique(values)) > 0.99 * values.size
        np.testing.assert_array_equal(values, again.parameters[name])
        assert (values != other.parameters[name]).mean() > 0.99
    assert not first.parameters["b1"].any()
    assert not first.parameters["b2"].any()
    assert np.abs(first.vectors).max() <= 1
    np.testing.assert_array_equal(build(BigramConfig(width=0), 6, 0).vectors, np.eye(6))


@pytest.mark.parametrize(("field", "value"), [("hidden", 0), ("width", -1), ("dtype", "float16")])
def test_a_config_that_makes_no_network_is_refused(field, value):
    with pytest.raises(UsageError, match=rf"BigramConfig\.{field}"):
        BigramConfig(**{field: value})
