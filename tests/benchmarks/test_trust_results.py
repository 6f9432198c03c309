"""What was measured, on docs/TRUST.md: what its template and the committed files give."""

import json
import re
from pathlib import Path

import pages
import pytest
import trust_results as made
from answer_files import read_rows, slim, write_rows

from wherefrom.core.errors import BadData

TEMPLATE = Path(pages.__file__).parent / "templates" / "trust-results.md.jinja"


@pytest.mark.nightly
def test_the_committed_page_is_what_the_committed_files_give():
    page = pages.render("trust-results.md.jinja", made.find_figures())
    assert page.strip() in made.PAGE.read_text("utf-8")


def test_the_template_has_few_figures_of_its_own():
    """A figure that is written by hand cannot be computed again; these are about other data."""
    words = re.sub(r"\{[{%].*?[%}]\}", "", TEMPLATE.read_text("utf-8"))
    found = set(re.findall(r"\d+(?:[.,]\d+)* %", words))
    theirs = {"4.7 %", "96.5 %", "98.3 %", "87.1 %"}  # others computed them
    assert found <= {"95 %", "90 %", "10 %", "63 %", "72 %"} | theirs, found


ROWS = [
    {"run": f"people-{seed}", "subject": f"p{i}", "relation": "birthplace", "answer": "Oslo",
     "gold": "Oslo" if i % 4 else "Rome", "right": bool(i % 4), "support": support,
     "answered": i % 3 != 0, "split": split, "name_known": True,
     "features": {"log_probability": -0.1 * (i % 7), "margin": float(i % 5)}}
    for seed in range(2) for split in ("calibration", "held-out")
    for i, support in enumerate(["stated", "stated", "omitted", "none"] * 6)
]  # fmt: skip


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Files of two made-up seeds in a folder of their own."""
    monkeypatch.setattr(made, "RESULTS", tmp_path)
    monkeypatch.setattr(made, "FEATURES", ("log_probability", "margin"))
    write_rows(tmp_path / "answers.people.jsonl.gz", ROWS)
    return tmp_path


def test_figures_of_seeds_by_hand(folder):
    found = made._people()
    held = [r for r in ROWS if r["split"] == "held-out" and r["run"] == "people-0"]
    assert found["seeds"] == 2
    for kind in ("stated", "omitted", "none"):
        own = [r for r in held if r["support"] == kind]
        share = sum(r["answered"] for r in own) / len(own)
        assert found[f"answered_{kind}"][f"answered_{kind}"] == pytest.approx(share)
        assert found[f"refused_{kind}"][f"refused_{kind}"] == pytest.approx(1 - share)
        assert found[f"n_{kind}"] == 2 * len(own), "both seeds have the same rows"
        wrong = [not r["right"] for r in own if r["answered"]]
        assert found[f"risk_{kind}"]["share"] == pytest.approx(sum(wrong) / len(wrong))
    given = [r["right"] for r in held if r["answered"]]
    assert found["precision_everyone_least"] == pytest.approx(sum(given) / len(given))


def test_calibration_is_that_of_the_confidence_that_replies_show():
    """By hand: 80 of 100 right at 0.8, 10 of 10 at 0.3, and unknown names without a confidence."""
    rows = [{"confidence": 0.8, "right": i < 80} for i in range(100)]
    rows += [{"confidence": 0.3, "right": True}] * 10 + [{"confidence": None, "right": False}] * 90
    found = made.find_shown(rows)
    assert (found["n"], found["errors"], found["line"]) == (110, 20, None), "too few for a slope"
    low, high = found["bins"]
    assert (low["low"], low["high"], low["observed"]["n"], low["off"]) == (0.25, 0.5, 10, True)
    assert low["observed"]["interval"][0] == pytest.approx(0.025 ** (1 / 10))
    assert (high["expected"], high["observed"]["share"]) == (pytest.approx(0.8), 0.8)
    assert (high["off"], found["off"]) == (False, 1)
    assert made.find_shown(rows * 3)["line"] is not None


def test_thresholds_are_set_on_calibration_answers_and_counted_on_others():
    rows = [
        {"split": split, "right": i % 2 == 0, "confidence": 0.8 if i % 2 == 0 else 0.6,
         "model_probability": 0.9, "subject": f"{split} {i}",
         "features": dict.fromkeys(made.FEATURES, 0.0) | {"margin": float(-(i % 2))}}
        for split in ("calibration", "held-out") for i in range(120)
    ]  # fmt: skip
    found = made.find_thresholds(rows)
    for name in ("for_90", "in_use", "for_95", "certified"):
        assert (found[name]["right"]["share"], found[name]["answered"]["share"]) == (1.0, 0.5)
    assert found["own_95"] == {"right": None, "answered": found["own_95"]["answered"]}
    assert found["own_95"]["answered"]["share"] == 0


def test_the_bounds_figures_are_those_of_the_benchmark(folder):
    def model(certified, above, other):
        given = above / certified if certified else None
        drawn = {"answers_anybody": certified, "above": above, "above_given": given}
        return {"drawn": {"certified": drawn, "uncertified": {"above": other}}}

    models = {"a": model(0.5, 0.01, 0.4), "b": model(0.1, 0.04, 0.6), "c": model(0.0, 0.0, 0.5)}
    together = {"answers_anybody": 0.2, "above": 0.05 / 3, "above_given": 0.05 / 0.6}
    found = {"times": 100, "share": 0.3, "models": models,
             "all": {"drawn": {"certified": together}}}  # fmt: skip
    (folder / "bound.people.json").write_text(json.dumps(found))
    figures = made._bound()
    assert (figures["bound_least"], figures["bound_most"]) == (0.0, 0.04)
    assert figures["bound_given"] == pytest.approx(0.05 / 0.6)
    assert figures["bound_given_most"] == pytest.approx(0.4), "of the models with certificates"
    assert (figures["uncertified_least"], figures["uncertified_most"]) == (0.4, 0.6)


def test_rows_are_kept_small_and_read_back(tmp_path):
    reply = {
        "subject": "Ann", "relation": "r", "answer": "Oslo", "confidence": 0.123456789,
        "name_known": True, "answered": True, "evidence": {"label": "supported", "quote": "..."},
        "source": {"label": "recalled", "probability_recalled": 0.5},
        "candidates": [{"text": "Oslo", "model_probability": 0.9}],
    }  # fmt: skip
    row = {"reply": reply, "gold": "Oslo", "right": True, "features": {"x": 1 / 3}, "m": None}
    kept = slim(row, "people-0")
    assert (kept["run"], kept["evidence"], kept["model_probability"]) == (
        "people-0",
        "supported",
        0.9,
    )
    assert "quote" not in json.dumps(kept)
    for name in ("one", "two"):
        write_rows(tmp_path / f"{name}.jsonl.gz", [kept])
    one, two = ((tmp_path / f"{name}.jsonl.gz").read_bytes() for name in ("one", "two"))
    assert one == two, "no date is in it"
    (back,) = read_rows(tmp_path / "one.jsonl.gz")
    assert back["confidence"] == 0.1234568
    assert back["features"] == {"x": 0.3333333}
    (tmp_path / "bad.jsonl.gz").write_bytes(one[:-9])
    with pytest.raises(BadData, match="expected compressed lines of JSON"):
        read_rows(tmp_path / "bad.jsonl.gz")
