"""The recurrence by hand: torch's own layer says the same."""

import pytest
import torch
from torch import nn

from wherefrom.models.recurrence import run_layer


def random_layer(dtype: torch.dtype = torch.float64) -> nn.GRU:
    torch.manual_seed(0)
    layer = nn.GRU(4, 3, batch_first=True, dtype=dtype)
    for parameter in layer.parameters():
        nn.init.normal_(parameter)
    return layer


@pytest.mark.parametrize(("rows", "length"), [(1, 1), (1, 9), (5, 7)])
@pytest.mark.parametrize("begun", [False, True])
def test_states_and_gradients_are_those_of_torchs_layer(rows, length, begun):
    layer = random_layer()
    inputs = torch.randn(rows, length, 4, dtype=torch.float64, requires_grad=True)
    before = torch.randn(rows, 3, dtype=torch.float64, requires_grad=True) if begun else None
    weights = torch.randn(rows, length, 3, dtype=torch.float64)
    wanted = [p for p in (inputs, before, *layer.parameters()) if p is not None]
    ours = run_layer(layer, inputs, before)
    theirs, _ = layer(inputs, None if before is None else before[None])
    torch.testing.assert_close(ours, theirs, atol=1e-12, rtol=1e-10)
    for mine, other in zip(
        torch.autograd.grad((ours * weights).sum(), wanted),
        torch.autograd.grad((theirs * weights).sum(), wanted),
        strict=True,
    ):
        torch.testing.assert_close(mine, other, atol=1e-12, rtol=1e-9)


def test_nothing_is_kept_without_gradients():
    layer = random_layer(torch.float32)
    with torch.no_grad():
        found = run_layer(layer, torch.randn(2, 6, 4), None)
    assert found.shape == (2, 6, 3)
    assert not found.requires_grad
