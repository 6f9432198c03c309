"""References that take a second to load: only the tests that compare with them do."""

from types import ModuleType

import pytest


@pytest.fixture(scope="session")
def stats() -> ModuleType:
    import scipy.stats

    return scipy.stats


@pytest.fixture(scope="session")
def logistic_regression() -> type:
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression
