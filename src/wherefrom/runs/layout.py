"""Where everything lies in a run folder, format 1.

run.json status.json vocab.json splits.json corpus/
stages/NAME/{metrics.jsonl,checkpoints/}  models/NAME/  predictions/MODEL.TASK.jsonl
audit/  index.sqlite  seal.json

Demonstrations have run.json and status.json alone of these, and
demonstrations.md demonstrations.json demonstrations/NAME.svg
"""

from pathlib import Path

FORMAT_VERSION = 1
RUN, STATUS, VOCABULARY, SPLITS = "run.json", "status.json", "vocab.json", "splits.json"
CORPUS, DOCUMENTS = "corpus/corpus.json", "corpus/documents.txt"
DATASET = "corpus/dataset.json.gz"
METRICS = "metrics.jsonl"
INDEX, EVIDENCE = "index.sqlite", "audit/evidence.json"  # any process may make them


def predictions_name(predictor: str, task: str) -> str:
    return f"predictions/{predictor}.{task}.jsonl"


# All files of a run that are sealed; checkpoints, and what any process may make, check themselves.
_SEALED = (
    RUN, STATUS, VOCABULARY, SPLITS, "corpus/*", "stages/*/*.jsonl", "stages/*/*.svg",
    "models/*/manifest.json", "predictions/*", "samples/*", "study*", "study/*", "audit/*",
    "demonstrations*", "demonstrations/*",
)  # fmt: skip
_NOT = (".damaged",)


def find_files(root: Path) -> list[str]:
    """The names of the files in a run folder that a seal is about; no links."""
    found = {
        path.relative_to(root).as_posix()
        for pattern in _SEALED
        for path in root.glob(pattern)
        if path.is_file() and not path.is_symlink() and not path.name.startswith(".tmp-")
    }
    return sorted(n for n in found if n not in (INDEX, EVIDENCE) and not n.endswith(_NOT))
