"""Where everything lies in a run folder.

run.json status.json vocab.json splits.json corpus/ notes.jsonl report.html
stages/NAME/{metrics.jsonl,glances.jsonl,checkpoints/}  models/NAME/{weights.safetensors,model.json}
predictions/MODEL.TASK.jsonl  audit/  manifest.json

Demonstrations have run.json and status.json alone of these, and
demonstrations.md demonstrations.json demonstrations/NAME.svg

The manifest lists all of them but checkpoints, which have manifests of their own, the metrics of a
stage that is still trained, and what any process may make (index/, evidence/). next.json is the
recipe with which a finished run goes on; until that is done, all else is about the run as it was.
"""

FORMAT_VERSION = 2
RUN, STATUS, VOCABULARY, SPLITS = "run.json", "status.json", "vocab.json", "splits.json"
NEXT = "next.json"
CORPUS, DOCUMENTS = "corpus/corpus.json", "corpus/documents.txt"
DATASET = "corpus/dataset.json.gz"
NOTES = "notes.jsonl"  # what the reader noted, before anything was trained
DATA = (CORPUS, DOCUMENTS, DATASET, VOCABULARY, SPLITS)
METRICS, GLANCES = "metrics.jsonl", "glances.jsonl"
INDEX, EVIDENCE = "index", "evidence"  # any process may make them
WEIGHTS, FACTS = "weights.safetensors", "model.json"
REPORT = "report.html"


def predictions_name(predictor: str, task: str) -> str:
    return f"predictions/{predictor}.{task}.jsonl"
