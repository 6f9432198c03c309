"""A solution in plain torch, as a student writes it, with one thing in it changed."""

from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from wherefrom.course.doctor.exercises import Request
from wherefrom.course.doctor.years import DEFAULT_YEAR


@pytest.fixture
def claimed(making: ModuleType, grounds: Path) -> Callable[..., Any]:
    """`claimed(requests, changes...)`: what the plain solution claims, with those changes."""
    numbers = count()

    def claim(requests: Sequence[Request], *changes: Any, year: str = DEFAULT_YEAR) -> Any:
        folder = making.plain(grounds / f"plain-{next(numbers)}", *changes)
        return making.claims_of(folder, requests, year)

    return claim
