"""The exact GELU whose gradient is fast on a plain CPU: the same numbers as torch's."""

import pytest
import torch
from torch import nn

from wherefrom.models import block


@pytest.fixture(params=[True, False], ids=["slope kept", "torch's own"])
def activation(request, monkeypatch):
    monkeypatch.setattr(block, "_slow_gradient", lambda device: request.param)
    return block.GELU()


def test_value_and_gradient_equal_torchs(activation):
    x = torch.linspace(-9, 9, 2001, dtype=torch.float64).requires_grad_()
    weights = torch.linspace(-1, 2, 2001, dtype=torch.float64)
    (mine,) = torch.autograd.grad((activation(x) * weights).sum(), x)
    (torchs,) = torch.autograd.grad((nn.functional.gelu(x) * weights).sum(), x)
    torch.testing.assert_close(mine, torchs, rtol=1e-12, atol=1e-12)
    torch.testing.assert_close(activation(x), nn.functional.gelu(x), rtol=1e-12, atol=1e-12)
