"""Captured steps of a stack, without a GPU: the graph's step is called instead of replayed."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from wherefrom.training import captured_rows
from wherefrom.training.captured import CapturedSteps
from wherefrom.training.captured_stack import CapturedStack
from wherefrom.training.optimisers import AdamWConfig, MuonConfig
from wherefrom.training.stack import Stack
from wherefrom.training.torch_learner import TorchLearner

ADAMW, MUON = AdamWConfig(rate=0.01), MuonConfig(rate=0.02, adam_rate=0.01)
DROPPING = {"embd_pdrop": 0.2, "resid_pdrop": 0.1}  # inside attention nothing is counted


@pytest.fixture(autouse=True)
def stepped(monkeypatch):
    monkeypatch.setattr(CapturedSteps, "_capture", lambda self: SimpleNamespace(replay=self._step))


def build_both(stacks, changed, **given) -> tuple[list[TorchLearner], Stack]:
    config = replace(stacks.plain, **changed)
    alone, together = (
        [stacks.capture(stacks.build(seed, config, torch.float64, **given)) for seed in (3, 4, 6)]
        for _ in range(2)
    )
    return alone, stacks.build_stack(together)


@pytest.mark.parametrize(
    ("free", "changed", "optimiser"),  # bytes that are free: rows of a chunk, or of all steps
    [(1, {}, ADAMW), (2**28, DROPPING, MUON)],
    ids=["plain", "dropping"],
)
def test_models_at_different_places_equal_the_same_models_alone(
    stacks, free, changed, optimiser, monkeypatch
):
    monkeypatch.setattr(captured_rows, "_ON_CPU", free)
    alone, stack = build_both(stacks, changed, optimiser=optimiser)
    assert isinstance(stack.captured, CapturedStack)
    found = [stack.advance(*at) for at in (([0, None, 0], 3), ([3, 0, None], 3), ([None, 3, 3], 2))]
    for k, steps in enumerate((6, 5, 5)):
        losses = [chunk[k]["loss"] for chunk in found if chunk[k] is not None]
        expected = alone[k].advance(0, steps)["loss"]
        np.testing.assert_allclose(np.concatenate(losses), expected, atol=1e-6)  # float32
        assert stacks.largest_difference(alone[k], stack.learners[k]) < 1e-8


def test_warming_up_changes_nothing(stacks):
    _, stack = build_both(stacks, {}, optimiser=MUON)
    before = [learner.state().arrays for learner in stack.learners]
    stack.prepare(5)
    assert stack.captured is not None
    stack.captured._hold.fill_(1)
    stack.captured._step()
    for learner, kept in zip(stack.learners, before, strict=True):
        after = learner.state().arrays
        assert all(np.array_equal(after[name], kept[name]) for name in kept)


def test_masks_are_counted_and_drop_their_share(stacks):
    _, stack = build_both(stacks, DROPPING)
    stack.prepare(4)
    layer = stack.dropouts[0]
    assert stack.captured is not None
    stack.captured._set_seeds([[11, 12, 11]])
    layer.seeds.copy_(stack.captured._step_seeds[0])
    x = torch.ones(3 * 40, 50)
    first, second, third = layer(x).view(3, 40, 50)
    assert torch.equal(first, third)  # the same seed
    assert not torch.equal(first, second)
    assert float((layer(x) == 0).float().mean()) == pytest.approx(layer.p, abs=0.03)
    assert float(layer(x).mean()) == pytest.approx(1.0, abs=0.05)
    other = stack.dropouts[1]
    assert not torch.equal(other(x)[:40] == 0, first == 0)  # another layer
