"""docs/TRUST-RESULTS.md, every figure of it, from the files in docs/results/.

    python benchmarks/trust_results.py --take RUN ...      # people-0 to -19, birthplaces; audited
    python benchmarks/trust_results.py                     # the page

The page is a template, docs/results/trust-results.md, with a place for every figure:

    {{people-0 confidence.calibrated.brier.score | .3f}}    a finding in audit.people-0.json
    {{= slope_mean | .2f}}                                  a figure of many runs: `find_figures`

What stands behind | is how to write it: a format such as .2f; % for a share; [%] for a share with
its interval; [.2f] for a number with its interval; count for "79 of 80"; slope for a calibration
line; right for the share right among answers with a label. `--take` keeps the answers of the runs,
compressed, and tries the risk bound on those of `people` (`bound.py`), which takes minutes.
"""

import argparse
import json
import re
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
from trust import kappa, read_audit  # noqa: E402

from wherefrom.answering.calibration import LogisticCalibration  # noqa: E402
from wherefrom.answering.closed_book import FEATURES  # noqa: E402
from wherefrom.answering.decoys import TIERS  # noqa: E402
from wherefrom.answering.feature_table import FeatureTable  # noqa: E402
from wherefrom.answering.perturbed_names import PERTURBED  # noqa: E402
from wherefrom.core.errors import BadData  # noqa: E402
from wherefrom.evaluation.calibration import score_calibration  # noqa: E402
from wherefrom.evaluation.intervals import mean_interval, wilson  # noqa: E402

RESULTS = ROOT / "docs" / "results"
PAGE = ROOT / "docs" / "TRUST-RESULTS.md"
TEMPLATE = RESULTS / "trust-results.md"
PEOPLE = "people"
BIRTHPLACES = "birthplaces-calibrated-0"
PLACE = re.compile(r"\{\{(.+?)\}\}", re.DOTALL)
SUPPORT = {"stated": "text states it", "omitted": "text omits it", "none": "no text"}


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
    """Figures by name; those of files that are not there are left out."""
    found: dict[str, Any] = {}
    for find in (_people, _bound, _birthplaces, _readings):
        found |= find()
    return found | {"decoy_rows": decoy_rows(), "dose_table": dose_table()}


def _people() -> dict[str, Any]:
    """Held-out people of every seed, with the threshold in use."""
    path = RESULTS / f"answers.{PEOPLE}.jsonl.gz"
    if not path.exists():
        return {}
    runs = by_run(read_rows(path))
    slopes = [slope for rows in runs.values() if (slope := find_slope(rows)) is not None]
    found: dict[str, Any] = {
        "seeds": len(runs), "slope_mean": mean(slopes), "slope_least": min(slopes),
        "slope_most": max(slopes),
    }  # fmt: skip
    held = {name: [r for r in rows if r["split"] == "held-out"] for name, rows in runs.items()}
    everyone = [row for rows in held.values() for row in rows]
    right = [_share([r["right"] for r in rows if r["answered"]]) for rows in held.values()]
    found |= _over_seeds("precision_everyone", [share for share in right if share is not None])
    for kind in SUPPORT:
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
    curve = LogisticCalibration.fit(table.rows(known), right[known], FEATURES)
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
    path = RESULTS / "bound.people.json"
    if not path.exists():
        return {}
    found = json.loads(path.read_text("utf-8"))
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


def decoy_rows() -> str | None:
    """For each tier: what is refused in all seeds of people, and on birthplaces."""
    people = RESULTS / f"decoys.{PEOPLE}.json"
    other = RESULTS / f"decoys.{BIRTHPLACES}.jsonl.gz"
    if not people.exists() or not other.exists():
        return None
    runs, names = json.loads(people.read_text("utf-8")), read_rows(other)
    lines: list[str] = []
    for tier in (*TIERS, *PERTURBED):
        own = [run[tier] for run in runs.values() if tier in run]
        n = sum(row["n"] for row in own)
        cells = [_score(n - sum(row[what] for row in own), n) for what in ("answered", "passes")]
        there = [row for row in names if row["tier"] == tier]
        worst = min(1 - row["answered"] / row["n"] for row in own)
        cells += [
            _score(sum(not row[what] for row in there), len(there))
            for what in ("answered", "passes")
        ]
        shown = [show(cells[0], "[%]"), show(cells[1], "%"), f"{100 * worst:.1f} %",
                 show(cells[2], "[%]"), show(cells[3], "%")]  # fmt: skip
        lines.append(f"| {tier} | {' | '.join(shown)} |")
    return "\n".join(lines)


def dose_table() -> str | None:
    """The share right by exposure, in the run whose exposure is random."""
    path = RESULTS / "audit.people-zipf.json"
    if not path.exists():
        return None
    doses = read_audit(path)["exposures"]["dose"]
    rows = [str(d["low"]) if d["low"] == d["high"] else f"{d['low']}-{d['high']}" for d in doses]
    right = [f"{d['right']} of {d['n']}" for d in doses]
    lines = (["rows", *rows], ["---"] * (1 + len(rows)), ["right", *right])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _birthplaces() -> dict[str, Any]:
    """The dev questions, and what the model does with those of the test."""
    found: dict[str, Any] = {}
    path = RESULTS / f"answers.{BIRTHPLACES}.jsonl.gz"
    if path.exists():
        dev = [r for r in read_rows(path) if r["split"] == "held-out"]
        found["dev"] = _score(sum(r["right"] for r in dev), len(dev))
        for source in ("recalled", "guessed"):
            own = [r["right"] for r in dev if r["source"] == source]
            found[f"dev_{source}"] = _score(sum(own), len(own)) if own else None
    path = RESULTS / f"unanswered.{BIRTHPLACES}.jsonl.gz"
    if path.exists():
        test = read_rows(path)
        found["test_n"] = len(test)
        found["test_answered"] = _score(sum(r["answered"] for r in test), len(test))
        sure = [r["answered_at_bound"] for r in test]
        found["test_at_bound"] = None if None in sure else _score(sum(sure), len(test))
    return found


def _readings() -> dict[str, Any]:
    path = RESULTS / "evidence-readings.jsonl"
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    labels = [row["label"] for row in rows]
    first, second = zip(*(row["readings"] for row in rows), strict=True)
    return {
        "read": len(rows), **{f"read_{name}": labels.count(name) for name in set(labels)},
        "read_agree": sum(a == b for a, b in zip(labels, first, strict=True)),
        "read_kappa": kappa(labels, first), "readers_kappa": kappa(first, second),
        "readers_agree": sum(a == b for a, b in zip(first, second, strict=True)),
    }  # fmt: skip


def _share(outcomes: Sequence[bool]) -> float | None:
    return sum(outcomes) / len(outcomes) if outcomes else None


def _score(count: int, n: int) -> dict[str, Any]:
    return {"share": count / n, "interval": wilson(count, n), "n": n}


# -- the page -------------------------------------------------------------------------------------


def page() -> str:
    """The template with every figure in its place."""
    figures, audits = find_figures(), _Audits()

    def fill(match: re.Match[str]) -> str:
        what, _, form = (part.strip() for part in match[1].rpartition("|"))
        if not what:
            raise BadData(f"{TEMPLATE.name}: expected {{{{figure | form}}}}, found {match[0]}")
        if what.startswith("="):
            name = what[1:].strip()
            if name not in figures:
                raise BadData(f"{TEMPLATE.name}: no figure '{name}'; take the runs over first")
            return show(figures[name], form)
        run, _, dotted = what.partition(" ")
        return show(audits.look_up(run, dotted.strip()), form)

    return PLACE.sub(fill, TEMPLATE.read_text("utf-8"))


class _Audits:
    """The findings in docs/results/, each file read once."""

    def __init__(self) -> None:
        self._read: dict[str, Any] = {}

    def look_up(self, run: str, dotted: str) -> Any:
        if run not in self._read:
            self._read[run] = read_audit(RESULTS / f"audit.{run}.json")
        return _at(self._read[run], dotted)


def _at(found: Any, dotted: str) -> Any:
    """What stands at a dotted place; a key may have dots itself, and a number chooses of a list."""
    if not dotted or found is None:
        return found
    if isinstance(found, list):
        first, _, rest = dotted.partition(".")
        return _at(found[int(first)], rest)
    for name in sorted(found, key=len, reverse=True):
        if dotted == name or dotted.startswith(f"{name}."):
            return _at(found[name], dotted[len(name) + 1 :])
    return None


def show(value: Any, form: str) -> str:
    """A figure in words; a finding that is not there is a dash."""
    if value is None:
        return "-"
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        if form == "slope":
            return show({"slope": value["slope"], "interval": value["slope_interval"]}, "[.2f]")
        if form == "right":
            return f"{100 * value['right'] / value['answers']:.1f} %" if value["answers"] else "-"
        first = value.get("share", next(iter(value.values())))
        if first is None:
            return "-"
        ends = value.get("interval")
        if form == "count":
            return f"{round(first * value['n'])} of {value['n']:,}"
        if form == "n":
            return f"{value['n']:,}"
        first = float(first)
        number = _number(first, form.strip("[]"))
        if not form.startswith("[") or ends is None:
            return number
        low, high = (_number(end, form.strip("[]")).removesuffix(" %") for end in ends)
        return f"{number} [{low}, {high}]"
    return _number(float(value), form)


def _number(value: float, form: str) -> str:
    if form == "%":
        return f"{100 * value:.1f} %"
    if form == "d":
        return f"{round(value):,}"
    return f"{value:{form}}"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--take", type=Path, nargs="+", default=[], help="audited runs")
    parser.add_argument("--times", type=int, default=1000, help="draws of the bound for each run")
    given = parser.parse_args(arguments)
    take(given.take, given.times)
    PAGE.write_text(page(), "utf-8")
    print(f"{PAGE.relative_to(ROOT)} is written")
    return 0


if __name__ == "__main__":
    sys.exit(main())
