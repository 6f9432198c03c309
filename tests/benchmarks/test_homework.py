"""The homework's part of the page of results, from figures that were taken over."""

import json
from pathlib import Path

import homework


def test_nothing_is_said_of_what_was_not_measured(tmp_path, monkeypatch):
    monkeypatch.setattr(homework, "FILE", tmp_path / "none.json")
    assert homework.homework() == ""
    homework.take_homework()
    assert not (tmp_path / "none.json").exists()


def test_the_seeds_figure_stands_beside_ours(tmp_path, monkeypatch):
    monkeypatch.setattr(homework, "FILE", tmp_path / "homework.json")
    rows = [
        {
            "seed": seed,
            "steps": {"homework": 40_000, "better": 400 if seed == 0 else 1},
            "real": {"perplexity": 110.0 + seed, "share": 0.75},
            "training_bigrams": 1234,
            "results": {
                "homework": {"perplexity": 120.0 + seed, "n": 999},
                "better": {"perplexity": 80.0},
                "counts": {"perplexity": 70.0},
            },
        }
        for seed in (0, 2)
    ]
    homework.FILE.write_text(json.dumps({"bigram": rows}))
    page = homework.homework()
    assert "| the homework's own recipe, 40,000 steps | 121.00 (120.00 to 122.00) |" in page
    assert "| reported in the seed | 113.31 |" in page
    assert "| the same network trained well | 80.00 |" in page  # of the seed that trained it
    assert "75.0 %" in page


def test_what_is_kept_is_on_the_page():
    page = Path(__file__).parents[2] / "docs" / "RESULTS.md"
    section = homework.homework()
    assert section
    assert section in page.read_text(encoding="utf-8")


def test_a_run_of_reviews_is_taken_over(tmp_path, monkeypatch):
    monkeypatch.setattr(homework, "FILE", tmp_path / "homework.json")
    results = {"trainable-1": {"accuracy": 0.88}, "frozen": {"accuracy": 0.76}}
    (tmp_path / "status.json").write_text(json.dumps({"results": results}))
    homework.take_homework(reviews=tmp_path)
    assert "88.0 % of the test reviews, 76.0 %" in " ".join(homework.homework().split())
