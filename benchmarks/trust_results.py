"""What was measured, on docs/TRUST.md: every figure of it, from the files in docs/results/.

    python benchmarks/trust_results.py --take RUN ...      # audited runs of birthplaces
    python benchmarks/trust_results.py --bound             # tries the risk bound, too: minutes
    python benchmarks/trust_results.py                     # that part of the page

The words are in templates/trust-results.md.jinja, which has a place for every figure of
`find_figures`; `pages.show` says how they are written. `--take` keeps the answers of audited runs,
compressed. What the answering policy does is computed from raw answers: the policy is fitted on
them again (`replay.py`).
"""

import argparse
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import bound
import evidence
import numpy as np
from answer_files import read_rows, take_answers, take_decoys, take_unanswered
from baselines import compare
from pages import DOCS, RESULTS, fill, read_readings, render
from program import ROOT, launch
from replay import Replay, replay
from scipy.stats import binom, binomtest

from wherefrom.answering.abstention import LEAST_SURE, choose_threshold, tighten
from wherefrom.answering.calibration import fit_calibration
from wherefrom.answering.decoys import TIERS
from wherefrom.answering.features import FEATURES
from wherefrom.answering.perturbed_names import PERTURBED
from wherefrom.answering.risk_bound import fit_bounds, gated_probability, split_people
from wherefrom.core.answer_table import FeatureTable
from wherefrom.core.files import write_json
from wherefrom.core.sample_size import ALPHA, DELTA, DOUBT
from wherefrom.evaluation.calibration_measures import FEWEST, calibration_line
from wherefrom.evaluation.intervals import wilson

PAGE = DOCS / "TRUST.md"
MAKER = "benchmarks/trust_results.py"
BIRTHPLACES = "birthplaces-calibrated-0"
OMITTED, UNDER = "raw.people-omitted.jsonl.gz", "raw.birthplaces-under.jsonl.gz"
BEFORE = "raw.people-omitted-before.jsonl.gz"  # seeds on which the policy was developed
OTHERS = ("raw.birthplaces.jsonl.gz", "raw.own.jsonl.gz")
BOUND = "bound.people.json"
BINS = (0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1.0)  # of the confidence that a reply shows
SET = 20  # seeds of `people-omitted` in a set
TIMES, BEYOND = 1000, 0.025  # simulated sets of outcomes; what lies beyond an end of an interval


# -- what is kept ---------------------------------------------------------------------------------


def take(runs: Sequence[Path]) -> None:
    """The answers of the runs, their decoys and the replies to test questions."""
    for run in runs:
        take_answers([run], RESULTS / f"answers.{run.name}.jsonl.gz")
        take_decoys([run], RESULTS / f"decoys.{run.name}.jsonl.gz")
        take_unanswered(run, RESULTS / f"unanswered.{run.name}.jsonl.gz")


def try_bound(times: int) -> None:
    """Draw calibration people of each raw run again and again, and see how the bound does."""
    runs = enumerate(replay(RESULTS / OMITTED).items())
    models = {run: draw_bounds(found, times, number) for number, (run, found) in runs}
    together = {rule: bound.pool(models, rule) for rule in bound.RULES}
    write_json(RESULTS / BOUND, {"times": times, "all": together, "models": models})


def draw_bounds(run: Replay, times: int, number: int) -> dict[str, Any]:
    """How the bound does in so many draws of the calibration people of a run."""
    rows = [row for split in ("calibration", "held-out") for row in run.judge(split)]
    people = bound.read_population(rows)
    return bound.measure(people, times, ALPHA, DELTA, number)


# -- figures of many runs -------------------------------------------------------------------------


def find_figures() -> dict[str, Any]:
    """Everything that the template names."""
    birthplaces = refit(read_rows(RESULTS / f"answers.{BIRTHPLACES}.jsonl.gz"))
    return {
        **_people(),
        **_bound(),
        **_birthplaces(),
        **read_readings(),
        **_others(),
        "probes": evidence.read_probes(),
        "thresholds": find_thresholds(birthplaces),
        "decoys": _decoys(),
        "fewest_errors": FEWEST,
        "baselines": {run: compare(found) for run, found in replay(RESULTS / UNDER).items()},
    }


def _list(seeds: Sequence[int]) -> str:
    first, *_, last = seeds
    whole = list(seeds) == list(range(first, last + 1))
    return f"{first} to {last}" if whole else ", ".join(map(str, seeds))


def _people() -> dict[str, Any]:
    """Held-out people of every raw run: what is shown, and which names pass.

    Of the runs on which the policy was developed, only which bins are off.
    """
    runs = replay(RESULTS / OMITTED)
    judged = {run: found.judge() for run, found in runs.items()}
    rows = [row for each in judged.values() for row in each]
    judged |= {run: found.judge() for run, found in replay(RESULTS / BEFORE).items()}
    seeds, every = ([int(run.rpartition("-")[2]) for run in some] for some in (runs, judged))
    given = [row["right"] for row in rows if row["answered"]]
    said, right = (np.array([row[name] for row in rows]) for name in ("ungated", "right"))
    stated = [row["name_known"] for row in rows if row["support"] == "stated"]
    return {
        "seeds": len(seeds), "seed_names": _list(seeds),
        "sets": {_list(some): _count_off(judged, some) for some in _in_sets(sorted(every))},
        "people_shown": find_shown(rows), "ungated": _line(said, right),
        "right_given": _score(sum(given), len(given)),
        "right_stated": _score(*_count(r["right"] for r in rows if r["support"] == "stated")),
        "passing": {tier: _passing(runs, tier) for tier in TIERS},
        "known_stated": _score(*_count(stated)),
    }  # fmt: skip


def _in_sets(seeds: Sequence[int]) -> list[list[int]]:
    """Seeds were opened a set at a time."""
    return [seeds[i : i + SET] for i in range(0, len(seeds), SET)]


def _count_off(judged: Mapping[str, Any], seeds: Sequence[int]) -> int:
    """How many bins of a set of seeds are off."""
    return find_shown([row for seed in seeds for row in judged[f"seed-{seed}"]])["off"]


def _others() -> dict[str, Any]:
    """Held-out questions of birthplaces and of own texts, all runs of a text together."""
    texts: dict[str, dict[str, Replay]] = {}
    for name in OTHERS:
        for run, found in replay(RESULTS / name).items():
            texts.setdefault(run.rstrip("-0123456789"), {})[run] = found
    judged = {text: [r for run in own.values() for r in run.judge()] for text, own in texts.items()}
    passing: dict[str, dict[str, Any]] = {}
    for text, own in texts.items():
        known = (row["name_known"] for row in judged[text] if row["support"] == "stated")
        passing[text] = {tier: _passing(own, tier) for tier in TIERS}
        passing[text]["stated"] = _score(*_count(known))
    birthplaces = judged.pop(BIRTHPLACES.rstrip("-0"))
    unread = [row for rows in judged.values() for row in rows if row["support"] == "none"]
    given = [row for row in unread if row["answered"]]
    counts = {"n": len(unread), "answered": len(given), "wrong": sum(not r["right"] for r in given)}
    omitted = {
        text: [row["answered"] for row in rows if row["support"] == "omitted"]
        for text, rows in sorted(judged.items())
    }
    seen = [f"{sum(a)} of {len(a)}" for text, a in omitted.items() if text.endswith("seen")]
    return {"birthplaces_shown": find_shown(birthplaces),
            "own_shown": {text: find_shown(rows) for text, rows in judged.items()},
            "others_passing": passing, "unread": counts, "seen": seen}  # fmt: skip


def _passing(runs: Mapping[str, Replay], tier: str) -> dict[str, Any] | None:
    """How many names of a tier pass the gates of the runs."""
    found = [(run, run.fit().names) for run in runs.values()]
    opened = [gate.opens(run.tier(tier)) for run, gate in found if gate is not None]
    return _score(*_count(np.concatenate(opened)))


def _count(outcomes: Iterable[bool]) -> tuple[int, int]:
    each = list(outcomes)
    return int(sum(each)), len(each)


def refit(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Audited answers to one relation, with the confidence of a curve that is fitted again.

    Which names are known is left as the audit found it.
    """
    fitting = [row for row in rows if row["split"] == "calibration"]
    golds = Counter(row["gold"] for row in fitting)
    wrong = [golds[row["answer"]] for row in fitting if not row["right"]]
    guess = sum(wrong) / max(len(wrong) * (len(fitting) - 1), 1)
    known = [row for row in fitting if row["name_known"] is not False]
    outcome = np.array([row["right"] for row in known], dtype=bool)
    curve = fit_calibration(_table(known), outcome, FEATURES, guess=guess)
    said = curve.probability(_table(rows)).tolist()
    return [
        {**row, "confidence": None if row["name_known"] is False else p}
        for row, p in zip(rows, said, strict=True)
    ]


def _table(rows: Sequence[Mapping[str, Any]]) -> FeatureTable:
    return FeatureTable({n: np.array([r["features"][n] for r in rows]) for n in FEATURES})


def find_shown(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """How well the confidence that replies show is calibrated, of answers given and of guesses.

    A bin's interval is exact; it is `off` if it excludes the bin's mean confidence. `chance` is how
    often as many bins or more are off in simulated outcomes, each right as often as is said.
    """
    shown = [row for row in rows if row["confidence"] is not None]
    said = np.array([row["confidence"] for row in shown])
    right = np.array([row["right"] for row in shown], dtype=bool)
    places = np.clip(np.searchsorted(BINS, said, side="right") - 1, 0, len(BINS) - 2)
    bins: list[dict[str, Any]] = []
    for i in np.unique(places).tolist():
        here = places == i
        n, good, expected = int(here.sum()), int(right[here].sum()), float(said[here].mean())
        low, high = binomtest(good, n).proportion_ci()
        observed = {"share": good / n, "interval": (low, high), "n": n}
        off = not low <= expected <= high
        ends = {"low": BINS[i], "high": BINS[i + 1]}
        bins.append({**ends, "expected": expected, "observed": observed, "off": off})
    off, errors = sum(each["off"] for each in bins), int((~right).sum())
    return {"n": len(shown), "errors": errors, "bins": bins, "line": _line(said, right),
            "off": off, "chance": _simulate(said, places, off)}  # fmt: skip


def _simulate(said: np.ndarray, places: np.ndarray, off: int) -> float:
    """How often at least so many bins are off by chance alone."""
    outcomes = np.random.default_rng(0).random((TIMES, said.size)) < said
    found = np.zeros(TIMES, dtype=int)
    for i in np.unique(places):
        here = places == i
        n = int(here.sum())
        most = binom.cdf(np.arange(n + 1), n, said[here].mean())  # P(X <= count)
        outside = (most < BEYOND) | (1 - np.append(0.0, most[:-1]) < BEYOND)  # an exact interval's
        found += outside[outcomes[:, here].sum(1)]
    return float((found >= off).mean())


def _line(said: np.ndarray, right: np.ndarray) -> dict[str, Any] | None:
    found = calibration_line(said, right)
    if found.slope is None:
        return None
    return {"slope": found.slope, "slope_interval": found.slope_interval}


def _bound() -> dict[str, Any]:
    """How often the bound is broken, over all draws and over those with a certificate."""
    found = json.loads((RESULTS / BOUND).read_text("utf-8"))
    each = list(found["models"].values())
    shares = {rule: [model[rule]["above"] for model in each] for rule in bound.RULES}
    certified = [model["certified"]["answers_anybody"] for model in each]
    return {
        "bound_models": len(each), "bound_times": found["times"], "bound_all": found["all"],
        "bound_ends": {rule: (min(above), max(above)) for rule, above in shares.items()},
        "bound_certified": (min(certified), max(certified)),
        "conformal_most": max(model["conformal"]["mean_loss"] for model in each),
    }  # fmt: skip


def _decoys() -> dict[str, dict[str, Any]]:
    """For each tier, on birthplaces: what `ask` declines, and what the model does alone."""
    names = read_rows(RESULTS / f"decoys.{BIRTHPLACES}.jsonl.gz")
    found: dict[str, dict[str, Any]] = {}
    for tier in (*TIERS, *PERTURBED):
        there = [row for row in names if row["tier"] == tier]
        found[tier] = {
            name: _score(sum(not row[what] for row in there), len(there))
            for what, name in (("answered", "refused"), ("passes", "alone"))
        }
    return found


def _birthplaces() -> dict[str, Any]:
    """The dev questions, and what the model does with those of the test."""
    rows = read_rows(RESULTS / f"answers.{BIRTHPLACES}.jsonl.gz")
    dev = [row for row in rows if row["split"] == "held-out"]
    found: dict[str, Any] = {"dev": _score(sum(r["right"] for r in dev), len(dev))}
    test = read_rows(RESULTS / f"unanswered.{BIRTHPLACES}.jsonl.gz")
    sure = [r["answered_at_bound"] for r in test]
    return found | {
        "test_n": len(test),
        "test_expected": sum(r["confidence"] or 0.0 for r in test),
        "test_answered": _score(sum(r["answered"] for r in test), len(test)),
        "test_at_bound": None if None in sure else _score(sum(sure), len(test)),
    }


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

    def choose(score: np.ndarray, target: float, in_use: bool = False) -> dict[str, Any]:
        asked, known = score[fitting], right[fitting]
        found = choose_threshold(asked, known, target, LEAST_SURE * in_use, DOUBT)
        return judge((tighten(found, asked, known) if in_use else found).answers(score))

    table = _table(rows)
    fit, test = split_people([row["subject"] for row in rows])
    sides = {"": (np.flatnonzero(fit & fitting), np.flatnonzero(test & fitting))}
    bounds = fit_bounds(table, right, FEATURES, sides, ALPHA, DELTA)
    certain = gated_probability(bounds.common, None, table)  # every name is known there
    return {
        "for_90": choose(sure, 0.9), "in_use": choose(sure, 0.9, True),
        "for_95": choose(sure, 0.95), "own_95": choose(own, 0.95),
        "certified": judge(bounds.certified.of("").answers(certain)),
    }  # fmt: skip


def _score(count: int, n: int) -> dict[str, Any] | None:
    return {"share": count / n, "interval": wilson(count, n), "n": n} if n else None


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--take", type=Path, nargs="+", default=[], help="audited runs")
    parser.add_argument("--bound", action="store_true", help="try the risk bound again")
    parser.add_argument("--times", type=int, default=1000, help="draws of the bound for each run")
    given = parser.parse_args(arguments)
    take(given.take)
    if given.bound:
        try_bound(given.times)
    fill(PAGE, MAKER, render("trust-results.md.jinja", find_figures()))
    print(f"{PAGE.relative_to(ROOT)} is written")
    return 0


if __name__ == "__main__":
    launch(main)
