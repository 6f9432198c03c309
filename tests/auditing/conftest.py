"""What tests of the audit share."""

import shutil
from pathlib import Path

import pytest


@pytest.fixture
def own_run(tiny_run: Path, tmp_path: Path) -> Path:
    """A copy of the finished run, to be changed."""
    return Path(shutil.copytree(tiny_run, tmp_path / "run"))
