"""What tests of answering share."""

from tests.support.audited import audited, retrained  # noqa: F401
from tests.support.references import stats  # noqa: F401
