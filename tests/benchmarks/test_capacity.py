"""docs/CAPACITY.md is what its program writes from the findings that are kept."""

import json
import shutil
from pathlib import Path

import capacity as program
import pytest

from wherefrom.core.config import to_json
from wherefrom.core.errors import BadData
from wherefrom.core.recipe import Arm, Capacity
from wherefrom.experiments.capacity_findings import CapacityFindings, RunFinding
from wherefrom.recipes.capacity import capacity
from wherefrom.runs.folder import RunFolder

ROOT = Path(__file__).parents[2]


@pytest.fixture
def docs(tmp_path) -> Path:
    for name in ("results", "pictures"):
        (tmp_path / "docs" / name).mkdir(parents=True)
    shutil.copy(ROOT / "docs/CAPACITY.md", tmp_path / "docs")
    for file in (ROOT / "docs/results").glob("capacity-*.json"):
        shutil.copy(file, tmp_path / "docs/results")
    return tmp_path / "docs"


def study(path: Path, arms: tuple[Arm, ...]) -> Path:
    """A folder as a study leaves it, with findings that are made up."""
    made = Capacity("capacity", "a test", arms)
    part = {"stored": 10.0, "storable": 20.0}
    storage = {"bits_per_parameter": 1.25, "interval": [1.0, 1.5], "parameters": 80}
    storage |= {"embeddings": 8, "stored": 100.0, "storable": 200.0, "parts": {"home": part}}
    runs = [
        RunFinding(arm, width, storage, 1.0, (0.5, 1.0) if arm.questions else ())
        for arm in arms
        for width in arm.widths
    ]
    folder = RunFolder(path)
    folder.create()
    folder.write_recipe(made)
    folder.write_json("study.json", to_json(CapacityFindings.of(made, runs, "here", 1.0)))
    return path


def test_the_page_is_what_the_program_writes(docs):
    program.write_page(docs)
    assert (docs / "CAPACITY.md").read_text() == (ROOT / "docs/CAPACITY.md").read_text()
    for picture in (docs / "pictures").iterdir():
        assert picture.stat().st_size > 1000


def test_a_study_is_kept_and_shown(docs, tmp_path):
    program.main(["--keep", str(study(tmp_path / "s", capacity().arms)), "--docs", str(docs)])
    assert json.loads((docs / "results/capacity-small.json").read_text())["device"] == "here"
    page = (docs / "CAPACITY.md").read_text()
    assert "| 1.25 | [1.00, 1.50] |" in page
    assert page.count(program.BEGIN) == page.count(program.END) == 1


def test_other_sizes_are_not_kept(docs, tmp_path):
    with pytest.raises(BadData, match="expected the arms of 'capacity' or 'capacity-gpu', found"):
        program.keep(study(tmp_path / "s", (Arm("other"),)), docs)
