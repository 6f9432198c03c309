"""Where runs are found: by their path, or by their name in the folder `runs`."""

from pathlib import Path

import pytest

from wherefrom.runs.layout import RUN, find_run


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("runs/b-0", "runs/a-1", "runs/seeds/seed-3", "elsewhere"):
        Path(name).mkdir(parents=True)
        Path(name, RUN).write_text("{}")
    Path("runs/no-run").mkdir()
    return tmp_path


def test_a_name_is_that_of_a_run_and_a_path_that_exists_comes_first(here: Path):
    assert find_run("a-1") == Path("runs/a-1")
    assert find_run("seeds/seed-3") == Path("runs/seeds/seed-3")
    for path in ("runs/a-1", "elsewhere", here / "elsewhere", "nowhere", "no-run"):
        assert find_run(path) == Path(path)
    Path("a-1").mkdir()
    assert find_run("a-1") == Path("a-1")
