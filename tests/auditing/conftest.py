"""What tests of the audit share."""

import shutil
from pathlib import Path

import pytest

from tests.support import audited as support
from tests.support.audited import audited, audited_relations, retrained, retrained_relations  # noqa: F401
from tests.support.stated_world import checker, world  # noqa: F401
from wherefrom.auditing.inspector import Inspector, open_inspector
from wherefrom.runs.run import open_run


@pytest.fixture(autouse=True)
def light(monkeypatch: pytest.MonkeyPatch) -> None:
    support.make_light(monkeypatch)


@pytest.fixture(scope="session")
def inspector(tiny_run: Path, tmp_path_factory: pytest.TempPathFactory) -> Inspector:
    """Of a copy of the tiny run, which no test changes."""
    path = shutil.copytree(tiny_run, tmp_path_factory.mktemp("inspector") / "people-0")
    return open_inspector(open_run(path))
