"""Two samples: against scipy, and by simulation."""

import numpy as np
import pytest

from wherefrom.evaluation.two_samples import compare_distributions, compare_shares, mismatch


def test_the_mismatch_is_kolmogorovs_and_smirnovs(stats):
    one, other = np.sin(np.arange(50)), np.cos(np.arange(30)) + 0.3
    assert mismatch(one, other) == pytest.approx(stats.ks_2samp(one, other).statistic)
    assert mismatch(one, one) == 0
    assert compare_distributions(one, one) == 1


@pytest.mark.parametrize("shift", [0.0, 0.1, 0.25, 0.5, 1.0])
@pytest.mark.parametrize("sizes", [(40, 60), (152, 150), (400, 437)])
def test_distributions_are_compared_as_in_scipy(stats, sizes, shift):
    """Stephens's approximation is within a few per cent of the asymptotic p-value."""
    generator = np.random.default_rng(1)
    one, other = generator.normal(size=sizes[0]), generator.normal(size=sizes[1]) + shift
    expected = stats.ks_2samp(one, other, method="exact").pvalue
    assert compare_distributions(one, other) == pytest.approx(expected, rel=0.25, abs=0.02)


@pytest.mark.parametrize(
    "counts",
    [(36, 400, 60, 437), (0, 20, 0, 30), (20, 20, 30, 30), (1, 20, 9, 20), (3, 100, 5, 60)],
)
def test_shares_are_compared_by_fishers_test(stats, counts):
    k, n, other, m = counts
    expected = stats.fisher_exact([[k, n - k], [other, m - other]]).pvalue
    assert compare_shares(*counts) == pytest.approx(expected)
