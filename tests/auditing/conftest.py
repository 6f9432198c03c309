"""What tests of the audit share."""

import pytest

from tests.support import audited as support
from tests.support.audited import audited, audited_relations, retrained, retrained_relations  # noqa: F401
from tests.support.stated_world import checker, world  # noqa: F401


@pytest.fixture(autouse=True)
def light(monkeypatch: pytest.MonkeyPatch) -> None:
    support.make_light(monkeypatch)
