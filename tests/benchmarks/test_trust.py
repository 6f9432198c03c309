"""The page's part about trust: what it computes itself, and findings of both formats."""

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trust
from trust import kappa, readings


def test_kappa_is_cohens():
    from sklearn.metrics import cohen_kappa_score

    generator = np.random.default_rng(0)
    one = generator.choice(["supported", "contradicted", "silent"], 60).tolist()
    other = [a if generator.random() < 0.7 else "silent" for a in one]
    assert kappa(one, other) == pytest.approx(cohen_kappa_score(one, other))
    assert kappa(one, one) == 1
    assert kappa(["a", "b"], ["b", "a"]) == -1
    assert kappa(["a"], ["a"]) == 1


def test_the_readings_that_are_kept_are_those_of_a_hundred_labels():
    assert readings().startswith("Of 100 evidence labels")


# --- findings of both formats ------------------------------------------------------------------

SHARE = {"interval": [0.7, 0.9], "n": 20}
APPLIED = {
    "answered_share": {"answered_share": 0.75, **SHARE},
    "precision": {"precision": 0.8, **SHARE},
}
AREA = {"auroc": 0.95, "interval": [0.9, 0.99], "n": 20}
TIER = {"refused": {"refused_share": 0.8, **SHARE}, "auroc": AREA, "refused_at_bound": None}
CERTIFICATE = {"alpha": 0.1, "certified": True}
OUTCOMES = {"flips": {"share": 0.9, **SHARE}, "stays": {"share": 0.1, **SHARE}}
MEASURED = {
    "auroc": AREA, "auroc_with_text": AREA, "auroc_of_borrowed": AREA,
    "pairs_agree": {"accuracy": 0.8, **SHARE}, "agreement": {"accuracy": 0.9, **SHARE},
}  # fmt: skip
SAME = {
    "recipe": "people", "seed": 1, "seconds": 14.2,
    "confidence": {"calibrated": {"line": {"slope": 1.0, "slope_interval": [0.8, 1.2]}}},
    "swap": {"swapped": OUTCOMES, "churn": OUTCOMES},
}  # fmt: skip
LABELS = {"accuracy": 0.8, **SHARE}
NAME = {"whole": {"bits": 0.1, "interval": [0.0, 0.2], "n": 20}}
FIRST = SAME | {
    "format_version": 1,
    "abstention": {"in_use": APPLIED, "certificate": CERTIFICATE, "held_out": APPLIED,
                   "thresholds": {"0.9": APPLIED, "0.95": {"answered_share": APPLIED}},
                   "raw_probability": {"0.95": APPLIED}},
    "nonexistent": {"recombined": TIER}, "name_alone": NAME,
    "evidence": {"reader": {"evidence": LABELS}},
    "source": {"borrowed": False, "models": 4, **MEASURED},
}  # fmt: skip
SECOND = SAME | {
    "format_version": 2,
    "abstention": {"in_use": APPLIED, "certificate": CERTIFICATE, "certified": APPLIED,
                   "thresholds": {"0.9": APPLIED,
                                  "0.95": {"answered_share": APPLIED, "precision": None}},
                   "raw_probability": {"0.95": APPLIED}},
    "decoys": {"recombined": TIER}, "name_bias": NAME,
    "evidence": {"accuracy": {"overall": LABELS}},
    "source": {"borrowed": False, "models": 4, "measured": MEASURED},
}  # fmt: skip


def page_of(folder: Path, monkeypatch: pytest.MonkeyPatch, *findings: dict[str, Any]) -> str:
    monkeypatch.setattr(trust, "RESULTS", folder)
    monkeypatch.setattr(trust, "readings", lambda: "")
    for i, found in enumerate(findings):
        (folder / f"audit.run-{i}.json").write_text(json.dumps(found))
    return trust.trust()


def test_audits_of_both_formats_give_the_same_figures(tmp_path, monkeypatch):
    page = page_of(tmp_path, monkeypatch, FIRST, SECOND)
    rows = [line.strip("| ").split(" | ") for line in page.splitlines() if line.startswith("| ")]
    figures = {row[0]: row[1:] for row in rows[2:]}
    assert all(first == second for first, second in figures.values())
    assert figures["certified threshold"][0] == (
        "at most 10 % wrong: 80.0 [70.0, 90.0], answers 75.0"
    )
    assert figures["the same for 95 %"][0] == "nothing is answered"
    assert figures["evidence labels that are right, calibration people"][0] == "80.0 [70.0, 90.0]"
    assert figures["source (recalled or guessed), AUROC"][0] == "0.95 [0.90, 0.99], 4 models"
    assert figures["recombined: refused"][0] == "80.0 [70.0, 90.0]"
    assert figures["name bias, bits"][0] == "0.10 [0.00, 0.20]"


def test_what_an_audit_left_out_is_a_dash(tmp_path, monkeypatch):
    parts = ("confidence", "abstention", "evidence", "swap")
    none = dict.fromkeys(parts)
    one = FIRST | none | {"nonexistent": None, "name_alone": None}
    one["source"] = {"borrowed": True, "models": 4}
    two = SECOND | none | {"decoys": None, "name_bias": None}
    two["source"] = {"borrowed": True, "models": 4, "measured": None}
    page = page_of(tmp_path, monkeypatch, one, two)
    rows = [line.strip("| ").split(" | ") for line in page.splitlines() if line.startswith("| ")]
    shown = {cell for row in rows[2:] for cell in row[1:]}
    assert shown == {"-", "14"}, "nothing but the seconds"


@pytest.mark.nightly
def test_the_findings_of_a_run_are_taken_over_and_shown(tiny_run, tmp_path, monkeypatch):
    """What `wherefrom audit` writes today is what the page reads."""
    from wherefrom.auditing import confidence_sections, decoy_sections
    from wherefrom.auditing.audit import audit_run
    from wherefrom.runs.run import open_run

    monkeypatch.setattr(decoy_sections, "TIER", 4)
    monkeypatch.setattr(confidence_sections, "RESAMPLES", 50)
    monkeypatch.setattr("wherefrom.auditing.audit.draw_audit", lambda *_: None)
    run = Path(shutil.copytree(tiny_run, tmp_path / "people-7"))
    audit_run(open_run(run))
    monkeypatch.setattr(trust, "RESULTS", tmp_path)
    monkeypatch.setattr(trust, "readings", lambda: "")
    trust.take_audits([run])
    page = trust.trust()
    assert "| `people-7` |" in page
    rows = dict(line.strip("| ").split(" | ") for line in page.splitlines()[7:] if "|" in line)
    assert "answers" in rows["right among answered, the threshold in use"] or (
        rows["right among answered, the threshold in use"] == "nothing is answered"
    )
    assert rows["certified threshold"] == "at most 10 % wrong: none"
    assert rows["recombined: refused"].endswith("]")
    assert rows["source (recalled or guessed), AUROC"] == "-"


def test_the_committed_page_is_what_the_committed_findings_give():
    page = (trust.RESULTS.parent / "RESULTS.md").read_text("utf-8")
    assert trust.trust() in page
