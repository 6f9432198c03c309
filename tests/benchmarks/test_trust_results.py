"""What was measured, on docs/TRUST.md: what its template and the committed files give."""

import re
from pathlib import Path

import numpy as np
import pages
import pytest
import trust_results as made
from replay import replay

from wherefrom.core.files import read_json

TEMPLATE = Path(pages.__file__).parent / "templates" / "trust-results.md.jinja"


@pytest.mark.nightly
def test_the_bound_was_tried_on_the_committed_answers():
    """The first model's share of broken bounds and coverage, drawn again fewer times."""
    kept = read_json(made.RESULTS / made.BOUND)
    runs = replay(made.RESULTS / made.OMITTED)
    assert kept["models"].keys() == runs.keys()
    run, found = next(iter(runs.items()))
    again = made.draw_bounds(found, times=50, number=0)
    for rule, pooled in kept["models"][run].items():
        coverage = again[rule]["mean_coverage"]
        assert coverage == pytest.approx(pooled["mean_coverage"], abs=0.1)


@pytest.mark.nightly
def test_the_committed_page_is_what_the_committed_files_give():
    page = pages.render("trust-results.md.jinja", made.find_figures())
    assert page.strip() in made.PAGE.read_text("utf-8")


def test_the_template_has_few_figures_of_its_own():
    """A figure that is written by hand cannot be computed again; these are about other data."""
    words = re.sub(r"\{[{%].*?[%}]\}", "", TEMPLATE.read_text("utf-8"))
    found = set(re.findall(r"\d+(?:[.,]\d+)* %", words))
    theirs = {"4.7 %", "96.5 %"}  # others computed them
    assert found <= {"95 %", "90 %", "10 %"} | theirs, found


def test_calibration_is_that_of_the_confidence_that_replies_show(stats):
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
    inside = 1.0  # the chance that neither bin is off if both confidences are right
    for n, p in ((10, 0.3), (100, 0.8)):
        counts = np.arange(n + 1)
        ends = np.minimum(stats.binom.cdf(counts, n, p), stats.binom.sf(counts - 1, n, p))
        inside *= stats.binom.pmf(counts, n, p)[ends > 0.025].sum()
    assert found["chance"] == pytest.approx(1 - inside, abs=0.02)
    wrong = {"confidence": 0.3, "right": False}
    assert made.find_shown([*rows * 3, wrong])["line"] is not None


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
