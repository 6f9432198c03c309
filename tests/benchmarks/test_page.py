"""The benchmark of the page's engine runs on a small run, and finds what it should."""

import json
import shutil
from pathlib import Path

import page
import pytest


def test_it_runs(tiny_run: Path, tmp_path: Path, capsys):
    if shutil.which("node") is None:
        pytest.skip("node is not here: the page's JavaScript cannot be run")
    file = tmp_path / "figures.json"
    result = page.main([str(tiny_run), "--precision", "fp32", "--json", str(file)])
    assert json.loads(file.read_text()) == json.loads(json.dumps(result))
    assert {"stated", "omitted", "none", "nonexistent"} == set(result["same"])
    for counts in result["same"].values():
        assert {*counts.values()} == {counts["questions"]}
    assert result["apart"]["confidence apart"] < 1e-4
    assert "the same answer 8, decision 8" in capsys.readouterr().out
