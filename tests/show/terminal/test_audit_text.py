"""An audit on one screen: what stands in audit.json, and nothing where it has nothing."""

import copy
from typing import Any

from wherefrom.show.terminal.audit_text import audit_table, explain_source
from wherefrom.show.terminal.result_tables import layout

SHARE = {"interval": [0.7, 0.9], "n": 20}
SCORES = {
    "brier": {"score": 0.05, "interval": None},
    "line": {"slope": 0.95, "slope_interval": [0.8, 1.1]},
    "error": {"value": 0.04, "null_mean": 0.03, "p_value": 0.2},
    "cumulative": {"value": 0.02, "null_mean": 0.01, "p_value": 0.4},
}  # fmt: skip
APPLIED = {"threshold": 0.6, "target": 0.9,
           "answered_share": {"answered_share": 0.75, **SHARE},
           "precision": {"precision": 0.8, **SHARE}}  # fmt: skip
BY_SUPPORT = {
    "stated": {"answered_share": {"answered_share": 0.5, **SHARE}, "risk": {"risk": 0.02, **SHARE}},
    "none": {"answered_share": {"answered_share": 0.0, **SHARE}, "risk": None},
}
AREA = {"auroc": 0.912, "interval": [0.85, 0.95], "n": 92}
GAIN = {"difference": 0.05, "interval": [-0.01, 0.1], "n": 92}
RIGHT = {"accuracy": 0.9, "interval": [0.8, 0.95], "n": 92}
MEASURED: dict[str, Any] = {
    "models": 16, "auroc": AREA, "auroc_with_text": AREA | {"auroc": 0.9},
    "probability_alone": {"auroc": AREA | {"auroc": 0.85}, "gain": GAIN}, "confidence_alone": None,
    "agreement": RIGHT, "constant": RIGHT | {"accuracy": 0.84, "label": "recalled"},
    "evidence": RIGHT | {"accuracy": 0.86}, "in_words": ["the predictor is not shown to be ..."],
}  # fmt: skip
FINDINGS: dict[str, Any] = {
    "confidence": {
        "calibrated": SCORES, "raw": SCORES | {"brier": {"score": 0.15, "interval": None}},
        "risk_coverage": {"area": 0.0125, "interval": [0.01, 0.02]},
        "risk_coverage_raw": {"area": 0.0625},
        "area_difference": {"difference": -0.05, "interval": [-0.075, -0.025]},
    },
    "abstention": {
        "in_use": APPLIED | {"by_support": BY_SUPPORT},
        "thresholds": {"0.9": APPLIED, "0.95": APPLIED | {"precision": None}},
        "raw_probability": {"0.95": APPLIED},
        "certificate": {"alpha": 0.1, "delta": 0.05, "certified": True, "more_people": None},
        "certified": APPLIED, "uncertified": APPLIED, "advice": "certified: ...",
    },
    "evidence": {
        "as_read": {"answers": 5, "right": 4},
        "notes": {"right": 30, "right_supported": 29, "wrong": 26, "wrong_supported": 26},
        "held_out_answers": {"supported": {"answers": 8, "right": 6},
                             "silent": {"answers": 0, "right": 0}},
    },
    "source": {
        "held_out_answers": {"recalled": {"answers": 4, "right": 3},
                             "guessed": {"answers": 0, "right": 0}},
        "models": 8,
        "measured": MEASURED,
    },
    "decoys": {"recombined": {"refused": {"refused_share": 0.8, **SHARE},
                              "auroc": {"auroc": 0.99},
                              "refused_at_bound": {"refused_share": 0.975, **SHARE}},
               "gibberish": {"refused": {"refused_share": 0.8, **SHARE}, "auroc": None,
                             "refused_at_bound": None},
               "misspelt": {"refused": {"refused_share": 0.8, **SHARE}, "auroc": None,
                            "refused_at_bound": None,
                            "refused_closed_book": {"refused_share": 0.6, **SHARE}}},
    "not_retrained": None, "notes": [],
}  # fmt: skip
SECTIONS = ("confidence", "abstention", "evidence", "source", "decoys")


def found(**changed: Any) -> list[str]:
    return [" ".join(line.split()) for line in layout(audit_table(FINDINGS | changed))]


def test_all_of_it():
    assert [line for line in found() if line] == [
        "95 % interval",
        "confidence: the calibrated probability, on held-out people",
        "Brier score 0.050 0.150 by the model's own probability",
        "calibration slope, ungated 0.95 [0.80, 1.10] 1 if perfectly calibrated",
        "calibration error 0.040 0.030 by chance if perfectly calibrated, p = 0.20",
        "without bins (cumulative) 0.020 0.010 by chance, p = 0.40",
        "area under risk-coverage curve 0.0125 [0.0100, 0.0200] "
        "0.0625 by the model's own probability",
        "difference of the two -0.0500 [-0.0750, -0.0250] "
        "negative: calibration helps (paired bootstrap)",
        "abstention: share right among answered (the certificate fails with probability at "
        "most 5 %)",
        "threshold in use 80.0 % [70.0, 90.0] answers 75.0 % of questions",
        "text states it: wrong 2.0 % [70.0, 90.0] answers 50.0 % of 20",
        "no text: wrong - answers 0.0 % of 20",
        "threshold set for 90 % right 80.0 % [70.0, 90.0] answers 75.0 % of questions",
        "threshold set for 95 % right - answers 75.0 % of questions",
        "certified: at most 10 % wrong 80.0 % [70.0, 90.0] answers 75.0 % of questions",
        "the same risk, not certified 80.0 % [70.0, 90.0] answers 75.0 % of questions",
        "evidence: what the text says about the answers (share right)",
        "supported 75.0 % n=8",
        "of which as read 80.0 % n=5",
        "wrong notes called supported 100.0 % 26 of 26, by the reader that wrote them",
        "right notes called supported 96.7 % 29 of 30, by the reader that wrote them",
        "source: recalled or guessed (share right)",
        "recalled 75.0 % n=4",
        "guessed - n=0",
        "AUROC of the predictor 0.912 [0.85, 0.95] against 16 retrained models",
        "among people with text 0.900 [0.85, 0.95]",
        "the model's own probability 0.850 [0.85, 0.95] the predictor adds +0.050 [-0.01, 0.10]",
        "labels that are right 90.0 % [80.0, 95.0] "
        "'recalled' for all: 84.0 %; by the evidence: 86.0 %",
        "decoys (out-of-corpus names): share declined",
        "recombined 80.0 % [70.0, 90.0] AUROC 0.990; by the certified threshold 97.5 %",
        "gibberish 80.0 % [70.0, 90.0] AUROC -",
        "misspelt 80.0 % [70.0, 90.0] 60.0 % by the model alone",
    ]


def test_what_was_not_found_has_no_section():
    whole = len(audit_table(FINDINGS).sections)
    for name in SECTIONS:
        assert len(audit_table(FINDINGS | {name: None}).sections) == whole - 1
    few = ("auroc_with_text", "probability_alone")
    lines = found(source=FINDINGS["source"] | {"measured": MEASURED | dict.fromkeys(few)})
    assert any("AUROC of the predictor" in line for line in lines)
    assert "among people with text" not in " ".join(lines)
    # Too few people for a bound, all of one kind.
    none = dict.fromkeys(("certificate", "certified", "uncertified", "advice"))
    alone = {"in_use": APPLIED | {"by_support": {"stated": BY_SUPPORT["stated"]}}}
    lines = found(abstention=FINDINGS["abstention"] | none | alone, decoys=None)
    assert "abstention: share right among answered" in lines
    assert not any("certified" in line or "states it" in line for line in lines)
    nothing = {k: v for k, v in FINDINGS.items() if k not in SECTIONS}
    assert audit_table(nothing).sections == ()


def test_nothing_certified_says_what_it_would_take_and_fits_the_screen():
    abstention = copy.deepcopy(FINDINGS["abstention"])
    abstention["certificate"] |= {"certified": False, "more_people": 40, "fewest_more": 18}
    lines = found(abstention=abstention)
    advice = "18 to 40 more calibration questions would probably suffice"
    assert f"certified: at most 10 % wrong none {advice}" in lines
    abstention["certificate"]["more_people"] = None
    rows = layout(audit_table(FINDINGS | {"abstention": abstention}))
    assert any(row.endswith("more calibration questions would not help") for row in rows)
    assert max(map(len, rows)) <= 120


def test_what_would_help_is_said_of_each_relation_and_not_of_all():
    abstention = copy.deepcopy(FINDINGS["abstention"])
    lacking = abstention["certificate"] | {"certified": False, "more_people": 40}
    abstention["certificate"] = lacking | {"more_people": None, "by_relation": {"job": lacking}}
    abstention["certified"]["by_relation"] = {"job": FINDINGS["abstention"]["certified"]}
    lines = found(abstention=abstention)
    assert "certified: at most 10 % wrong none no relation is certified" in lines
    assert "job none about 40 more calibration questions would probably suffice" in lines
    assert "would not help" not in " ".join(lines)


# --- the source predictor, every figure beside what it is compared with -------------------------


def test_what_to_make_of_it_is_said_for_all_and_for_each_relation():
    part = {"measured": MEASURED | {"in_words": ["no better than one label"]}}
    found = {"source": {"measured": MEASURED, "by_relation": {"hand": part}}}
    assert explain_source(found) == [
        "source: the predictor is not shown to be ...",
        "source, hand: no better than one label",
    ]
    assert explain_source({"source": {"measured": None}}) == []
    assert explain_source({"source": None}) == []
