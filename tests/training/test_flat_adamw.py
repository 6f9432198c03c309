"""The update of weights that lie together, against torch's own of single ones."""

import pytest
import torch
from torch import nn

from wherefrom.training.optimisers import AdamW, AdamWConfig

GOOD, BAD = torch.tensor(0.0), torch.tensor(1.0)
CONFIG = AdamWConfig(rate=0.01, decay=0.3, beta1=0.8, beta2=0.9)


@pytest.fixture
def pair(monkeypatch) -> tuple[nn.Module, AdamW, nn.Module, AdamW]:
    """Two equal models: one updated by torch's operation, the other in the form for a GPU."""
    monkeypatch.setattr(torch, "compile", lambda function, **_: function)
    models = []
    for _ in range(2):
        torch.manual_seed(0)
        models.append(nn.Sequential(nn.Embedding(7, 5), nn.Linear(5, 6), nn.LayerNorm(6)))
    one, other = (AdamW(list(model.named_parameters()), CONFIG) for model in models)
    return models[0], one, models[1], other


def step(model: nn.Module, optimiser: AdamW, number: int, bad=GOOD, grad_scale=None) -> None:
    generator = torch.Generator().manual_seed(number)
    for p in model.parameters():
        p.grad = torch.randn(p.shape, generator=generator).to(p.dtype)
    factor = torch.tensor(1 / (1 + number))
    optimiser.step(factor, bad, grad_scale)


def same(model: nn.Module, optimiser: AdamW, other_model: nn.Module, other: AdamW) -> None:
    for (name, a), b in zip(model.named_parameters(), other_model.parameters(), strict=True):
        torch.testing.assert_close(a, b, atol=1e-6, rtol=1e-5, msg=name)
    ours = other.state()
    for name, value in optimiser.state().items():
        torch.testing.assert_close(ours[name], value, atol=1e-6, rtol=1e-5, msg=name)


def test_it_is_torchs_update_begun_at_any_step_and_taken_back(pair):
    model, one, other_model, other = pair
    for number in range(9):
        if number == 2:
            other.compile(True)
        if number == 7:
            other.compile(False)
        grad_scale = torch.tensor(3.0) if number == 5 else None
        step(model, one, number, grad_scale=grad_scale)
        step(other_model, other, number, grad_scale=grad_scale)
        same(model, one, other_model, other)


def test_it_is_the_form_that_is_used_and_parts_begin_at_whole_lines(pair):
    _, _, model, optimiser = pair
    optimiser.compile(True)
    owners = {p.untyped_storage().data_ptr() for p in model.parameters()}
    assert len(owners) == 2  # those with decay, those without
    assert all(p.storage_offset() % 64 == 0 for p in model.parameters())
    called = []
    optimiser._flat._adjust = lambda *given: called.append(given)
    step(model, optimiser, 0)
    assert len(called) == 1


@pytest.mark.parametrize("value", [1.0, float("nan"), float("inf")])
def test_a_step_that_is_forbidden_changes_no_bit(pair, value):
    _, _, model, optimiser = pair
    optimiser.compile(True)

    def state() -> list[bytes]:
        kept = [*optimiser.state().values(), *model.parameters()]
        return [tensor.detach().numpy().tobytes() for tensor in kept]

    before = state()  # no step was taken yet: nothing may be divided by nothing
    step(model, optimiser, 1, bad=BAD, grad_scale=torch.tensor(value))
    assert state() == before
    step(model, optimiser, 0)
    after = state()
    step(model, optimiser, 1, bad=BAD, grad_scale=torch.tensor(value))
    assert state() == after


def test_a_weight_without_a_gradient_is_left_alone(pair):
    model, one, other_model, other = pair
    other.compile(True)
    for each, optimiser in ((model, one), (other_model, other)):
        step(each, optimiser, 0)
        each[0].weight.grad = None
        optimiser.step(torch.tensor(1.0), GOOD)
        step(each, optimiser, 2)  # from here on, each has its own number of steps
    same(model, one, other_model, other)
    with pytest.raises(ValueError, match="different numbers of steps"):
        other.compile(True)
