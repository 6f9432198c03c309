from statistics import NormalDist

import numpy as np
import pytest
import scipy

from wherefrom.course.lab import numerics


def test_softmax_and_sigmoid_do_not_overflow():
    assert numerics.softmax(np.array([1e4, 0.0])).tolist() == [1.0, 0.0]
    x = np.array([-800.0, -1.0, 0.0, 2.0, 800.0])
    assert numerics.sigmoid(x) == pytest.approx(scipy.special.expit(x), rel=1e-12)


@pytest.mark.parametrize(("sd", "low"), [(0.7, -np.inf), (0.7, -1.0), (1.0, 0.5)])
def test_gaussian_means_agree_with_another_quadrature(sd, low):
    normal = NormalDist(0, sd)

    def f(g):
        return scipy.special.expit(10 * g + 3)

    start, end = max(low, -9 * sd), 9 * sd
    mean = scipy.integrate.quad(
        lambda g: f(g) * normal.pdf(g), start, end, points=[-0.3], limit=200
    )[0]
    assert numerics.gaussian_mean(f, sd, low) == pytest.approx(
        mean / (1 - normal.cdf(low)), abs=1e-9
    )


def test_a_seed_and_a_use_give_the_same_numbers_again_and_others_do_not():
    first = numerics.generator(3, 1).standard_normal(4)
    assert (first == numerics.generator(3, 1).standard_normal(4)).all()
    for seed, use in ((4, 1), (3, 2), (1, 3)):
        assert (first != numerics.generator(seed, use).standard_normal(4)).all()
