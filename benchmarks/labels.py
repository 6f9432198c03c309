"""How well the source predictor does, from the labelled answers that are kept.

    python benchmarks/labels.py runs/people-0 runs/birthplaces-calibrated-0

copies audit/labels.jsonl.gz of audited runs to docs/results/influence.RUN.jsonl.gz. The source
predictor of each run is then fitted again from its file, for docs/TRUST.md and RESULTS.md.
"""

import argparse
import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from program import ROOT, launch

from wherefrom.memorisation.labelled_answers import LABELS, read_labelled
from wherefrom.memorisation.source_measures import MeasuredSource

RESULTS = ROOT / "docs" / "results"
_NAME = "influence.{}.jsonl.gz"


def measure_kept(relation: str | None = None) -> dict[str, MeasuredSource]:
    """Each kept run's own predictor, on held-out people; of all relations or of one."""
    found: dict[str, MeasuredSource] = {}
    for path in sorted(RESULTS.glob(_NAME.format("*"))):
        labelled = read_labelled(path)
        here = np.array([relation in (None, q.relation) for q in labelled.table.known])
        measured = labelled.measure(labelled.fit(), labelled.select("held-out") & here)
        if measured is not None:
            found[labelled.run] = measured
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("runs", type=Path, nargs="+")
    for folder in parser.parse_args(arguments).runs:
        shutil.copyfile(folder / LABELS, RESULTS / _NAME.format(folder.resolve().name))
    return 0


if __name__ == "__main__":
    launch(main)
