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
from collections.abc import Mapping, Sequence
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

from wherefrom.answering.answer_table import FeatureTable  # noqa: E402
from wherefrom.answering.calibration import fit_calibration  # noqa: E402
from wherefrom.answering.decoys import TIERS  # noqa: E402
from wherefrom.answering.features import FEATURES  # noqa: E402
from wherefrom.answering.perturbed_names import PERTURBED  # noqa: E402
from wherefrom.evaluation.calibration_measures import score_calibration  # noqa: E402
from wherefrom.evaluation.intervals import mean_interval, wilson  # noqa: E402

PAGE = DOCS / "TRUST.md"
MAKER = "benchmarks/trust_results.py"
PEOPLE = "people"
BIRTHPLACES = "birthplaces-calibrated-0"
AUDITED = {
    "people_0": "people-0", "people_1": "people-1", "people_2": "people-2", "zipf": "people-zipf",
    "birthplaces": BIRTHPLACES,
}  # fmt: skip


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
        "decoys": _decoys(),
        "doses": audits["people-zipf"]["exposures"]["dose"],
    }


def _people() -> dict[str, Any]:
    """Held-out people of every seed, with the threshold in use."""
    runs = by_run(read_rows(RESULTS / f"answers.{PEOPLE}.jsonl.gz"))
    slopes = [slope for rows in runs.values() if (slope := find_slope(rows)) is not None]
    found: dict[str, Any] = {
        "seeds": len(runs), "slope_mean": mean(slopes), "slope_least": min(slopes),
        "slope_most": max(slopes),
    }  # fmt: skip
    held = {name: [r for r in rows if r["split"] == "held-out"] for name, rows in runs.items()}
    everyone = [row for rows in held.values() for row in rows]
    right = [_share([r["right"] for r in rows if r["answered"]]) for rows in held.values()]
    found |= _over_seeds("precision_everyone", [share for share in right if share is not None])
    for kind in ("stated", "omitted", "none"):
        own = [[r for r in rows if r["support"] == kind] for rows in held.values()]
        answered = [_share([r["answered"] for r in rows]) or 0.0 for rows in own]
        found |= _over_seeds(f"answered_{kind}", answered)
        found |= _over_seeds(f"refused_{kind}", [1 - share for share in answered])
        wrong = [not r["right"] for r in everyone if r["support"] == kind and r["answered"]]
        found[f"risk_{kind}"] = _score(sum(wrong), len(wrong)) if wrong else None
        found[f"n_{kind}"] = len([r for r in everyone if r["support"] == kind])
    stated = [r["right"] for r in everyone if r["support"] == "stated"]
    found["accuracy_stated"] = _score(sum(stated), len(stated))
    return found


def find_slope(rows: Sequence[Mapping[str, Any]]) -> float | None:
    """The calibration slope on held-out people of a curve that is fitted on known names again."""
    table = FeatureTable({n: np.array([r["features"][n] for r in rows]) for n in FEATURES})
    right = np.array([r["right"] for r in rows], dtype=bool)
    fitting = np.array([r["split"] == "calibration" for r in rows])
    known = fitting & np.array([r["name_known"] is not False for r in rows])
    curve = fit_calibration(table.rows(known), right[known], FEATURES)
    held = np.array([r["split"] == "held-out" for r in rows])
    return score_calibration(curve.probability(table.rows(held)), right[held]).line.slope


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
    """For each tier: what is refused, and by the model alone, in all seeds of people (with the
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
            refused = sum(not row[what] for row in there)
            found[tier][f"birthplaces_{name}"] = _score(refused, len(there))
    return found


def _birthplaces() -> dict[str, Any]:
    """The dev questions, and what the model does with those of the test."""
    rows = read_rows(RESULTS / f"answers.{BIRTHPLACES}.jsonl.gz")
    dev = [row for row in rows if row["split"] == "held-out"]
    found: dict[str, Any] = {"dev": _score(sum(r["right"] for r in dev), len(dev))}
    for source in ("recalled", "guessed"):
        own = [r["right"] for r in dev if r["source"] == source]
        found[f"dev_{source}"] = _score(sum(own), len(own)) if own else None
    test = read_rows(RESULTS / f"unanswered.{BIRTHPLACES}.jsonl.gz")
    sure = [r["answered_at_bound"] for r in test]
    return found | {
        "test_n": len(test),
        "test_answered": _score(sum(r["answered"] for r in test), len(test)),
        "test_at_bound": None if None in sure else _score(sum(sure), len(test)),
    }


def _share(outcomes: Sequence[bool]) -> float | None:
    return sum(outcomes) / len(outcomes) if outcomes else None


def _score(count: int, n: int) -> dict[str, Any]:
    return {"share": count / n, "interval": wilson(count, n), "n": n}


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
