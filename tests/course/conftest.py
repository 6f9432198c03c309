"""The course's own `submission`, whichever others were graded before, and no year but its own."""

import sys
from typing import Any

import pytest

from tests.course.files import A5, WIKI, load
from tests.support import skips
from wherefrom.course.doctor import isolation

(submission,) = load(A5, "submission")
OWN = {name: module for name, module in sys.modules.items() if name.split(".")[0] == "submission"}


@pytest.fixture
def bubblewrap() -> str:
    """Only for tests of what it keeps apart."""
    if not isolation._works():
        pytest.skip(skips.NO_ISOLATION)
    return isolation.BUBBLEWRAP


@pytest.fixture(autouse=True)
def trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    """These submissions are ours: isolating each would start Python and torch anew."""
    monkeypatch.setattr(isolation, "choose", lambda trust=False: isolation.NONE)


@pytest.fixture(autouse=True)
def as_it_was_handed_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("A5_YEAR", raising=False)
    for name, module in OWN.items():
        monkeypatch.setitem(sys.modules, name, module)


@pytest.fixture
def corpus() -> Any:
    return submission.CharCorruptionDataset(WIKI, 64)
