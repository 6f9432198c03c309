"""The source predictor from the labelled answers that are kept: its figures, and the borrowed one.

    python benchmarks/labels.py --take runs/people-0 runs/birthplaces-calibrated-0
    python benchmarks/labels.py --borrow people-0 people-1 people-2

The first copies audit/labels.jsonl.gz of audited runs to docs/results/influence.RUN.jsonl.gz; the
source predictor of each run is then fitted again from its file, for docs/research/RESULTS.md
(`results.py`). The second fits the predictor that runs without retrained models borrow, on
calibration people of several runs.
"""

import argparse
import json
import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from program import ROOT, launch

from wherefrom.answering.source import SOURCE_FEATURES, SourcePredictor
from wherefrom.core.answer_table import FeatureTable
from wherefrom.core.config import to_json
from wherefrom.memorisation.labelled_answers import LABELS, LabelledAnswers, read_labelled
from wherefrom.memorisation.predictor import fit_source_predictor
from wherefrom.memorisation.source_measures import MeasuredSource

RESULTS = ROOT / "docs" / "results"
BORROWED = ROOT / "src" / "wherefrom" / "answering" / "borrowed_predictor.json"
_NAME = "influence.{}.jsonl.gz"


def take_labels(folders: Sequence[Path]) -> None:
    for folder in folders:
        name = _NAME.format(folder.resolve().name)
        shutil.copyfile(folder / LABELS, RESULTS / name)


def measure_kept() -> dict[str, MeasuredSource]:
    """Each kept run's own predictor, on held-out people."""
    kept = [read_labelled(path) for path in sorted(RESULTS.glob(_NAME.format("*")))]
    return {each.run: measure(each) for each in kept}


def measure(labelled: LabelledAnswers) -> MeasuredSource:
    found = labelled.measure(labelled.fit(), labelled.select("held-out"))
    assert found is not None, f"{labelled.run}: nobody was measured"
    return found


def fit_borrowed(runs: Sequence[LabelledAnswers]) -> SourcePredictor:
    """One curve over the calibration people with text of several runs of one relation."""
    tables: list[np.ndarray] = []
    ms: list[np.ndarray] = []
    for each in runs:
        m = each.memorisation.m
        here = each.select("calibration") & each.in_corpus & np.isfinite(m)
        tables.append(each.table.features.rows(here).matrix(SOURCE_FEATURES))
        ms.append(m[here])
    features = FeatureTable.from_matrix(np.vstack(tables), SOURCE_FEATURES)
    models = sum(len(each.models) for each in runs)
    return fit_source_predictor(features, np.concatenate(ms), models)


def write_borrowed(names: Sequence[str]) -> None:
    found = fit_borrowed([read_labelled(RESULTS / _NAME.format(name)) for name in names])
    kept = {k: v for k, v in to_json(found).items() if k != "borrowed"}
    BORROWED.write_text(json.dumps(kept, indent=1) + "\n", "utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--take", type=Path, nargs="+", default=[], metavar="RUN")
    parser.add_argument("--borrow", nargs="+", default=[], metavar="RUN")
    given = parser.parse_args(arguments)
    take_labels(given.take)
    if given.borrow:
        write_borrowed(given.borrow)
    return 0


if __name__ == "__main__":
    launch(main)
