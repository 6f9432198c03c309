"""Where everything lies in a run folder.

run.json status.json vocab.json splits.json corpus/ notes.jsonl report.html
stages/NAME/{metrics.jsonl,glances.jsonl,checkpoints/}  models/NAME/{weights.safetensors,model.json}
predictions/MODEL.TASK.jsonl  audit/  manifest.json

Demonstrations have run.json and status.json alone of these, and
demonstrations.json demonstrations/NAME.svg

The manifest lists all of them but checkpoints, which have manifests of their own, the metrics of a
stage that is still trained, and what any process may make (index/, evidence/).
"""

import os
from collections.abc import Iterator
from pathlib import Path

from wherefrom.core.manifests import MANIFEST

RUNS = "runs"  # the folder that runs are written to, and found in by name
FORMAT_VERSION = 2
RUN, STATUS, VOCABULARY, SPLITS = "run.json", "status.json", "vocab.json", "splits.json"
CORPUS, DOCUMENTS = "corpus/corpus.json", "corpus/documents.txt"
DATASET = "corpus/dataset.json.gz"
NOTES = "notes.jsonl"  # what the reader noted, before anything was trained
DATA = (CORPUS, DOCUMENTS, DATASET, VOCABULARY, SPLITS)
METRICS, GLANCES = "metrics.jsonl", "glances.jsonl"
INDEX, EVIDENCE = "index", "evidence"  # any process may make them
WEIGHTS, FACTS = "weights.safetensors", "model.json"
ANSWERED = "audit/answered.jsonl"
REPORT = "report.html"


def is_run(path: Path) -> bool:
    """Whether there is a run, damaged or not; False too where permissions forbid a look."""
    return any(os.path.lexists(path / name) for name in (MANIFEST, RUN))


def list_folders(path: Path) -> Iterator[Path]:
    """The runs in a folder, and those of several seeds one level below, in order."""
    yield from sorted(p for pattern in ("*", "*/seed-*") for p in path.glob(pattern) if is_run(p))


def find_run(given: str | os.PathLike[str]) -> Path:
    """The folder of a run that is given by its path, or by its name in the folder `runs`."""
    named = Path(RUNS, given)
    return named if is_run(named) and not os.path.exists(given) else Path(given)


def predictions_name(predictor: str, task: str) -> str:
    return f"predictions/{predictor}.{task}.jsonl"
