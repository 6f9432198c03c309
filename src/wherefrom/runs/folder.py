"""The run folder, format 1: where everything lies, and how it is written and read.

run.json status.json vocab.json splits.json corpus/
stages/NAME/{metrics.jsonl,checkpoints/}  models/NAME/  predictions/MODEL.TASK.jsonl
audit/

Demonstrations have run.json and status.json alone of these, and
demonstrations.md demonstrations.json demonstrations/NAME.svg
"""

import hashlib
import os
import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from wherefrom.core.arrays import load_arrays, save_arrays
from wherefrom.core.artifact import publish_folder, verify_folder
from wherefrom.core.config import encode
from wherefrom.core.contracts import Dataset, Document, Question
from wherefrom.core.errors import Damaged, Mismatch, MissingInput, UsageError
from wherefrom.core.files import (
    cannot_write,
    read_json,
    read_jsonl,
    write_json,
    write_jsonl,
    write_text,
)
from wherefrom.core.identity import require_same
from wherefrom.core.recipe import Experiment
from wherefrom.evaluation.evaluator import Prediction
from wherefrom.runs.kept import ADVICE, read_dataset, write_dataset
from wherefrom.runs.kinds import decode_recipe, recipe_identity

FORMAT_VERSION = 1
DATASET = "corpus/dataset.json.gz"
_RENAMED = {"refused_birthplace_omitted": "refused_omitted"}  # results of earlier versions


class RunFolder:
    """Paths and files of one run; it computes nothing."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.run_file, self.status_file = path / "run.json", path / "status.json"

    # -- the recipe ---------------------------------------------------------------

    def exists(self) -> bool:
        return os.path.exists(self.run_file)  # False too where permissions forbid a look

    def create(self) -> None:
        with cannot_write(self.path):
            self.path.mkdir(parents=True, exist_ok=True)

    def write_recipe(
        self, recipe: Experiment, threads: int = 0, plan: Mapping[str, Any] | None = None
    ) -> None:
        """Write the recipe, and the number of CPU threads that training begins with.

        `plan` says how the recipe was fitted to the text and the machine, if it was.
        """
        contents = {
            "format_version": FORMAT_VERSION,
            "recipe": encode(recipe),
            "versions": versions(),
            "threads": threads,
        }
        write_json(self.run_file, contents | ({"plan": dict(plan)} if plan else {}))

    def read_plan(self) -> dict[str, Any] | None:
        """The plan that stands beside the recipe, if there is one."""
        self.read_recipe()  # says what is wrong with the file, if anything is
        plan = read_json(self.run_file).get("plan")
        if plan is not None and not isinstance(plan, dict):
            raise Damaged(f"{self.run_file}: expected a plan with named fields, found {plan!r}")
        return plan

    def read_recipe(self) -> Experiment:
        if not self.exists():
            found = "no such folder" if not self.path.exists() else "no run.json in it"
            raise MissingInput(
                f"{self.path}: expected a run folder, found {found}; 'wherefrom run' makes one"
            )
        contents = read_json(self.run_file)
        found = contents.get("format_version") if isinstance(contents, dict) else None
        if found != FORMAT_VERSION:
            raise Mismatch(
                f"{self.run_file}: expected format_version {FORMAT_VERSION}, found {found}; "
                "it was written by another version of wherefrom"
            )
        try:
            return decode_recipe(contents["recipe"])
        except (KeyError, UsageError) as error:
            raise Mismatch(
                f"{self.run_file}: expected a recipe that this version knows, found: {error}"
            ) from error

    def read_threads(self) -> int:
        """The number of CPU threads that training began with; 0 if it is not known."""
        found = read_json(self.run_file).get("threads") if self.exists() else 0
        return found if isinstance(found, int) and found > 0 else 0

    def check_recipe(self, asked: Experiment) -> None:
        """Refuse another recipe or other settings: a folder holds one recipe."""
        require_same(
            self.path,
            recipe_identity(self.read_recipe()),
            recipe_identity(asked),
            holder="the folder's run",
            advice="choose another folder with --out",
        )

    # -- data ---------------------------------------------------------------------

    def keep_data(self, dataset: Dataset, vocabulary: Any) -> None:
        """Write the data, which must be those of an earlier part of the run if there was one."""
        if (self.path / "corpus" / "corpus.json").exists():
            self.check_data(dataset)
        self.write_data(dataset, vocabulary)

    def write_data(self, dataset: Dataset, vocabulary: Any) -> None:
        text = "".join(f"{d.text}\n" for d in dataset.documents)
        with cannot_write(self.path):
            (self.path / "corpus").mkdir(exist_ok=True)
        write_text(self.path / "corpus" / "documents.txt", text)
        if type(dataset) is Dataset:  # one with questions; texts to model are subclasses
            write_dataset(self.path / DATASET, dataset)
        write_json(self.path / "corpus" / "corpus.json", describe(dataset))
        write_json(self.path / "vocab.json", symbols(vocabulary))
        write_json(self.path / "splits.json", splits(dataset))

    def check_data(self, dataset: Dataset) -> None:
        """Refuse data that differ from those that the run was made from."""
        path = self.path / "corpus" / "corpus.json"
        require_same(
            path,
            read_json(path),
            describe(dataset),
            holder="the run's data",
            advice="use the files, and the version of wherefrom, that the run was made with, or "
            "train another run in a folder of its own (--out)",
        )

    def keeps_data(self) -> bool:
        """Whether the folder has the data themselves.

        Runs of language models and of reviews, and folders of the first version, have a hash only.
        """
        return (self.path / DATASET).exists()

    def read_data(self) -> Dataset:
        """The data that the run was made from."""
        dataset = read_dataset(self.path / DATASET)
        written = read_json(self.path / "corpus" / "corpus.json")
        if describe(dataset) != written:
            raise Damaged(
                f"{self.path / DATASET}: expected the data of corpus.json beside it, found others; "
                f"{ADVICE}"
            )
        return dataset

    # -- status and results -------------------------------------------------------

    def write_status(self, status: Mapping[str, Any]) -> None:
        write_json(self.status_file, status)

    def read_status(self) -> dict[str, Any]:
        if not self.status_file.exists():
            return {"state": "new"}
        status = read_json(self.status_file)
        state = status.get("state") if isinstance(status, dict) else None
        wanted = {"state", "seconds", "results"} if state == "finished" else {"state"}
        if state is None or not wanted <= status.keys():
            raise Damaged(
                f"{self.status_file}: expected {', '.join(sorted(wanted))}, found fewer fields; "
                "delete it, and the same 'wherefrom run' writes it again"
            )
        if isinstance(results := status.get("results"), dict):
            status["results"] = {_RENAMED.get(name, name): r for name, r in results.items()}
        return status

    def set_aside_audit(self) -> None:
        """Rename what an audit left, which is about a model that will be replaced."""
        audit = self.path / "audit"
        if audit.exists():
            taken = [path.name for path in self.path.glob("audit-before-*")]
            with cannot_write(audit):
                audit.rename(self.path / f"audit-before-{len(taken) + 1}")

    # -- stages, models, predictions ------------------------------------------------

    def stage(self, name: str) -> Path:
        folder = self.path / "stages" / name
        with cannot_write(folder):
            folder.mkdir(parents=True, exist_ok=True)
        return folder

    def write_model(self, name: str, arrays: Mapping[str, Any], facts: Mapping[str, Any]) -> None:
        with publish_folder(self.path / "models" / name, facts) as folder:
            save_arrays(folder / "weights.safetensors", dict(arrays))

    def read_model(self, name: str) -> tuple[dict[str, Any], dict[str, Any]]:
        """The arrays of a model after its checksums held, and the facts beside them."""
        folder = self.path / "models" / name
        if not folder.exists():
            raise MissingInput(
                f"{folder}: expected the model's weights, found none; the same 'wherefrom run' "
                "finishes the run"
            )
        facts = verify_folder(folder)
        return load_arrays(folder / "weights.safetensors"), facts

    def predictions_file(self, predictor: str, task: str) -> Path:
        return self.path / "predictions" / f"{predictor}.{task}.jsonl"

    def write_predictions(
        self, predictor: str, task: str, predictions: Sequence[Prediction]
    ) -> None:
        path = self.predictions_file(predictor, task)
        with cannot_write(path):
            path.parent.mkdir(exist_ok=True)
        write_jsonl(path, [p.as_json() for p in predictions])

    def write_answers(self, predictor: str, task: str, answers: Sequence[str]) -> None:
        """The answers alone, one a line in the order of the questions, as the course has them."""
        lines = (" ".join(answer.split("\n")) for answer in answers)
        path = self.predictions_file(predictor, task).with_suffix(".txt")
        write_text(path, "".join(f"{line}\n" for line in lines))

    def read_predictions(self, predictor: str, task: str) -> list[Prediction]:
        path = self.predictions_file(predictor, task)
        rows = read_jsonl(path)
        return [Prediction.from_json(row, f"{path}:{i + 1}") for i, row in enumerate(rows)]


def describe(dataset: Dataset) -> dict[str, Any]:
    """Counts of a data set and a hash over all of it."""
    digest = hashlib.sha256()
    for document in dataset.documents:
        digest.update(_spell_document(document).encode())
    for question in dataset.questions:
        digest.update(_spell(question).encode())
    return {
        "documents": len(dataset.documents),
        "held_out_documents": dataset.held_out,
        "questions": len(dataset.questions),
        "sha256": digest.hexdigest(),
    }


def _spell_document(document: Document) -> str:
    """All of a document; an id is left out where there is none, as it once was."""
    named = f", id={document.id!r}" if document.id else ""
    return f"Document(text={document.text!r}, subject={document.subject!r}{named})"


def _spell(question: Question) -> str:
    """All of a question; what few questions have is left out where it is empty, as it once was."""
    known = ("text", "subject", "relation", "answer", "split", "support")
    names = [*known, *(name for name in ("accepted", "id") if getattr(question, name))]
    return f"Question({', '.join(f'{name}={getattr(question, name)!r}' for name in names)})"


def symbols(vocabulary: Any) -> list[str]:
    return list(getattr(vocabulary, "characters", None) or vocabulary.words)


def splits(dataset: Dataset) -> dict[str, dict[str, list[str]]]:
    """The subjects of every split, by what the text can say of them."""
    table: dict[str, dict[str, list[str]]] = {}
    for q in dataset.questions:
        table.setdefault(q.split, {}).setdefault(q.support, []).append(q.subject)
    return table


def versions() -> dict[str, str]:
    found = {"python": platform.python_version(), "machine": platform.machine()}
    for package in ("wherefrom", "torch", "numpy"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:  # run from the source tree
            found[package] = "not installed"
    return found
