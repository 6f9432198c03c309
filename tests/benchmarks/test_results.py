"""What docs/RESULTS.md says about chance, seeds and figures that were measured outside."""

import json

import numpy as np
import pytest
import results

from wherefrom.evaluation.two_levels import mean_over_seeds


def test_how_large_differences_are_by_chance():
    """By hand: deviations 1, 1 and 1 with 2 degrees of freedom each; two comparisons."""
    from scipy import stats

    values = [[10.0, 11.0, 12.0], [20.0, 21.0, 22.0], [30.0, 31.0, 32.0]]
    error = np.sqrt(2 / 3)
    one, every = stats.t.ppf(0.975, 6) * error, stats.t.ppf(1 - 0.0125, 6) * error
    said = results.by_chance(values)
    assert "These are 2 comparisons" in said
    assert "vary by 1.0 points" in said
    assert f"counts from {one:.1f} points on; of 2 changes without any effect, 0.1" in said
    assert f"From {every:.1f} points on" in said
    assert results.by_chance([[1.0], [2.0]]) == "", "one seed each says nothing of chance"
    assert results.by_chance([[1.0, 2.0]]) == ""


def test_the_interval_of_a_headline_counts_its_questions(tmp_path, monkeypatch):
    monkeypatch.setattr(results, "RESULTS", tmp_path)
    assert results.interval("a") == ""
    rows = {"0": "1110111111", "1": "1110111101", "2": "1010111111"}
    (tmp_path / "dev-right.json").write_text(json.dumps({"a": rows}))
    right = np.array([[c == "1" for c in row] for row in rows.values()])
    low, high = mean_over_seeds(right)[1]
    assert f"{100 * low:.1f} to {100 * high:.1f}" in results.interval("a")


def test_predictions_are_scored_again(tmp_path, monkeypatch):
    monkeypatch.setattr(results, "RESULTS", tmp_path)
    (tmp_path / "birth_dev.tsv").write_text("Where was A born?\tOslo\nWhere was B born?\tRome\n")
    (tmp_path / "course.rope.1.dev.predictions").write_text("Oslo\nParis\n")
    (tmp_path / "calibrated.0.dev.predictions").write_text("Rome\nRome\n")
    results.take_right(tmp_path / "birth_dev.tsv")
    assert results.read_right() == {"course.rope": {"1": "10"}, "calibrated": {"0": "01"}}


def test_the_committed_scores_are_those_of_the_table():
    """dev-right.json beside the accuracies that the trainings wrote."""
    rows = results.read(results.RESULTS / "gpu.jsonl")
    for job in ("knowledge.rope", "course.causal", "calibrated"):
        right = [row.count("1") / len(row) for _, row in sorted(results.read_right()[job].items())]
        assert [100 * share for share in right] == pytest.approx(
            results.accuracies(results.of(rows, job))
        )


def test_what_was_measured_outside_is_marked():
    page = (results.RESULTS.parent / "RESULTS.md").read_text("utf-8")
    assert results.outside("knowledge.rope") == "86.9 (86.3 to 87.4)"
    assert results.outside("calibrated") == "85.8"
    assert results.outside("course.perceiver") == "-"
    assert page.count("| test, measured outside |") == 2
