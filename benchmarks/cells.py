"""Does the source predictor add to the evidence? On families, whose places others' text tells.

    wherefrom run people-omitted --seeds 5-9 --set data.families=0.5 --out runs/families
    for seed in 5 6 7 8 9; do wherefrom audit runs/families/seed-$seed --pairs 8; done
    python benchmarks/cells.py --take runs/families/seed-*

Half of the last names are families' (`PeopleConfig.families`): their bearers share a birthplace, so
a model can infer a bearer's place from the others. Held-out answers fall into four cells: whether
the text states the answer, and whether it can be derived from the last name. A right answer that is
stated and derivable may not come from the person's own text: the case that evidence cannot tell.
With few cities (`--set data.cities=4 --set data.untold=120`), some are right by luck alone.
"""

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from answer_files import by_run, read_rows, slim, write_rows
from program import ROOT, launch

from wherefrom.answering.source import SOURCE_FEATURES, SourcePredictor
from wherefrom.core.answer_table import FeatureTable
from wherefrom.core.config import to_json
from wherefrom.core.contracts import WITH_TEXT
from wherefrom.core.replies import SUPPORTED
from wherefrom.data.people import PeopleConfig, find_homes
from wherefrom.evaluation.intervals import paired_difference, wilson
from wherefrom.evaluation.selective import auroc
from wherefrom.memorisation.labelled_answers import read_labelled
from wherefrom.memorisation.predictor import fit_source_predictor
from wherefrom.runs.opened_run import open_run

FAMILIES = ROOT / "docs" / "results" / "answers.families.jsonl.gz"
PEOPLE, BIRTHPLACES = ("people-0", "people-1", "people-2"), "birthplaces-calibrated-0"
KEPT = ("run", "subject", "answer", "right", "split", "support", "evidence", "m")
Row = Mapping[str, Any]


def take(runs: Sequence[Path], file: Path) -> None:
    """Keep what the cells are counted from: the answers of audited runs, those with an m."""
    write_rows(file, (row for run in runs for row in read_run(run)))


def read_run(path: Path) -> Iterator[dict[str, Any]]:
    recipe = open_run(path).recipe
    config = recipe.data
    if not isinstance(config, PeopleConfig):
        raise SystemExit(f"{path}: expected a run of people, found {recipe.name}")
    families = find_homes(config, recipe.seed)
    name = f"{config.cities} cities, seed {recipe.seed}"
    for row in read_rows(path / "audit" / "answers.jsonl"):
        kept = {key: value for key, value in slim(row, name).items() if key in KEPT}
        features = {key: row["features"][key] for key in SOURCE_FEATURES}
        derivable = kept["subject"].rpartition(" ")[2] in families
        if kept["m"] is not None:
            yield {**kept, "derivable": derivable, "features": features}


def read_labels(run: str) -> list[dict[str, Any]]:
    """The labelled answers that are kept of a run (`labels.py`), in the same form."""
    found = read_labelled(FAMILIES.with_name(f"influence.{run}.jsonl.gz"))
    table, m = found.table, found.memorisation.m
    return [
        {"run": run, "split": q.split, "support": q.support, "right": bool(table.right[i]),
         "evidence": SUPPORTED if table.features[SUPPORTED][i] else "", "m": float(m[i]),
         "features": table.features.row(i)}
        for i, q in enumerate(table.known)
        if np.isfinite(m[i])
    ]  # fmt: skip


def predict(rows: Sequence[Row], others: Sequence[Row] = ()) -> list[dict[str, Any]]:
    """Held-out answers, each with what a predictor makes of it: its run's, or one of `others`."""
    found: list[dict[str, Any]] = []
    for own in by_run(rows).values():
        held = [row for row in own if row["split"] == "held-out"]
        # A reply about a name without text says guessed, whatever the predictor makes of it.
        known = np.array([row["support"] in WITH_TEXT for row in held])
        sources = fit(others or own).predict(_table(held), [""] * len(held))
        p = known * np.array([source.probability_recalled for source in sources])
        found += [{**row, "recalled": each} for row, each in zip(held, p.tolist(), strict=True)]
    return found


def fit(rows: Sequence[Row]) -> SourcePredictor:
    fitting = [r for r in rows if r["split"] == "calibration" and r["support"] in WITH_TEXT]
    return fit_source_predictor(_table(fitting), np.array([row["m"] for row in fitting]), 0)


def find_transfer(families: Sequence[Row]) -> dict[str, Any]:
    """What a predictor of other runs is worth, among all answers and among those that are hard."""
    people = [row for run in PEOPLE for row in read_labels(run)]
    birthplaces = read_labels(BIRTHPLACES)
    return {
        "people_to_families": measure(predict(families, people))["hard"],
        "families_to_birthplaces": _compare(predict(birthplaces, families)),
    }


def _table(rows: Sequence[Row]) -> FeatureTable:
    columns = {n: np.array([float(r["features"][n]) for r in rows]) for n in SOURCE_FEATURES}
    return FeatureTable(columns)


def measure(rows: Sequence[Row]) -> dict[str, Any]:
    """The cells; and, among right and supported answers and among the others, each score."""
    cells: dict[str, dict[str, int]] = {}
    for row in rows:
        words = ("" if row["support"] == "stated" else "not ", "" if row["derivable"] else "not ")
        cell = cells.setdefault("{}stated, {}derivable".format(*words), dict.fromkeys(COUNTS, 0))
        recalled = row["m"] > 1 / 2
        for name, one in zip(COUNTS, (True, row["right"], row["right"] and recalled), strict=True):
            cell[name] += one
    hard = [row for row in rows if row["right"] and row["evidence"] == "supported"]
    easy = [row for row in rows if not (row["right"] and row["evidence"] == "supported")]
    return {"cells": cells, "hard": _compare(hard), "easy": _compare(easy)}


COUNTS = ("answers", "right", "right and recalled")


def _compare(rows: Sequence[Row]) -> dict[str, Any]:
    """How many labels are right, each with its interval: the predictor's, and those of two rules.

    evidence: recalled if the text supports the answer. usual answer: recalled unless strangers with
    such a name mostly get it, too. `lead` is how many more labels of the predictor are right.
    """
    recalled = np.array([row["m"] > 1 / 2 for row in rows], dtype=bool)
    p = np.array([row["recalled"] for row in rows])
    usual = np.array([row["features"]["usual"] for row in rows])
    said = {
        "predictor": p > 1 / 2,
        "evidence": np.array([row["evidence"] == "supported" for row in rows], dtype=bool),
        "usual answer": usual <= 0,  # log-odds
    }
    right = {name: own == recalled for name, own in said.items()}
    shares = {name: int(each.sum()) for name, each in right.items()}
    return {
        "n": len(rows),
        "recalled": int(recalled.sum()),
        "auroc": {
            name: to_json(auroc(score, recalled))
            for name, score in (("predictor", p), ("usual answer", -usual))
        },
        "right": {
            name: {"share": count / len(rows), "interval": wilson(count, len(rows))}
            for name, count in shares.items()
        },
        "lead": {
            name: dict(
                zip(("share", "interval"), paired_difference(right["predictor"], each), strict=True)
            )
            for name, each in right.items()
            if name != "predictor"
        },
    }


def main(arguments: Sequence[str] | None = None) -> dict[str, Any]:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--take", type=Path, nargs="+", default=[], help="audited runs")
    parser.add_argument("--file", type=Path, default=FAMILIES, help="the rows that are kept")
    given = parser.parse_args(arguments)
    if given.take:
        take(given.take, given.file)
    found = measure(predict(read_rows(given.file)))
    print(json.dumps(found, indent=1))
    return found


if __name__ == "__main__":
    launch(main)
