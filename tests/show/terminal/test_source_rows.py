"""The rows about the source predictor: every figure beside what it is compared with."""

from typing import Any

from wherefrom.show.terminal.source_rows import explain_source, measured_source

AREA = {"auroc": 0.912, "interval": [0.85, 0.95], "n": 92}
GAIN = {"difference": 0.05, "interval": [-0.01, 0.1], "n": 92}
SHARE = {"accuracy": 0.9, "interval": [0.8, 0.95], "n": 92}
MEASURED: dict[str, Any] = {
    "models": 16,
    "auroc": AREA,
    "auroc_with_text": AREA | {"auroc": 0.9},
    "probability_alone": {"auroc": AREA | {"auroc": 0.85}, "gain": GAIN},
    "confidence_alone": None,
    "reliability": {
        "pairs": 8,
        "ceiling": AREA | {"auroc": 0.98},
        "kappa_of_halves": {"kappa": 0.8, "interval": [0.7, 0.9], "n": 92},
        "kappa_of_pairs": {"kappa": 0.6, "interval": [0.5, 0.7], "n": 92},
    },
    "by_construction": AREA | {"auroc": 0.97},
    "spearman": {"spearman": 0.7, "interval": [0.6, 0.8], "n": 92},
    "agreement": SHARE,
    "constant": SHARE | {"accuracy": 0.84, "label": "recalled"},
    "in_words": ["the predictor is not shown to be better than ..."],
}


def test_every_figure_stands_beside_what_it_is_compared_with():
    rows = {label.strip(): cells for label, *cells in measured_source(MEASURED, {})}
    assert rows["AUROC of the predictor"] == [
        "0.912", "[0.85, 0.95]", "against 16 retrained models",
    ]  # fmt: skip
    assert rows["among people with text"][0] == "0.900"
    own = rows["the model's own probability"]
    assert own == ["0.850", "[0.85, 0.95]", "the predictor adds +0.050 [-0.01, 0.10]"]
    assert "the confidence alone" not in rows
    top = "what the true m would reach with labels of 8 pairs"
    assert rows["ceiling"] == ["0.980", "[0.85, 0.95]", top]
    assert rows["kappa of the labels"][:2] == ["0.80", "[0.70, 0.90]"]
    assert rows["kappa of single pairs"][0] == "0.60"
    assert rows["the predictor"][0] == "0.970"
    assert rows["rank correlation"][:2] == ["0.700", "[0.60, 0.80]"]
    assert rows["labels that are right"] == ["90.0 %", "[80.0, 95.0]", "'recalled' for all: 84.0 %"]


def test_an_audit_of_before_has_the_two_areas_alone():
    old = {"models": 4, "auroc": AREA, "auroc_with_text": None}
    assert [label for label, *_ in measured_source(old, {})] == ["AUROC of the predictor"]
    source = {"measured": old, "by_relation": {}}
    assert explain_source({"source": source}) == []


def test_each_relation_stands_beside_its_own_constant():
    hand = MEASURED | {"constant": SHARE | {"accuracy": 0.85, "label": "guessed"}}
    parts: dict[str, Any] = {"hand": {"measured": hand}, "year": {"measured": None}}
    label, *cells = measured_source(MEASURED, parts)[-1]
    assert (label, cells[2]) == ("  hand", "'guessed' for all: 85.0 %")


def test_what_to_make_of_it_is_said_for_all_and_for_each_relation():
    part = {"measured": MEASURED | {"in_words": ["no better than one label"]}}
    found = {"source": {"measured": MEASURED, "by_relation": {"hand": part}}}
    assert explain_source(found) == [
        "source: the predictor is not shown to be better than ...",
        "source, hand: no better than one label",
    ]
    assert explain_source({"source": {"measured": None}}) == []
    assert explain_source({"source": None}) == []
