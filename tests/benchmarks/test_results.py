"""docs/research/RESULTS.md: figures by hand, what is taken over, and the committed page."""

import json
import shutil
from pathlib import Path

import numpy as np
import pages
import pytest
import results

from wherefrom.evaluation.two_levels import mean_over_seeds


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """A folder for what is taken over."""
    for module in (results, pages):
        monkeypatch.setattr(module, "RESULTS", tmp_path)
    return tmp_path


@pytest.mark.nightly
def test_the_committed_page_is_what_the_committed_results_give():
    made = pages.render("results.md.jinja", results.collect())
    assert results.PAGE.read_text("utf-8") == made


# --- figures -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "form", "shown"),
    [
        ({"precision": 0.9375, "interval": [0.862, 0.973], "n": 80}, "[%]", "93.8 % [86.2, 97.3]"),
        ({"precision": 0.9375, "interval": [0.862, 0.973], "n": 80}, "%", "93.8 %"),
        ({"precision": 0.9375, "interval": [0.862, 0.973], "n": 80}, "[p]", "93.8 [86.2, 97.3]"),
        ({"accuracy": 0.9875, "interval": [0.9, 1.0], "n": 80}, "count", "79 of 80"),
        ({"accuracy": 0.5, "interval": [0.4, 0.6], "n": 1374}, "n", "1,374"),
        ({"people": 80, "share": 0.25, "interval": [0.2, 0.3]}, "[%]", "25.0 % [20.0, 30.0]"),
        ({"slope": 1.117, "slope_interval": [0.85, 1.38]}, "slope", "1.12 [0.85, 1.38]"),
        ({"slope": None, "slope_interval": None}, "slope", "-"),
        ({"answers": 36, "right": 9}, "right", "25.0 %"),
        ({"gain": 0.0821, "interval": [-0.03, 0.15]}, "[+.3f +.2f]", "+0.082 [-0.03, +0.15]"),
        (0.0123, "%", "1.2 %"), (20, "d", "20"), (0.44, ".2f", "0.44"), (None, "%", "-"),
    ],
)  # fmt: skip
def test_how_a_figure_is_written(value, form, shown):
    assert pages.show(value, form) == shown


def test_kappa_is_cohens():
    from sklearn.metrics import cohen_kappa_score

    generator = np.random.default_rng(0)
    one = generator.choice(["supported", "contradicted", "silent"], 60).tolist()
    other = [a if generator.random() < 0.7 else "silent" for a in one]
    assert pages.kappa(one, other) == pytest.approx(cohen_kappa_score(one, other))
    assert pages.kappa(["a", "b"], ["b", "a"]) == -1
    assert pages.kappa(["a"], ["a"]) == 1


def test_how_large_differences_are_by_chance():
    """By hand: deviations 1, 1 and 1 with 2 degrees of freedom each; two comparisons."""
    from scipy import stats

    found = results.by_chance([[10.0, 11.0, 12.0], [20.0, 21.0, 22.0], [30.0, 31.0, 32.0]])
    error = np.sqrt(2 / 3)
    assert (found["compared"], found["spread"]) == (2, pytest.approx(1.0))
    assert found["one"] == pytest.approx(stats.t.ppf(0.975, 6) * error)
    assert found["every"] == pytest.approx(stats.t.ppf(1 - 0.0125, 6) * error)


def test_the_interval_of_a_headline_counts_its_questions(folder):
    rows = {"0": "1110111111", "1": "1110111101", "2": "1010111111"}
    (folder / "dev-right.json").write_text(json.dumps({"a": rows}))
    right = np.array([[c == "1" for c in row] for row in rows.values()])
    assert results.find_intervals("a")["both"] == mean_over_seeds(right)[1]


def row(job: str, seed: int, accuracy: float) -> dict:
    score = {"accuracy": accuracy, "interval": [0, 1], "n": 500}
    return {
        "job": job, "seed": seed, "parameters": 7, "stages": {"pretrain": {"seconds": 60.0 + seed}},
        "tasks": {"dev.model": {"seconds": 0.5, "scores": {"strict": score, ", place-aware": score |
                  {"accuracy": accuracy + 0.1}}}},
    }  # fmt: skip


def test_the_committed_scores_are_those_of_the_table():
    """dev-right.json beside the accuracies that the trainings wrote."""
    rows = pages.read_lines(pages.RESULTS / "gpu.jsonl")
    right = json.loads((pages.RESULTS / "dev-right.json").read_text())
    for job in ("knowledge.rope", "course.causal", "calibrated"):
        own = sorted((r for r in rows if r["job"] == job), key=lambda r: r["seed"])
        shares = [100 * r.count("1") / len(r) for _, r in sorted(right[job].items())]
        assert shares == pytest.approx(results.accuracies(own))


# --- what is taken over ------------------------------------------------------------------------


def test_rows_of_the_same_job_replace_each_other(folder):
    first, second = folder / "a" / "gpu.jsonl", folder / "b" / "gpu.jsonl"
    for path, rows in ((first, [row("calibrated", 0, 0.5), row("why.rate", 0, 0.3)]),
                       (second, [row("calibrated", 0, 0.6)])):  # fmt: skip
        path.parent.mkdir()
        path.write_text("".join(json.dumps(r) + "\n" for r in rows))
    answers = {"job": "calibrated", "seed": 0, "task": "test.model", "answers": ["Rome", "Ulm"]}
    alone = {"job": "course.causal", "seed": 1, "task": "dev.without_pretraining"}
    other = alone | {"job": "course.rope", "answers": ["Bonn"]}
    rows = (answers, alone | {"answers": ["Oslo"]}, other)
    lines = "".join(json.dumps(each) + "\n" for each in rows)
    second.with_name("predictions.jsonl").write_text(lines)
    results.take_over(first)
    results.take_over(second)
    kept = pages.read_lines(folder / "gpu.jsonl")
    assert [(r["job"], results.accuracies([r])) for r in kept] == [
        ("calibrated", [60.0]), ("why.rate", [30.0]),
    ]  # fmt: skip
    assert (folder / "calibrated.0.test.predictions").read_text() == "Rome\nUlm\n"
    assert (folder / "course.nopretrain.1.dev.predictions").read_text() == "Oslo\n"
    assert not list(folder.glob("course.rope.*"))


def test_predictions_are_scored_again(folder):
    (folder / "birth_dev.tsv").write_text("Where was A born?\tOslo\nWhere was B born?\tRome\n")
    (folder / "course.rope.1.dev.predictions").write_text("Oslo\nParis\n")
    (folder / "calibrated.0.dev.predictions").write_text("Rome\nRome\n")
    results.take_right(folder / "birth_dev.tsv")
    found = json.loads((folder / "dev-right.json").read_text())
    assert found == {"course.rope": {"1": "10"}, "calibrated": {"0": "01"}}


def test_a_run_of_reviews_is_taken_over(folder):
    (folder / "homework.json").write_text('{"bigram": []}')
    scores = {"trainable-1": {"accuracy": 0.88}, "frozen": {"accuracy": 0.76}}
    (folder / "status.json").write_text(json.dumps({"results": scores}))
    results.take_homework([], folder)
    assert results.read_homework()["trainable"] == [88.0]


@pytest.mark.nightly
def test_the_findings_of_a_run_are_taken_over_and_shown(tiny_run, folder, monkeypatch):
    """What `wherefrom audit` writes today is what the page reads."""
    from wherefrom.auditing import confidence_sections, decoy_sections
    from wherefrom.auditing.auditor import audit_run
    from wherefrom.runs.opened_run import open_run

    monkeypatch.setattr(decoy_sections, "TIER", 4)
    monkeypatch.setattr(confidence_sections, "RESAMPLES", 50)
    monkeypatch.setattr("wherefrom.auditing.auditor.draw_audit", lambda *_: None)
    run = Path(shutil.copytree(tiny_run, folder / "people-7"))
    audit_run(open_run(run))
    results.take_audits([run])
    page = pages.render("trust.md.jinja", {"audits": pages.read_audits(), "sources": {}})
    rows = dict(line[2:-2].split(" | ") for line in page.splitlines() if line.count(" | ") == 1)
    assert "answer" in rows["right among answered, the threshold in use"]
    assert rows["certified threshold"] == "at most 10 % wrong: none"
    assert rows["calibration slope, ungated"]
