"""The hand-written gradients against torch's own."""

import numpy as np
import pytest
import torch

from wherefrom.core.contracts import Batch
from wherefrom.core.errors import BadData
from wherefrom.models.bigram import Bigram, BigramConfig, build, pack, unpack

WORDS, ROWS = 7, 11
NAMES = ["W1", "b1", "W2", "b2"]


def network(width: int = 5, kind: type[np.generic] = np.float64) -> Bigram:
    made = build(BigramConfig(hidden=4, width=width), WORDS, 3)
    net = Bigram(made.vectors.astype(kind), made.flat.astype(kind), made.dimensions)
    random = np.random.default_rng(0)
    for name in ("b1", "b2"):  # zero at first, where a wrong sign could hide
        net.parameters[name] += random.normal(size=net.parameters[name].shape)
    return net


def batch(weights=None) -> Batch:
    random = np.random.default_rng(1)
    inputs, targets = random.integers(0, WORDS, (2, ROWS))
    return Batch(inputs, targets, random.uniform(0, 3, ROWS) if weights is None else weights)


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


def test_probabilities_computed_by_hand():
    """One hidden unit that is off (h = 1/2): theta = (ln 3, 0), so p = (3/4, 1/4)."""
    flat = np.array([0.0, 0.0, 2 * np.log(3), 0.0, 0.0, 0.0])  # W1, b1, W2, b2
    net = Bigram(np.array([[1.0], [2.0]]), flat, (1, 1, 2))
    np.testing.assert_allclose(net.probabilities(np.array([1])), [[0.75, 0.25]])
    text = np.array([[0, 0], [1, 0], [0, 1]])
    np.testing.assert_allclose(net.log_probabilities(text), np.log([0.75, 0.75, 0.25]))


def test_parameters_are_packed_as_the_homework_packs_them():
    net = network()
    assert net.flat.shape == (5 * 4 + 4 + 4 * WORDS + WORDS,)
    np.testing.assert_array_equal(pack(net.parameters), net.flat)
    assert net.flat[20:24].tolist() == net.parameters["b1"].tolist()
    np.testing.assert_array_equal(net.flat[24:-WORDS], net.parameters["W2"].ravel())
    again = unpack(net.flat.copy(), (5, 4, WORDS))
    for name in NAMES:
        np.testing.assert_array_equal(again[name], net.parameters[name])
    with pytest.raises(BadData, match=r"expected 59 numbers in a row .*, found .* \[58\]"):
        unpack(net.flat[1:], (5, 4, WORDS))


def test_given_vectors_are_used_and_must_fit():
    vectors = np.random.default_rng(0).normal(size=(WORDS, 5)).astype(np.float32)
    config = BigramConfig(hidden=4, width=5)
    np.testing.assert_array_equal(build(config, WORDS, 0, 0, vectors).vectors, vectors)
    with pytest.raises(
        BadData, match=r"expected 6 numbers for each of 7 words, found 5 for each of 7"
    ):
        build(BigramConfig(hidden=4, width=6), WORDS, 0, 0, vectors)


def test_the_homeworks_parameters_begin_normally_distributed_each_stage_its_own():
    config = BigramConfig(hidden=50, width=40, initial=("normal", "glorot"))
    flat = build(config, 100, 0, stage=0).flat
    assert abs(flat.mean()) < 0.05
    assert flat.std() == pytest.approx(1, abs=0.03)
    later = build(config, 100, 0, stage=1)
    assert np.abs(later.flat).max() <= np.sqrt(6 / 90)
    assert (later.flat[:2000] != build(config, 100, 0, stage=2).flat[:2000]).mean() > 0.99


def test_a_batch_without_weight_costs_and_teaches_nothing():
    loss, gradients = network().loss_and_gradients(batch(np.zeros(ROWS)))
    assert loss == 0
    assert all((g == 0).all() for g in gradients.values())


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_large_weights_overflow_nothing(kind):
    net = network(kind=kind)
    net.parameters["W1"] *= 1e4
    net.parameters["W2"] *= 1e4
    loss, gradients = net.loss_and_gradients(batch())
    assert np.isfinite(loss)
    assert all(np.isfinite(g).all() for g in gradients.values())


def test_initial_values_fill_the_range_and_follow_the_seed():
    config = BigramConfig(hidden=50, width=40)
    first, again, other = (build(config, 100, seed) for seed in (0, 0, 1))
    for name, fans in (("W1", 90), ("W2", 150)):
        values, bound = first.parameters[name], np.sqrt(6 / fans)
        assert 0.95 * bound < np.abs(values).max() <= bound
        np.testing.assert_array_equal(values, again.parameters[name])
        assert (values != other.parameters[name]).mean() > 0.99
    assert not first.parameters["b1"].any()
    assert not first.parameters["b2"].any()
    assert np.abs(first.vectors).max() <= 1
    np.testing.assert_array_equal(build(BigramConfig(width=0), 6, 0).vectors, np.eye(6))
