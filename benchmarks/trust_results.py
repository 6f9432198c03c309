"""What was measured, on docs/TRUST.md: every figure of it, from the files in docs/results/.

    python benchmarks/trust_results.py --take RUN ...      # people-0 to -19, birthplaces; audited
    python benchmarks/trust_results.py                     # that part of the page

The words are in templates/trust-results.md.jinja, which has a place for every figure: a finding of
an audited run (people_0, birthplaces, ...), or one of many runs (`find_figures`); `pages.show` says
how they are written. `--take` keeps the answers of the runs, compressed, and tries the risk bound
on those of `people` (`bound.py`), which takes minutes.
"""

import argparse
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import mean
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "benchmarks")]

import bound  # noqa: E402
import numpy as np  # noqa: E402
from answer_files import (  # noqa: E402
    by_run,
    read_rows,
    take_answers,
    take_decoys,
    take_unanswered,
)
from pages import DOCS, RESULTS, fill, read_audits, read_readings, render  # noqa: E402

from wherefrom.answering.abstention import LEAST_SURE, choose_threshold  # noqa: E402
from wherefrom.answering.calibration import fit_calibration  # noqa: E402
from wherefrom.answering.decoys import TIERS  # noqa: E402
from wherefrom.answering.features import FEATURES  # noqa: E402
from wherefrom.answering.perturbed_names import PERTURBED  # noqa: E402
from wherefrom.answering.risk_bound import (  # noqa: E402
    fit_bounds,
    gated_probability,
    split_people,
)
from wherefrom.core.answer_table import FeatureTable  # noqa: E402
from wherefrom.core.sample_size import ALPHA, DELTA, DOUBT  # noqa: E402
from wherefrom.evaluation.binomial import exact_interval  # noqa: E402
from wherefrom.evaluation.calibration_measures import calibration_line  # noqa: E402
from wherefrom.evaluation.intervals import mean_interval, wilson  # noqa: E402
from wherefrom.evaluation.selective import auroc  # noqa: E402

PAGE = DOCS / "TRUST.md"
MAKER = "benchmarks/trust_results.py"
PEOPLE = "people"
BIRTHPLACES = "birthplaces-calibrated-0"
AUDITED = {
    "people_0": "people-0", "people_1": "people-1", "people_2": "people-2", "zipf": "people-zipf",
    "birthplaces": BIRTHPLACES,
}  # fmt: skip
SEEN = 16  # seeds of people, from 0, whose held-out people were in view while the recipe was tuned
BINS = (0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1.0)  # of the confidence that a reply shows
FEWEST_ERRORS = 50  # with fewer, a calibration slope says nothing


# -- what is kept ---------------------------------------------------------------------------------


def take(runs: Sequence[Path], times: int) -> None:
    """The answers of the runs, their decoys and, of birthplaces, the replies to test questions."""
    people = [run for run in runs if run.name.startswith(f"{PEOPLE}-")]
    others = [run for run in runs if run not in people]
    if people:
        take_answers(people, RESULTS / f"answers.{PEOPLE}.jsonl.gz")
        counts = {run.name: count_decoys(run) for run in people}
        text = json.dumps(counts, indent=1) + "\n"
        (RESULTS / f"decoys.{PEOPLE}.json").write_text(text, "utf-8")
        kept = RESULTS / f"answers.{PEOPLE}.jsonl.gz"
        bound.main([str(kept), "--times", str(times), "--json", str(RESULTS / "bound.people.json")])
    for run in others:
        take_answers([run], RESULTS / f"answers.{run.name}.jsonl.gz")
        take_decoys([run], RESULTS / f"decoys.{run.name}.jsonl.gz")
        if (run / "audit" / "unanswered.jsonl").exists():
            take_unanswered(run, RESULTS / f"unanswered.{run.name}.jsonl.gz")


def count_decoys(run: Path) -> dict[str, dict[str, int]]:
    """For each tier, how many names there are, and how many are answered and pass closed-book."""
    found: dict[str, dict[str, int]] = {}
    for row in read_rows(run / "audit" / "decoys.jsonl"):
        counts = found.setdefault(row["tier"], {"n": 0, "answered": 0, "passes": 0})
        counts["n"] += 1
        counts["answered"] += row["answered"]
        counts["passes"] += row["passes"]
    return found


# -- figures of many runs -------------------------------------------------------------------------


def find_figures() -> dict[str, Any]:
    """Everything that the template names."""
    audits = read_audits()
    return {
        **{name: audits[run] for name, run in AUDITED.items()},
        **_people(),
        **_bound(),
        **_birthplaces(),
        **read_readings(),
        "people_shown": find_shown(_held_out(PEOPLE)),
        "birthplaces_shown": find_shown(_held_out(BIRTHPLACES)),
        "sources": {**_sources(PEOPLE), **_sources(BIRTHPLACES)},
        "thresholds": find_thresholds(read_rows(RESULTS / f"answers.{BIRTHPLACES}.jsonl.gz")),
        "decoys": _decoys(),
        "doses": audits["people-zipf"]["exposures"]["dose"],
    }


def _people() -> dict[str, Any]:
    """Held-out people of every seed, with the threshold in use."""
    runs = by_run(read_rows(RESULTS / f"answers.{PEOPLE}.jsonl.gz"))
    held = {name: [r for r in rows if r["split"] == "held-out"] for name, rows in runs.items()}
    everyone = [row for rows in held.values() for row in rows]
    found: dict[str, Any] = {
        "seeds": len(runs), "seen": SEEN, "fewest_errors": FEWEST_ERRORS,
        "ungated": find_ungated_line(runs.values()),
    }  # fmt: skip
    for kind in ("stated", "omitted"):
        new = [r for name, rows in held.items() for r in rows
               if int(name.rpartition("-")[2]) >= SEEN and r["support"] == kind]  # fmt: skip
        found[f"new_{kind}"] = _score(sum(r["answered"] for r in new), len(new))
    right = [_share([r["right"] for r in rows if r["answered"]]) for rows in held.values()]
    found |= _over_seeds("precision_everyone", [share for share in right if share is not None])
    for kind in ("stated", "omitted", "none"):
        own = [[r for r in rows if r["support"] == kind] for rows in held.values()]
        answered = [_share([r["answered"] for r in rows]) or 0.0 for rows in own]
        found |= _over_seeds(f"answered_{kind}", answered)
        found |= _over_seeds(f"refused_{kind}", [1 - share for share in answered])
        wrong = [not r["right"] for r in everyone if r["support"] == kind and r["answered"]]
        found[f"risk_{kind}"] = _score(sum(wrong), len(wrong))
        found[f"n_{kind}"] = len([r for r in everyone if r["support"] == kind])
    stated = [r["right"] for r in everyone if r["support"] == "stated"]
    found["accuracy_stated"] = _score(sum(stated), len(stated))
    return found


def find_shown(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """How well the confidence that replies show is calibrated, of answers given and of guesses.

    A bin's interval is exact; it is `off` if it excludes the bin's mean confidence.
    """
    shown = [row for row in rows if row["confidence"] is not None]
    said = np.array([row["confidence"] for row in shown])
    right = np.array([row["right"] for row in shown], dtype=bool)
    places = np.clip(np.searchsorted(BINS, said, side="right") - 1, 0, len(BINS) - 2)
    bins: list[dict[str, Any]] = []
    for i in np.unique(places).tolist():
        here = places == i
        n, good, expected = int(here.sum()), int(right[here].sum()), float(said[here].mean())
        low, high = exact_interval(good, n)
        observed = {"share": good / n, "interval": (low, high), "n": n}
        off = not low <= expected <= high
        ends = {"low": BINS[i], "high": BINS[i + 1]}
        bins.append({**ends, "expected": expected, "observed": observed, "off": off})
    errors = int((~right).sum())
    line = _line(said, right) if errors >= FEWEST_ERRORS else None
    return {"n": len(shown), "errors": errors, "bins": bins, "line": line,
            "off": sum(each["off"] for each in bins)}  # fmt: skip


def find_ungated_line(runs: Iterable[Sequence[Mapping[str, Any]]]) -> dict[str, Any]:
    """The calibration line over all held-out people, also those whose names are unknown.

    No reply shows a confidence of an unknown name. Each seed's curve is fitted on the known names
    again; the seeds are pooled.
    """
    said, outcomes = list[np.ndarray](), list[np.ndarray]()
    for rows in runs:
        table = FeatureTable({n: np.array([r["features"][n] for r in rows]) for n in FEATURES})
        right = np.array([r["right"] for r in rows], dtype=bool)
        known = np.array(
            [r["split"] == "calibration" and r["name_known"] is not False for r in rows]
        )
        held = np.array([r["split"] == "held-out" for r in rows])
        curve = fit_calibration(table.rows(known), right[known], FEATURES)
        said.append(curve.probability(table.rows(held)))
        outcomes.append(right[held])
    return _line(np.concatenate(said), np.concatenate(outcomes))


def _line(said: np.ndarray, right: np.ndarray) -> dict[str, Any]:
    found = calibration_line(said, right)
    return {"slope": found.slope, "slope_interval": found.slope_interval}


def _over_seeds(name: str, values: Sequence[float]) -> dict[str, Any]:
    """A mean over seeds, each with people of its own, with Student's interval; least and most."""
    low, high = mean_interval(values) if len(values) > 1 else (0.0, 1.0)
    ends = (max(low, 0.0), min(high, 1.0))
    return {
        name: {name: mean(values), "interval": ends, "n": len(values)},
        f"{name}_least": min(values),
        f"{name}_most": max(values),
    }


def _bound() -> dict[str, Any]:
    """How often the bound is broken, over all draws and over those with a certificate."""
    found = json.loads((RESULTS / "bound.people.json").read_text("utf-8"))
    each = [model["drawn"] for model in found["models"].values()]
    above = [model["certified"]["above"] for model in each]
    given = [model["certified"].get("above_given") for model in each]
    given = [share for share in given if share is not None]
    together = found["all"]["drawn"]["certified"]
    certified = [model["certified"]["answers_anybody"] for model in each]
    return {
        "bound_models": len(each), "bound_times": found["times"],
        "bound_share": found.get("share", 0.5),
        "bound_least": min(above), "bound_most": max(above), "bound_above": together["above"],
        "bound_given": together.get("above_given"), "bound_given_most": max(given, default=None),
        "bound_certified": together["answers_anybody"],
        "bound_certified_least": min(certified), "bound_certified_most": max(certified),
        "uncertified_least": min(model["uncertified"]["above"] for model in each),
        "uncertified_most": max(model["uncertified"]["above"] for model in each),
    }  # fmt: skip


def _decoys() -> dict[str, dict[str, Any]]:
    """For each tier: what is declined, and by the model alone, in all seeds of people (with the
    worst seed) and on birthplaces."""
    runs = json.loads((RESULTS / f"decoys.{PEOPLE}.json").read_text("utf-8"))
    names = read_rows(RESULTS / f"decoys.{BIRTHPLACES}.jsonl.gz")
    found: dict[str, dict[str, Any]] = {}
    for tier in (*TIERS, *PERTURBED):
        own = [run[tier] for run in runs.values() if tier in run]
        there = [row for row in names if row["tier"] == tier]
        n = sum(row["n"] for row in own)
        found[tier] = {"worst": min(1 - row["answered"] / row["n"] for row in own)}
        for what, name in (("answered", "refused"), ("passes", "alone")):
            found[tier][f"people_{name}"] = _score(n - sum(row[what] for row in own), n)
            declined = sum(not row[what] for row in there)
            found[tier][f"birthplaces_{name}"] = _score(declined, len(there))
    return found


def _birthplaces() -> dict[str, Any]:
    """The dev questions, and what the model does with those of the test."""
    rows = read_rows(RESULTS / f"answers.{BIRTHPLACES}.jsonl.gz")
    dev = [row for row in rows if row["split"] == "held-out"]
    found: dict[str, Any] = {"dev": _score(sum(r["right"] for r in dev), len(dev))}
    for source in ("recalled", "guessed"):
        own = [r["right"] for r in dev if r["source"] == source]
        found[f"dev_{source}"] = _score(sum(own), len(own))
    test = read_rows(RESULTS / f"unanswered.{BIRTHPLACES}.jsonl.gz")
    sure = [r["answered_at_bound"] for r in test]
    return found | {
        "test_n": len(test),
        "test_expected": sum(r["confidence"] or 0.0 for r in test),
        "test_answered": _score(sum(r["answered"] for r in test), len(test)),
        "test_at_bound": None if None in sure else _score(sum(sure), len(test)),
    }


def _held_out(name: str) -> list[dict[str, Any]]:
    rows = read_rows(RESULTS / f"answers.{name}.jsonl.gz")
    return [row for row in rows if row["split"] == "held-out"]


def _sources(name: str) -> dict[str, dict[str, Any]]:
    """For each run with retrained models: how well recalled is told from guessed, held-out people.

    `recalled` is the predictor's probability, `m` what retraining measured.
    """
    found: dict[str, dict[str, Any]] = {}
    for run, rows in by_run(_held_out(name)).items():
        rows = [row for row in rows if row["m"] is not None]
        if not rows:
            continue
        text = [row for row in rows if row["support"] in ("stated", "omitted")]
        recalled = sum(row["m"] > 1 / 2 for row in rows)
        found[run] = {"share": _score(recalled, len(rows)), "all": _auroc(rows, "recalled")}
        for column in ("recalled", "model_probability", "confidence"):
            found[run][column] = _auroc(text, column)
    return found


def _auroc(rows: Sequence[Mapping[str, Any]], column: str) -> dict[str, Any] | None:
    """Of an unknown name there is no confidence: it counts as 0."""
    score = np.array([row[column] or 0.0 for row in rows])
    found = auroc(score, np.array([row["m"] > 1 / 2 for row in rows]))
    return found and {"share": found.value, "interval": found.interval}


def find_thresholds(rows: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """What thresholds that are set on calibration questions do to held-out ones."""
    fitting = np.array([row["split"] == "calibration" for row in rows])
    right = np.array([row["right"] for row in rows], dtype=bool)
    sure, own = (
        np.array([row[name] or 0.0 for row in rows]) for name in ("confidence", "model_probability")
    )

    def judge(given: np.ndarray) -> dict[str, Any]:
        given = given[~fitting]
        good = int((given & right[~fitting]).sum())
        return {
            "right": _score(good, int(given.sum())),
            "answered": _score(int(given.sum()), given.size),
        }

    def choose(score: np.ndarray, target: float, floor: float = 0.0) -> dict[str, Any]:
        found = choose_threshold(score[fitting], right[fitting], target, floor, DOUBT)
        return judge(found.answers(score))

    table = FeatureTable({n: np.array([r["features"][n] for r in rows]) for n in FEATURES})
    fit, test = split_people([row["subject"] for row in rows])
    sides = {"": (np.flatnonzero(fit & fitting), np.flatnonzero(test & fitting))}
    bounds = fit_bounds(table, right, FEATURES, sides, ALPHA, DELTA)
    certain = gated_probability(bounds.common, None, table)  # every name is known there
    return {
        "for_90": choose(sure, 0.9), "in_use": choose(sure, 0.9, LEAST_SURE),
        "for_95": choose(sure, 0.95), "own_95": choose(own, 0.95),
        "certified": judge(bounds.certified.of("").answers(certain)),
    }  # fmt: skip


def _share(outcomes: Sequence[bool]) -> float | None:
    return sum(outcomes) / len(outcomes) if outcomes else None


def _score(count: int, n: int) -> dict[str, Any] | None:
    return {"share": count / n, "interval": wilson(count, n), "n": n} if n else None


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--take", type=Path, nargs="+", default=[], help="audited runs")
    parser.add_argument("--times", type=int, default=1000, help="draws of the bound for each run")
    given = parser.parse_args(arguments)
    take(given.take, given.times)
    fill(PAGE, MAKER, render("trust-results.md.jinja", find_figures()))
    print(f"{PAGE.relative_to(ROOT)} is written")
    return 0


if __name__ == "__main__":
    sys.exit(main())
