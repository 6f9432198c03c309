"""Texts and tables that are not shipped: tests use them where they lie beside the checkout."""

from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[3] / "shared" / "data"
MISSING = "the real data are not beside the checkout"


def find(*parts: str) -> Path:
    """A file or folder of the real data; without it, the test is skipped."""
    path = FOLDER.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"{MISSING}: ../shared/data/{'/'.join(parts)}")
    return path


def needs(*parts: str) -> pytest.MarkDecorator:
    """Skips a test, or all tests of a file, that need that file or folder."""
    where = "/".join(parts)
    missing = not FOLDER.joinpath(*parts).exists()
    return pytest.mark.skipif(missing, reason=f"{MISSING}: ../shared/data/{where}")
