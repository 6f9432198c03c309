"""A stack of learners: every model ends as it would have alone, whatever stands beside it."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from wherefrom.core.contracts import Batch
from wherefrom.training.optimisers import AdamWConfig, MuonConfig

ADAMW, MUON = AdamWConfig(rate=0.01), MuonConfig(rate=0.02, adam_rate=0.01)
DROPPING = {"embd_pdrop": 0.2, "resid_pdrop": 0.1, "attn_pdrop": 0.1}
COURSE = {"attention": "causal", "norm": "layer", "activation": "gelu", "bias": True, "ngrams": 0}


class Broken:
    """An objective with one step whose targets weigh so much that the loss is not finite."""

    def __init__(self, objective, step: int) -> None:
        self.objective, self.step = objective, step

    def plan(self, first_step: int, count: int):
        return first_step, self.objective.plan(first_step, count)

    def render(self, plan, index: int) -> Batch:
        first, own = plan
        batch = self.objective.render(own, index)
        if first + index != self.step:
            return batch
        return replace(batch, weights=torch.full_like(batch.weights, float("inf")))


@pytest.mark.parametrize(
    ("changed", "optimiser"),
    [({}, MUON), (DROPPING, ADAMW), (DROPPING | COURSE, ADAMW)],
    ids=["plain", "dropping", "course"],
)
def test_every_model_equals_the_same_model_alone(stacks, changed, optimiser):
    given = {
        "config": replace(stacks.plain, **changed),
        "dtype": torch.float64,
        "optimiser": optimiser,
    }
    alone, together = ([stacks.build(seed, **given) for seed in (3, 4)] for _ in range(2))
    stack = stacks.build_stack(together)
    found = [stack.advance([first] * 2, 8) for first in range(0, stacks.steps, 8)]
    for k, learner in enumerate(alone):
        losses = np.concatenate([chunk[k]["loss"] for chunk in found])
        expected = learner.advance(0, stacks.steps)
        np.testing.assert_allclose(losses, expected["loss"], atol=1e-6)  # metrics are float32
        assert (np.concatenate([c[k]["targets"] for c in found]) == expected["targets"]).all()
        assert stacks.largest_difference(learner, together[k]) < 1e-8
    assert stacks.largest_difference(*together) > 0.01  # they did not learn the same


@pytest.mark.parametrize("optimiser", [ADAMW, MUON], ids=["adamw", "muon"])
def test_a_model_that_diverges_does_not_hurt_the_others(stacks, optimiser):
    given = {"dtype": torch.float64, "optimiser": optimiser}
    alone, together = ([stacks.build(seed, **given) for seed in (0, 1, 2)] for _ in range(2))
    for learners in (alone, together):
        learners[1].objective = Broken(learners[1].objective, step=3)
    found = stacks.build_stack(together).advance([0, 0, 0], 6)
    for k, bad in enumerate((None, 3, None)):  # one by itself leaves out the bad step alone
        assert found[k]["finite"].tolist() == [step != bad for step in range(6)]
        alone[k].advance(0, 6)
        assert stacks.largest_difference(alone[k], together[k]) < 1e-10


@pytest.mark.parametrize("packed", [False, True])
def test_models_at_different_steps_go_on_together(stacks, packed):
    config = replace(stacks.plain, **DROPPING)
    given = {"config": config, "dtype": torch.float64, "packed": packed}
    alone, together = ([stacks.build(seed, **given) for seed in (0, 1, 2)] for _ in range(2))
    together[1].advance(0, 4)  # alone, before it joins the others
    stack = stacks.build_stack(together)
    stack.advance([0, 4, None], 3)
    stack.advance([3, None, 0], 2)
    for k, steps in enumerate((5, 7, 2)):
        alone[k].advance(0, steps)
        assert stacks.largest_difference(alone[k], together[k]) < 1e-10


@pytest.mark.parametrize("optimiser", [ADAMW, MUON], ids=["adamw", "muon"])
def test_a_model_is_saved_and_loaded_as_if_it_were_alone(stacks, optimiser):
    given = {"config": replace(stacks.plain, **DROPPING), "optimiser": optimiser}
    whole = [stacks.build(seed, **given) for seed in (0, 1)]
    stacks.build_stack(whole).advance([0, 0], 6)
    first = [stacks.build(seed, **given) for seed in (0, 1)]
    stacks.build_stack(first).advance([0, 0], 3)
    states = [learner.state() for learner in first]
    second = [stacks.build(seed, **given) for seed in (0, 1)]
    stack = stacks.build_stack(second)
    for learner, state in zip(second, states, strict=True):
        learner.load(state)
    stack.advance([3, 3], 3)
    for one, other in zip(whole, second, strict=True):  # the same stack: the same bits
        assert stacks.largest_difference(one, other) == 0


def test_a_stack_stops_after_the_step_in_which_it_is_told_to(stacks):
    learners = [stacks.build(seed) for seed in (0, 1)]
    found = stacks.build_stack(learners).advance([0, 0], 10, stopped=lambda: True)
    assert [len(metrics["loss"]) for metrics in found] == [1, 1]
