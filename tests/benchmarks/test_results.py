"""docs/research/RESULTS.md: figures by hand, what is taken over, and the committed page."""

import json

import numpy as np
import pages
import pytest
import results


@pytest.mark.nightly
def test_the_committed_page_is_what_the_committed_results_give():
    made = pages.render("results.md.jinja", results.collect())
    assert results.PAGE.read_text("utf-8") == made


# --- figures -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "form", "shown"),
    [
        ({"precision": 0.9375, "interval": [0.862, 0.973], "n": 80}, "[%]", "93.8 % [86.2, 97.3]"),
        ({"precision": 0.9375, "interval": [0.862, 0.973], "n": 80}, "[p]", "93.8 [86.2, 97.3]"),
        ({"accuracy": 0.9875, "interval": [0.9, 1.0], "n": 80}, "count", "79 of 80"),
        ({"accuracy": 0.5, "interval": [0.4, 0.6], "n": 1374}, "n", "1,374"),
        ({"slope": 1.117, "slope_interval": [0.85, 1.38]}, "slope", "1.12 [0.85, 1.38]"),
        ({"slope": None, "slope_interval": None}, "slope", "-"),
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


def test_the_committed_scores_are_those_of_the_table():
    """dev-right.json beside the accuracies that the trainings wrote."""
    rows = pages.read_lines(pages.RESULTS / "gpu.jsonl")
    right = json.loads((pages.RESULTS / "dev-right.json").read_text())
    for job in ("knowledge.rope", "course.causal", "calibrated"):
        own = sorted((r for r in rows if r["job"] == job), key=lambda r: r["seed"])
        shares = [100 * r.count("1") / len(r) for _, r in sorted(right[job].items())]
        assert shares == pytest.approx(results.accuracies(own))
