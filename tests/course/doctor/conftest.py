"""A solution in plain torch, as a student writes it, with one thing in it changed."""

import shutil
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from wherefrom.course.doctor.submission import Submission
from wherefrom.course.doctor.years import DEFAULT_YEAR

Plain = Callable[..., Submission]


@pytest.fixture
def plain(making: SimpleNamespace, grounds: Path) -> Plain:
    """`plain(file, old, new)`: a copy with some text of a file replaced; `plain()`: as it is."""
    copies = (grounds / f"plain-{number}" for number in range(100))

    def copy(file: str = "", old: str = "", new: str = "", year: str = DEFAULT_YEAR) -> Submission:
        folder = Path(shutil.copytree(making.HERE / "plain", next(copies)))
        if file:
            text = (folder / file).read_text(encoding="utf-8")
            assert old in text
            (folder / file).write_text(text.replace(old, new), encoding="utf-8")
        return Submission(folder, year=year)

    return copy
