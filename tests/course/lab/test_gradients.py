"""Gradients and perplexity: the known numbers.

The expected figures are computed here in another way or are the published ones.
"""

from math import log, sqrt

import numpy as np
import pytest


def test_perplexity(found, drawn):
    p = drawn(9).uniform(0.01, 0.9, 200)
    mean = float(np.prod((1 / p) ** (1 / len(p))))
    for label in ("2^(-mean log2 p)", "10^(-mean log10 p)", "both are the geometric mean"):
        assert found("perplexity-base", label) == pytest.approx(mean)
    mixed = found("perplexity-base", "bases mixed, e^(-mean log2 p)")
    assert mixed == pytest.approx(mean ** (1 / log(2)))

    def integral(u):
        return u - u * log(u)

    nats = (integral(0.9) - integral(0.01)) / 0.89  # the mean of -ln p for p as they were drawn
    assert log(mean) == pytest.approx(nats, abs=4 * np.log(p).std() / sqrt(200))


def test_the_input_gradient_is_torchs(found, drawn):
    import torch

    random = drawn(8)
    w1, b1, w2, b2, x = (
        torch.from_numpy(random.standard_normal(shape)) for shape in ((5, 7), 7, (7, 4), 4, 5)
    )
    x.requires_grad_()
    scores = torch.sigmoid(x @ w1 + b1) @ w2 + b2
    torch.nn.functional.cross_entropy(scores[None], torch.tensor([1])).backward()
    length = found("input-gradient", "slope along the gradient")
    assert length == pytest.approx(float(x.grad.norm()), abs=1e-7)
    flat = (torch.softmax(scores.detach(), 0) - torch.tensor([0.0, 1, 0, 0])) @ w2.T @ w1.T
    gap = found("input-gradient", "without h (1 - h)")
    assert gap == pytest.approx(float((flat - x.grad).abs().max()), abs=1e-7)
