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


def test_a_difference_is_seen():
    from wherefrom.core.replies import Reply, Source

    there = Reply("q", "s", "r", True, "Oslo", 0.9, None, True, (), None, Source("recalled", 0.7))
    here = {
        "answer": "Rome", "answered": False, "reason": "low confidence", "whyNot": "so",
        "evidence": None, "source": {"label": "guessed", "probability": 0.2}, "confidence": 0.4,
    }  # fmt: skip
    found = page.compare(there, here)
    assert [found[part] for part in ("answer", "decision", "evidence", "source")] == [
        False, False, True, False,
    ]  # fmt: skip
    assert found["confidence apart"] == pytest.approx(0.5)
    assert found["recall apart"] == pytest.approx(0.5)
