"""Rotary positions: each pair of a head as a complex number that is turned."""

from types import SimpleNamespace

import torch

from wherefrom.models.attention.rope import RotarySelfAttention


def mixer() -> RotarySelfAttention:
    config = SimpleNamespace(n_embd=8, n_head=1, block_size=20, attn_pdrop=0.0, resid_pdrop=0.0)
    return RotarySelfAttention(config).double()


def test_a_pair_is_multiplied_by_a_complex_number_of_its_position():
    x = torch.randn(2, 3, 1, 20, 8, dtype=torch.float64)
    found = mixer().place(x, None)
    pairs = torch.complex(x[..., :4], x[..., 4:])
    rates = torch.tensor([1.0, 0.1, 0.01, 0.001], dtype=torch.float64)  # 10000^(-2i/8)
    turns = torch.polar(torch.ones(20, 4).double(), torch.arange(20)[:, None] * rates)
    wanted = pairs * turns
    torch.testing.assert_close(found, torch.cat((wanted.real, wanted.imag), -1), atol=1e-5, rtol=0)
