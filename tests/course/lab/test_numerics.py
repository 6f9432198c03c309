from statistics import NormalDist

import numpy as np
import pytest
import scipy

from wherefrom.course.lab import numerics


def test_sigmoid_does_not_overflow():
    x = np.array([-800.0, -1.0, 0.0, 2.0, 800.0])
    assert numerics.sigmoid(x) == pytest.approx(scipy.special.expit(x), rel=1e-12)


@pytest.mark.parametrize(("sd", "low"), [(0.7, -np.inf), (0.7, -1.0), (1.0, 0.5)])
def test_gaussian_variances_agree_with_another_quadrature(sd, low):
    normal = NormalDist(0, sd)

    def f(g):
        return scipy.special.expit(10 * g + 3)

    def mean(f):
        ends = max(low, -9 * sd), 9 * sd
        whole = scipy.integrate.quad(lambda g: f(g) * normal.pdf(g), *ends, points=[-0.3])[0]
        return whole / (1 - normal.cdf(low))

    wanted = mean(lambda g: f(g) ** 2) - mean(f) ** 2
    assert numerics.gaussian_variance(f, sd, low) == pytest.approx(wanted, rel=1e-5)


def test_central_differences_are_torchs_gradient():
    import torch

    x = torch.tensor([0.3, -1.2, 2.0], dtype=torch.float64, requires_grad=True)
    torch.logsumexp(x, 0).backward()
    found = numerics.central_differences(lambda x: scipy.special.logsumexp(x), x.detach().numpy())
    assert found == pytest.approx(x.grad.numpy(), abs=1e-9)
