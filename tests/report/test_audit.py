"""An audit on one screen: what stands in audit.json, and nothing where it has nothing."""

import copy
from typing import Any

from wherefrom.report.audit import audit_table
from wherefrom.report.tables import layout

SHARE = {"interval": [0.7, 0.9], "n": 20}
SCORES = {
    "brier": {"score": 0.05}, "line": {"slope": 0.95, "slope_interval": [0.8, 1.1]},
    "error": {"value": 0.04, "null_mean": 0.03, "p_value": 0.2},
}  # fmt: skip
APPLIED = {"threshold": 0.6, "answered_share": {"answered_share": 0.75, **SHARE},
           "precision": {"precision": 0.8, **SHARE}}  # fmt: skip
OUTCOME = {"people": 1, "share": 0.25, "interval": [0.05, 0.7]}
FINDINGS: dict[str, Any] = {
    "confidence": {
        "calibrated": SCORES, "raw": SCORES | {"brier": {"score": 0.15}},
        "risk_coverage": {"area": 0.0125}, "risk_coverage_raw": {"area": 0.0625},
        "area_difference": {"difference": -0.05, "interval": [-0.075, -0.025]},
    },
    "abstention": {
        "in_use": APPLIED, "uncertified": {"held_out": APPLIED},
        "thresholds": {"0.9": APPLIED, "0.95": {"answered_share": APPLIED["answered_share"]}},
        "certificate": {"alpha": 0.1, "delta": 0.05, "certified": True, "more_people": None},
        "held_out": APPLIED, "advice": "certified: ...",
    },
    "evidence": {
        "held_out_answers": {"supported": {"answers": 8, "right": 6},
                             "silent": {"answers": 0, "right": 0}},
        "reader": {"evidence": {"accuracy": 0.8, **SHARE}},
    },
    "source": {
        "held_out_answers": {"recalled": {"answers": 4, "right": 3},
                             "guessed": {"answers": 0, "right": 0}},
        "borrowed": False, "models": 6, "auroc": {"auroc": 0.95, "interval": [0.9, 0.99]},
        "auroc_with_text": {"auroc": 0.85, "interval": [0.7, 0.95]},
    },
    "nonexistent": {"recombined": {"refused": {"refused_share": 0.8, **SHARE},
                                   "auroc": {"auroc": 0.99},
                                   "refused_at_bound": {"refused_share": 0.975, **SHARE}},
                    "gibberish": {"refused": {"refused_share": 0.8, **SHARE}, "auroc": None,
                                  "refused_at_bound": None}},
    "exposures": {"dose": [
        {"low": 0, "high": 0, "accuracy": 0.1, "interval": [0.0, 0.3], "n": 10},
        {"low": 4, "high": 7, "accuracy": 0.9, "interval": [0.7, 1.0], "n": 10},
    ], "never_exposed": {"model": {"accuracy": 0.1, **SHARE},
                         "difference": {"difference": -0.05, **SHARE}}},
    "name_alone": {"whole": {"bits": 0.16, "interval": [0.1, 0.22], "n": 20},
                   "parts": {"last": {"bits": 0.1, "interval": [0.0, 0.2], "n": 20}}},
    "swap": {"people": 4, "swapped": {"flips": OUTCOME}, "churn": {"flips": OUTCOME}},
    "notes": [],
}  # fmt: skip
SECTIONS = ("confidence", "abstention", "evidence", "source", "nonexistent", "exposures",
            "name_alone", "swap")  # fmt: skip


def found(**changed: Any) -> list[str]:
    return [" ".join(line.split()) for line in layout(audit_table(FINDINGS | changed))]


def test_all_of_it():
    assert [line for line in found() if line] == [
        "95 % interval",
        "how honest its confidence is, on held-out people",
        "Brier score 0.050 the model's own 0.150",
        "calibration slope 0.95 [0.80, 1.10] 1 is honest",
        "calibration error 0.040 honest ones have 0.030 here, p = 0.20",
        "area under risk and coverage 0.0125 the model's own 0.0625",
        "less than the model's own by 0.0500 [0.0250, 0.0750] paired bootstrap",
        'when it says "I don\'t know" (right among answered; the bound may fail in 5 %)',
        "the threshold in use 80.0 % [70.0, 90.0] answers 75.0 % of them",
        "threshold for 90% right 80.0 % [70.0, 90.0] answers 75.0 % of them",
        "threshold for 95% right - answers 75.0 % of them",
        "certified: wrong at most 10 % 80.0 % [70.0, 90.0] answers 75.0 % of them",
        "the same uncertified 80.0 % [70.0, 90.0] answers 75.0 % of them",
        "evidence: what the text says of its answers (how many are right)",
        "supported 75.0 % n=8",
        "labels that are true 80.0 % [70.0, 90.0] on calibration people, n=20",
        "source: recalled or guessed (how many are right)",
        "recalled 75.0 % n=4",
        "guessed - n=0",
        "told apart (AUROC) 0.950 [0.90, 0.99] by 6 models without the text",
        "among people with text 0.850 [0.70, 0.95]",
        "names of nobody: refused",
        "recombined 80.0 % [70.0, 90.0] AUROC 0.990, at the bound 97.5 %",
        "gibberish 80.0 % [70.0, 90.0] AUROC -",
        "exposures: right, by how often the name foretold the answer",
        "0 times 10.0 % [0.0, 30.0] n=10",
        "4-7 times 90.0 % [70.0, 100.0] n=10",
        "never shown 10.0 % [70.0, 90.0] -5.0 points against the most similar name",
        "bits that a name alone says about the answer",
        "the whole name 0.16 [0.10, 0.22] warning: names can bias its answers",
        "its last 0.10 [0.00, 0.20]",
        "swap test: another answer in the text, trained again",
        "swapped: flips 25.0 % [5.0, 70.0] n=4",
        "churn: flips 25.0 % [5.0, 70.0] n=4",
    ]


def test_what_was_not_found_has_no_section():
    whole = len(audit_table(FINDINGS).sections)
    for name in SECTIONS:
        assert len(audit_table(FINDINGS | {name: None}).sections) == whole - 1
    nothing = {k: v for k, v in FINDINGS.items() if k not in SECTIONS}
    assert audit_table(nothing).sections == ()


def test_nothing_certified_says_what_it_would_take_and_fits_the_screen():
    abstention = copy.deepcopy(FINDINGS["abstention"])
    abstention["certificate"] |= {"certified": False, "more_people": 40}
    lines = found(abstention=abstention)
    assert "certified: wrong at most 10 % none 40 more calibration people may do" in lines
    abstention["certificate"]["more_people"] = None
    rows = layout(audit_table(FINDINGS | {"abstention": abstention}))
    assert any(row.endswith("more calibration people alone would hardly do") for row in rows)
    assert max(map(len, rows)) <= 120


def test_too_few_people_for_a_bound_leave_it_out():
    none = dict.fromkeys(("certificate", "uncertified", "held_out", "advice"))
    lines = found(abstention=FINDINGS["abstention"] | none)
    assert 'when it says "I don\'t know" (right among answered)' in lines
    assert not any("certified" in line for line in lines)


def test_a_name_that_says_nothing_is_no_warning():
    whole = {"bits": 0.0, "interval": [-0.02, 0.02], "n": 20}
    lines = found(name_alone=FINDINGS["name_alone"] | {"whole": whole})
    assert "the whole name 0.00 [-0.02, 0.02] no bias from names is seen" in lines
    assert not any(line.startswith("its last") for line in lines)


def test_a_borrowed_source_is_called_so():
    source = {k: v for k, v in FINDINGS["source"].items() if "auroc" not in k} | {"borrowed": True}
    lines = found(source=source)
    assert any("a borrowed predictor; --budget MINUTES measures it" in line for line in lines)
    assert not any("AUROC)" in line for line in lines)
