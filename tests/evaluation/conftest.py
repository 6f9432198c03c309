"""What tests of the evaluation share."""

from tests.support.references import logistic_regression, stats  # noqa: F401
