"""Training as a function: a learner's own steps, and derivatives that finite differences find."""

from dataclasses import replace

import pytest
import torch

from wherefrom.models.plain import copy_plainly
from wherefrom.training.unrolled import find_loss, unroll

COURSE = {"attention": "causal", "norm": "layer", "activation": "gelu", "bias": True, "ngrams": 0}
STEPS, BY = 3, 1e-7


def train(learner, model, weights):
    """The parameters after some steps, as a function of the documents' weights."""
    mix = learner.objective.weighted(weights)
    plan = mix.plan(0, STEPS)
    batches = [mix.render(plan, i) for i in range(STEPS)]
    factors, _ = learner.pace(0, STEPS)
    stage, parameters = learner.stage, dict(model.named_parameters())
    return unroll(parameters, model, batches, stage.optimiser, factors, stage.clip)


@pytest.mark.parametrize("changed", [{}, COURSE], ids=["plain", "course"])
def test_the_steps_are_those_of_a_learner(stacks, changed):
    learner = stacks.build(3, replace(stacks.plain, **changed), torch.float64)
    found = train(learner, copy_plainly(learner.model), {})
    learner.advance(0, STEPS)
    for name, expected in learner.model.named_parameters():
        torch.testing.assert_close(found[name], expected, atol=1e-6, rtol=1e-5, msg=name)


@pytest.mark.parametrize("changed", [{}, COURSE], ids=["plain", "course"])
def test_what_weights_of_documents_do_to_a_later_loss(stacks, changed):
    learner = stacks.build(3, replace(stacks.plain, **changed), torch.float64)
    model = copy_plainly(learner.model)
    held_out = learner.objective.render(learner.objective.plan(STEPS, 1), 0)

    def later_loss(weights_N):
        return find_loss(train(learner, model, {"documents": weights_N}), model, held_out)

    weights = torch.tensor([1.0, 0.5, 0.8], dtype=torch.float64, requires_grad=True)
    (found,) = torch.autograd.grad(later_loss(weights), weights)
    shifts = BY * torch.eye(3, dtype=torch.float64)
    each = [later_loss(weights + s) - later_loss(weights - s) for s in shifts]
    torch.testing.assert_close(found, torch.stack(each) / (2 * BY), atol=1e-8, rtol=1e-4)
    assert found.abs().min() > 1e-6
