"""Muon against the singular value decomposition, and against itself by hand."""

import numpy as np
import torch
from torch import nn

from wherefrom.training.muon import (
    Muon,
    MuonConfig,
    orthogonalise,
    orthogonalise_alike,
    turn_matrices,
)

GOOD = torch.tensor(0.0)


def newton_schulz(matrix: np.ndarray, iterations: int) -> np.ndarray:
    """The quintic iteration in float64, with the singular values alone: the vectors stay."""
    u, s, vt = np.linalg.svd(matrix, full_matrices=False)
    s = s / np.sqrt((s**2).sum())
    for _ in range(iterations):
        s = 3.4445 * s - 4.7750 * s**3 + 2.0315 * s**5
    return u * s @ vt


def test_muon_by_hand():
    """Two steps of Nesterov momentum, orthogonalised, scaled by the shape, decayed."""
    config = MuonConfig(rate=0.1, momentum=0.8, decay=0.5, iterations=5)
    for shape, stretch in (((6, 4), np.sqrt(6 / 4)), ((4, 6), 1.0)):
        p = nn.Parameter(torch.randn(shape, generator=torch.Generator().manual_seed(4)))
        expected, momentum = p.detach().double().numpy(), np.zeros(shape)
        muon = Muon([("w", p)], config)
        for step, factor in enumerate((1.0, 0.5)):
            p.grad = torch.randn(shape, generator=torch.Generator().manual_seed(5 + step))
            gradient = p.grad.double().numpy()
            momentum = 0.8 * momentum + 0.2 * gradient
            ahead = 0.8 * momentum + 0.2 * gradient
            rate = 0.1 * factor
            expected = expected * (1 - rate * 0.5) - rate * stretch * newton_schulz(ahead, 5)
            muon.step(factor, GOOD)
        np.testing.assert_allclose(p.detach().numpy(), expected, atol=1e-4)
        (kept,) = muon.state().values()
        np.testing.assert_allclose(kept[0].numpy(), momentum, atol=1e-6)


def test_wide_and_tall_matrices_go_through_one_iteration():
    draw = torch.Generator().manual_seed(6)
    shapes = (2, 3, 4, 9), (1, 3, 9, 4)
    wide, tall = (torch.randn(shape, generator=draw).double() for shape in shapes)
    found = orthogonalise_alike([wide, tall], 5)
    for one, other in zip((wide, tall), found, strict=True):
        expected = orthogonalise(one.flatten(0, 1), 5).view_as(one)
        torch.testing.assert_close(other, expected, atol=1e-5, rtol=1e-4)


def test_clipping_on_the_way_is_clipping_before():
    draw = torch.Generator().manual_seed(7)
    gradient, momentum, matrices = (torch.randn(2, 4, 6, generator=draw).double() for _ in range(3))
    grad_scale, rate = torch.tensor([2.5, 0.1]).double()
    good = torch.tensor(True)
    found: list[list[torch.Tensor]] = []
    for given, divisor in ((gradient, grad_scale), (gradient / grad_scale, None)):
        own = [momentum.clone(), matrices.clone()]
        turn_matrices([given], own[:1], own[1:], rate, good, divisor, MuonConfig())
        found.append(own)
    for one, other in zip(*found, strict=True):
        torch.testing.assert_close(one, other)
    assert not torch.equal(found[0][1], matrices)
