"""A stack of learners: every model ends as it would have alone, whatever stands beside it.

Without a GPU, the graph's step is called instead of replayed.
"""

import numpy as np
import pytest
import torch
from msgspec.structs import replace

from wherefrom.core.contracts import Batch
from wherefrom.training import captured_rows
from wherefrom.training.captured import find_losses
from wherefrom.training.optimisers import AdamWConfig, MuonConfig

pytestmark = pytest.mark.usefixtures("capturing_cpu")
ADAMW, MUON = AdamWConfig(rate=0.01), MuonConfig(rate=0.02, adam_rate=0.01)
DROPPING = {"embd_pdrop": 0.2, "resid_pdrop": 0.1}
COURSE = {"attention": "causal", "norm": "layer", "activation": "gelu", "bias": True, "ngrams": 0}


class Broken:
    """An objective with one step whose targets weigh so much that the loss is not finite."""

    def __init__(self, objective, step: int) -> None:
        self.objective, self.step, self.width = objective, step, objective.width

    def plan(self, first_step: int, count: int):
        return first_step, self.objective.plan(first_step, count)

    def render_all(self, plan, rows) -> Batch:
        first, own = plan
        batch = self.objective.render_all(own, rows)
        if 0 <= self.step - first < len(batch.weights):
            batch.weights[self.step - first] = float("inf")
        return batch


@pytest.mark.parametrize(
    ("free", "changed", "optimiser"),  # bytes that are free: rows of a chunk, or of all steps
    [(1, {}, MUON), (2**28, DROPPING, MUON), (2**28, COURSE, ADAMW)],
    ids=["plain", "dropping", "course"],
)
def test_models_at_different_places_equal_the_same_models_alone(
    stacks, free, changed, optimiser, monkeypatch
):
    """Alone they take their steps one by one, but for dropout, which captured steps count."""
    monkeypatch.setattr(captured_rows, "_ON_CPU", free)
    given = replace(stacks.plain, **changed), torch.float64
    alone, together = (
        [stacks.build(seed, *given, optimiser=optimiser) for seed in (3, 4, 6)] for _ in range(2)
    )
    stack = stacks.build_stack(together)
    found = [stack.advance(*at) for at in (([0, None, 0], 3), ([3, 0, None], 3), ([None, 3, 3], 2))]
    for k, steps in enumerate((6, 5, 5)):
        chunks = [chunk[k] for chunk in found if chunk[k] is not None]
        one = stacks.capture(alone[k]) if changed is DROPPING else alone[k]
        expected = one.advance(0, steps)
        for name in ("loss", "targets"):
            whole = np.concatenate([chunk[name] for chunk in chunks])
            np.testing.assert_allclose(whole, expected[name], atol=1e-6)  # metrics are float32
        assert stacks.largest_difference(alone[k], together[k]) < 1e-6  # rates are, too
    assert stacks.largest_difference(*together[1:]) > 0.01  # they did not learn the same


def test_weights_of_documents_leave_rows_out_of_each_models_loss(stacks):
    """One corpus for both models: the first is taught documents 0 and 2, the second 1 and 2."""
    weights_KN = torch.tensor([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]])
    learners = [stacks.build(3, dtype=torch.float64) for _ in weights_KN]
    mix = learners[0].objective
    for learner, weights_N in zip(learners, weights_KN, strict=True):
        learner.objective = mix.weighted({"documents": weights_N})
    stack = stacks.build_stack(learners)
    stack.prepare(1)
    plan = mix.plan(0, 1)
    batch, documents = mix.render_all(plan), plan[0][1][0, :, 0]
    stack.captured._loss(*stack.captured._pick_rows()).sum().backward()
    for k, weights_N in enumerate(weights_KN):
        rows = weights_N[documents].nonzero()[:, 0]
        assert 0 < len(rows) < len(documents)
        parts = (batch.inputs, batch.targets, batch.weights, batch.lengths)
        alone = stacks.build(3, dtype=torch.float64).model
        find_losses(alone, Batch(*(part[:, rows] for part in parts)), 0).sum().backward()
        gradients = {name: p.grad for name, p in stack.model.named_parameters()}
        for name, parameter in alone.named_parameters():
            torch.testing.assert_close(gradients[name][k], parameter.grad, msg=name)


@pytest.mark.parametrize("optimiser", [ADAMW, MUON], ids=["adamw", "muon"])
def test_a_model_that_diverges_does_not_hurt_the_others(stacks, optimiser):
    given = {"dtype": torch.float64, "optimiser": optimiser}
    alone, together = ([stacks.build(seed, **given) for seed in (0, 1, 2)] for _ in range(2))
    for learners in (alone, together):
        learners[1].objective = Broken(learners[1].objective, step=3)
    found = stacks.build_stack(together).advance([0, 0, 0], 6)
    for k, bad in enumerate((None, 3, None)):  # one by itself leaves out the bad step alone
        assert found[k]["finite"].tolist() == [step != bad for step in range(6)]
        stacks.capture(alone[k]).advance(0, 6)
        assert stacks.largest_difference(alone[k], together[k]) < 1e-8


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


def test_masks_are_counted_and_drop_their_share(stacks):
    config = replace(stacks.plain, **DROPPING)
    stack = stacks.build_stack([stacks.build(seed, config) for seed in (3, 4, 6)])
    stack.prepare(4)
    captured = stack.captured
    layer, other = captured.dropouts[:2]
    captured._set_seeds([[11, 12, 11]])
    layer.seeds.copy_(captured._step_seeds[0])
    x = torch.ones(3 * 40, 50)
    first, second, third = layer(x).view(3, 40, 50)
    assert torch.equal(first, third)  # the same seed
    assert not torch.equal(first, second)
    assert float((layer(x) == 0).float().mean()) == pytest.approx(layer.p, abs=0.03)
    assert float(layer(x).mean()) == pytest.approx(1.0, abs=0.05)
    assert not torch.equal(other(x)[:40] == 0, first == 0)  # another layer
