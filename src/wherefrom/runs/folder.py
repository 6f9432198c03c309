"""The run folder: how each of its files is written and read; `layout.py` says where it lies."""

import platform
import warnings
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from wherefrom.core.arrays import load_arrays, save_arrays
from wherefrom.core.config import encode
from wherefrom.core.contracts import Dataset
from wherefrom.core.errors import (
    BadData,
    Damaged,
    Mismatch,
    MissingInput,
    UnsealedWarning,
    UsageError,
)
from wherefrom.core.files import cannot_write, parse_json
from wherefrom.core.identity import require_same
from wherefrom.core.inside import read_regular
from wherefrom.core.made_sequence import in_batches
from wherefrom.core.recipe import Experiment
from wherefrom.core.seal import FILE as SEAL
from wherefrom.core.seal import Entry
from wherefrom.core.sealed_folder import SealedFolder
from wherefrom.evaluation.evaluator import Prediction
from wherefrom.runs.descriptions import describe, splits, symbols
from wherefrom.runs.kept import ADVICE, pack_dataset, unpack_dataset
from wherefrom.runs.kinds import decode_recipe, recipe_identity
from wherefrom.runs.layout import (
    CORPUS,
    DATASET,
    DOCUMENTS,
    FORMAT_VERSION,
    GLANCES,
    METRICS,
    RUN,
    SPLITS,
    STATUS,
    VOCABULARY,
    find_files,
    predictions_name,
)
from wherefrom.runs.shapes import (
    check_corpus,
    check_glances,
    check_metrics,
    check_status,
    check_symbols,
)

# What is computed with the models: it is bound to them, and is worth nothing beside others.
_DERIVED = ("predictions/", "audit/", "samples/", "study")
_TOGETHER = 5000  # documents that are written at once
_SWEPT = ("*/", "stages/*/", "stages/*/*/")
_RENAMED = {"refused_birthplace_omitted": "refused_omitted"}  # results of earlier versions


class RunFolder(SealedFolder):
    """Paths and files of one run; it computes nothing.

    All files of a run are read and written here, by their names in the folder, so that each is
    compared with the seal. What else lies in a run folder carries its own checksum: checkpoints,
    and what any process may compute again (index.sqlite, audit/evidence.json).
    """

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.run_file, self.status_file = path / RUN, path / STATUS

    def write(self, name: str, parts: Iterable[Any], of_model: bool = False) -> None:
        super().write(name, parts, of_model or name.startswith(_DERIVED))

    # -- the recipe ---------------------------------------------------------------

    def exists(self) -> bool:
        return self.has(RUN)  # False too where permissions forbid a look

    def create(self) -> None:
        with cannot_write(self.path):
            self.path.mkdir(parents=True, exist_ok=True)

    def write_recipe(
        self,
        recipe: Experiment,
        threads: int = 0,
        plan: Mapping[str, Any] | None = None,
        processes: int = 1,
    ) -> None:
        """Write the recipe, and the numbers of CPU threads and processes that training begins with.

        `plan` says how the recipe was fitted to the text and the machine, if it was.
        """
        contents = {
            "format_version": FORMAT_VERSION,
            "recipe": encode(recipe),
            "versions": versions(),
            "threads": threads,
        }
        # A folder is sealed from its first file on; one of an earlier version stays as it is.
        sealed = not self.exists() or self.seal() is not None
        contents |= {"processes": processes} if processes > 1 else {}
        contents |= ({"plan": dict(plan)} if plan else {}) | ({"sealed": True} if sealed else {})
        with self.together(sealing=sealed):
            self.write_json(RUN, contents)

    def read_plan(self) -> dict[str, Any] | None:
        """The plan that stands beside the recipe, if there is one."""
        plan = self._read_run().get("plan")
        if plan is not None and not isinstance(plan, dict):
            raise Damaged(f"{self.run_file}: expected a plan with named fields, found {plan!r}")
        return plan

    def read_recipe(self) -> Experiment:
        contents = self._read_run()
        try:
            return decode_recipe(contents["recipe"])
        except (KeyError, UsageError) as error:
            raise Mismatch(
                f"{self.run_file}: expected a recipe that this version knows, found: {error}"
            ) from error
        except (AttributeError, TypeError, ValueError, LookupError) as error:
            raise Damaged(f"{self.run_file}: expected a recipe, found: {error!r}") from error

    def read_threads(self) -> int:
        """The number of CPU threads that training began with; 0 if it is not known."""
        found = self._read_run().get("threads") if self.exists() else 0
        return found if isinstance(found, int) and found > 0 else 0

    def read_versions(self) -> dict[str, Any]:
        """What the run was made with."""
        found = self._read_run().get("versions")
        return found if isinstance(found, dict) else {}

    def _read_run(self) -> dict[str, Any]:
        if not self.exists():
            found = "no such folder" if not self.path.exists() else "no run.json in it"
            raise MissingInput(
                f"{self.path}: expected a run folder, found {found}; 'wherefrom run' makes one"
            )
        contents = self.read_json(RUN)
        if not isinstance(contents, dict):
            raise Damaged(f"{self.run_file}: expected a table, found {contents!r:.80}")
        if (found := contents.get("format_version")) != FORMAT_VERSION:
            raise Mismatch(
                f"{self.run_file}: expected format_version {FORMAT_VERSION}, found {found}; "
                "it was written by another version of wherefrom"
            )
        if self.seal() is None:
            if contents.get("sealed"):
                raise Damaged(
                    f"{self.path / SEAL}: expected the folder's seal, found none; copy the folder "
                    f"anew, or see what 'wherefrom verify --repair {self.path}' can do"
                )
            warnings.warn(
                f"{self.path}: is not sealed, since an earlier version made it: damage may go "
                f"unnoticed; 'wherefrom verify --repair {self.path}' checks and seals it",
                UnsealedWarning,
                stacklevel=1,  # always this line: Python then shows it once
            )
        return contents

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
        if self.has(CORPUS):
            self.check_data(dataset)
            if dataset.key:
                return
        self.write_data(dataset, vocabulary)

    def write_data(self, dataset: Dataset, vocabulary: Any) -> None:
        """Large data that the recipe gives again without any file are not copied."""
        with self.together():
            if not dataset.key:
                documents = in_batches(dataset.documents, _TOGETHER)
                texts = ("".join(f"{d.text}\n" for d in some).encode() for some in documents)
                self.write(DOCUMENTS, texts)
            if type(dataset) is Dataset and not dataset.key:  # texts to model are subclasses
                self.write(DATASET, [pack_dataset(dataset)])
            self.write_json(CORPUS, describe(dataset))
            self.write_json(VOCABULARY, symbols(vocabulary))
            self.write_json(SPLITS, splits(dataset))

    def read_symbols(self) -> list[str]:
        """The symbols of the vocabulary, in its order."""
        return check_symbols(self.read_json(VOCABULARY), self.path / VOCABULARY)

    def read_corpus(self) -> dict[str, Any]:
        """Counts of the run's data, and a hash over all of them."""
        return check_corpus(self.read_json(CORPUS), self.path / CORPUS)

    def check_data(self, dataset: Dataset) -> None:
        """Refuse data that differ from those that the run was made from."""
        require_same(
            self.path / CORPUS,
            self.read_corpus(),
            describe(dataset),
            holder="the run's data",
            advice="use the files, and the version of wherefrom, that the run was made with, or "
            "train another run in a folder of its own (--out)",
        )

    def keeps_data(self) -> bool:
        """Whether the folder has the data themselves.

        Runs of language models and of reviews, of very many generated people, and folders of the
        first version have a hash only.
        """
        return self.has(DATASET)

    def read_data_alone(self) -> Dataset:
        """The folder's copy of the data, not compared with their hash in corpus.json."""
        return unpack_dataset(self.read(DATASET), self.path / DATASET)

    def read_data(self) -> Dataset:
        """The data that the run was made from."""
        dataset = self.read_data_alone()
        if describe(dataset) != self.read_corpus():
            raise Damaged(
                f"{self.path / DATASET}: expected the data of corpus.json beside it, found others; "
                f"{ADVICE}"
            )
        return dataset

    # -- status and results -------------------------------------------------------

    def write_status(self, status: Mapping[str, Any]) -> None:
        self.write_json(STATUS, status, of_model=status.get("state") == "finished")

    def read_status(self) -> dict[str, Any]:
        if not self.has(STATUS):
            return {"state": "new"}
        status = check_status(self.read_json(STATUS), self.status_file)
        if results := status.get("results"):
            status["results"] = {_RENAMED.get(name, name): r for name, r in results.items()}
        return status

    def set_aside_audit(self) -> None:
        """Rename what an audit left, which is about a model that will be replaced.

        Predictions about it are no longer sealed; the next evaluation replaces them.
        """
        self.unlist(*_DERIVED)
        if (audit := self.locate("audit")).exists():
            taken = [path.name for path in self.path.glob("audit-before-*")]
            with cannot_write(audit):
                audit.rename(self.path / f"audit-before-{len(taken) + 1}")

    def seal_now(self) -> int:
        """Seal all files of a run as they are: for a folder that has no seal, or a damaged one.

        Returns how many; whoever calls it has checked what can be checked.
        """
        contents = parse_json(read_regular(self.locate(RUN)), str(self.run_file))
        names = [name for name in find_files(self.path) if name != RUN]
        with self.together(sealing=True, anew=True):
            self.write_json(RUN, contents | {"sealed": True})
            for name in names:
                self.adopt(name, of_model=name.startswith((*_DERIVED, STATUS)))
        return len(names) + 1

    def clean_up(self) -> None:
        """Finish what a killed process began, and remove what it left; needs the lock."""
        self.recover(*_SWEPT)

    # -- stages, models, predictions ------------------------------------------------

    def stage(self, name: str) -> Path:
        folder = self.locate(f"stages/{name}")
        with cannot_write(folder):
            folder.mkdir(parents=True, exist_ok=True)
        return folder

    def log_file(self, stage: str, name: str = METRICS) -> Path:
        """A file that rows are added to while a stage is trained."""
        self.stage(stage)
        return self.locate(f"stages/{stage}/{name}")

    def begin_logs(self, stage: str) -> None:
        """Rows will be added to the stage's files: they are sealed again at its end."""
        self.unlist(f"stages/{stage}/")

    def end_logs(self, stage: str, logs: Mapping[str, Entry]) -> None:
        for name, entry in logs.items():
            self.list_file(f"stages/{stage}/{name}", entry)

    def read_metrics(self, stage: str) -> list[dict[str, Any]]:
        """A row for each chunk of a trained stage."""
        name = f"stages/{stage}/{METRICS}"
        return check_metrics(self.read_jsonl(name), self.path / name)

    def read_glances(self, stage: str) -> list[dict[str, Any]]:
        """What a stage could answer while it trained; no rows if it was not asked."""
        name = f"stages/{stage}/{GLANCES}"
        rows = self.read_jsonl(name) if self.has(name) else []
        return check_glances(rows, self.path / name)

    def write_model(self, name: str, arrays: Mapping[str, Any], facts: Mapping[str, Any]) -> None:
        with self.write_folder(f"models/{name}", facts) as folder:
            save_arrays(folder / "weights.safetensors", dict(arrays))

    def read_model(self, name: str) -> tuple[dict[str, Any], dict[str, Any]]:
        """The arrays of a model after its checksums held, and the facts beside them."""
        if not self.has_model(name):
            raise MissingInput(
                f"{self.path / 'models' / name}: expected the model's weights, found none; the "
                "same 'wherefrom run' finishes the run"
            )
        folder, facts = self.read_folder(f"models/{name}")
        return load_arrays(folder / "weights.safetensors"), facts

    def has_model(self, name: str) -> bool:
        return self.has(f"models/{name}/manifest.json") or self.has(f"models/{name}")

    def has_predictions(self, predictor: str, task: str) -> bool:
        return self.has(predictions_name(predictor, task))

    def write_predictions(
        self, predictor: str, task: str, predictions: Sequence[Prediction]
    ) -> None:
        self.write_jsonl(predictions_name(predictor, task), [p.as_json() for p in predictions])

    def write_answers(self, predictor: str, task: str, answers: Sequence[str]) -> None:
        """The answers alone, one a line in the order of the questions, as the course has them."""
        lines = (" ".join(answer.split("\n")) for answer in answers)
        name = predictions_name(predictor, task).removesuffix(".jsonl") + ".txt"
        self.write_text(name, "".join(f"{line}\n" for line in lines))

    def read_predictions(self, predictor: str, task: str) -> list[Prediction]:
        name = predictions_name(predictor, task)
        path, rows = self.path / name, self.read_jsonl(name)
        try:
            return [Prediction.from_json(row, f"{path}:{i + 1}") for i, row in enumerate(rows)]
        except BadData as error:
            raise Damaged(f"{error}; 'wherefrom evaluate {self.path}' writes it again") from error


def versions() -> dict[str, str]:
    found = {"python": platform.python_version(), "machine": platform.machine()}
    for package in ("wherefrom", "torch", "numpy"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:  # run from the source tree
            found[package] = "not installed"
    return found
