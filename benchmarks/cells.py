"""Does the source predictor add to the evidence? On families, whose places others' text tells.

    wherefrom run people-omitted --seeds 0-4 --set data.families=0.5 --out runs/families
    for seed in 0 1 2 3 4; do wherefrom audit runs/families/seed-$seed --pairs 8; done
    python benchmarks/cells.py runs/families/seed-*

Half of the last names are families' (`PeopleConfig.families`): their bearers share a birthplace, so
a model can infer a bearer's place from the others. Held-out answers fall into four cells: whether
the text states the answer, and whether it can be derived from the last name. A right answer that is
stated and derivable may not come from the person's own text: the case that evidence cannot tell.
"""

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from answer_files import read_rows, slim
from program import launch

from wherefrom.data.people_world import PeopleConfig, draw_world, find_homes
from wherefrom.evaluation.intervals import paired_difference
from wherefrom.evaluation.selective import auroc
from wherefrom.runs.opened_run import open_run

Row = Mapping[str, Any]


def find_families(config: PeopleConfig, seed: int) -> set[str]:
    """The last names whose bearers share a birthplace."""
    lasts = draw_world(config, seed).last_names
    homes = find_homes(config, len(lasts), seed)
    return {name for name, home in zip(lasts, homes.tolist(), strict=True) if home < config.cities}


def read_run(path: Path) -> list[dict[str, Any]]:
    """Held-out answers with m, each with its cell."""
    recipe = open_run(path).recipe
    config = recipe.data
    if not isinstance(config, PeopleConfig):
        raise SystemExit(f"{path}: expected a run of people, found {recipe.name}")
    families = find_families(config, recipe.seed)
    rows = [slim(row, path.name) for row in read_rows(path / "audit" / "answers.jsonl")]
    return [
        {**row, "stated": row["support"] == "stated", "derivable": _last(row) in families}
        for row in rows
        if row["split"] == "held-out" and row["m"] is not None
    ]


def _last(row: Row) -> str:
    return row["subject"].rpartition(" ")[2]


def measure(rows: Sequence[Row]) -> dict[str, Any]:
    """The cells; and, among right and supported answers and among the others, each score."""
    cells: dict[tuple[bool, bool], dict[str, int]] = {}
    for row in rows:
        cell = cells.setdefault((row["stated"], row["derivable"]), dict.fromkeys(COUNTS, 0))
        recalled = row["m"] > 1 / 2
        for name, one in zip(COUNTS, (True, row["right"], row["right"] and recalled), strict=True):
            cell[name] += one
    hard = [row for row in rows if row["right"] and row["evidence"] == "supported"]
    easy = [row for row in rows if not (row["right"] and row["evidence"] == "supported")]
    return {"cells": cells, "hard": _compare(hard), "easy": _compare(easy)}


COUNTS = ("answers", "right", "right and recalled")


def _compare(rows: Sequence[Row]) -> dict[str, Any]:
    """How many labels are right: the predictor's, the evidence's, the usual answer's."""
    recalled = np.array([row["m"] > 1 / 2 for row in rows], dtype=bool)
    p = np.array([row["recalled"] or 0.0 for row in rows])
    usual = np.array([row["features"]["usual"] for row in rows])
    said = {
        "predictor": np.array([row["source"] == "recalled" for row in rows]),
        "evidence": np.array([row["evidence"] == "supported" for row in rows]),
        "usual answer": usual <= 1 / 2,
    }
    found: dict[str, Any] = {"n": len(rows), "recalled": int(recalled.sum())}
    for name, score in (("predictor", p), ("usual answer", -usual)):
        area = auroc(score, recalled)
        found[f"auroc of {name}"] = area and (area.value, area.interval)
    agree = {name: own == recalled for name, own in said.items()}
    for name, own in agree.items():
        found[name] = float(own.mean()) if own.size else None
        if name != "predictor" and own.size:
            found[f"predictor minus {name}"] = paired_difference(agree["predictor"], own)
    return found


def main(arguments: Sequence[str] | None = None) -> dict[str, Any]:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("runs", type=Path, nargs="+", help="audited runs with retrained models")
    found = measure([row for run in parser.parse_args(arguments).runs for row in read_run(run)])
    for (stated, derivable), cell in sorted(found["cells"].items()):
        words = f"{'stated' if stated else 'not stated'}, {'' if derivable else 'not '}derivable"
        print(f"{words}:", ", ".join(f"{n} {name}" for name, n in cell.items()))
    for kind, words in (("hard", "right and supported"), ("easy", "the others")):
        print(f"{words}:")
        for name, value in found[kind].items():
            print(f"  {name}: {value}")
    return found


if __name__ == "__main__":
    launch(main)
