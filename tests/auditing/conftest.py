"""What tests of the audit share."""

import pytest

from tests.support import audited as support


@pytest.fixture(autouse=True)
def light(monkeypatch: pytest.MonkeyPatch) -> None:
    support.make_light(monkeypatch)
