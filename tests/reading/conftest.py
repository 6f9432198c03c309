"""What the tests of this room share: a small corpus known by hand, and files that are written."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.stated_world import checker, world

__all__ = ["checker", "world"]


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Writes a file below the test's own folder."""

    def call(content: str | bytes, name: str = "a.txt") -> Path:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return call
