"""A solution in plain torch, as a student writes it, with one thing in it changed."""

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from wherefrom.course.doctor.exercises import Request
from wherefrom.course.doctor.years import DEFAULT_YEAR

Plain = Callable[..., Path]
Claimed = Callable[..., Any]


@pytest.fixture
def plain(making: ModuleType, grounds: Path) -> Plain:
    """`plain((file, old, new), ...)`: a copy with some text of its files replaced."""
    copies = (grounds / f"plain-{number}" for number in range(100))

    def copy(*changes: tuple[str, str, str]) -> Path:
        folder = Path(shutil.copytree(making.HERE / "plain", next(copies)))
        for change in changes:
            making.change(folder, *change)
        return folder

    return copy


@pytest.fixture
def claimed(making: ModuleType, plain: Plain) -> Claimed:
    """`claimed(requests, changes...)`: what the plain solution claims, with those changes."""

    def claim(requests: Sequence[Request], *changes: Any, year: str = DEFAULT_YEAR) -> Any:
        return making.claims_of(plain(*changes), requests, year)

    return claim
