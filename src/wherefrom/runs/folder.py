"""How each file of a run folder is written and read; `layout.py` says where it lies."""

import platform
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from wherefrom.core.answer_table import PREDICTION, AnswerTable, decode_answers, encode_answers
from wherefrom.core.config import encode, from_json, to_json
from wherefrom.core.contracts import Dataset, Note
from wherefrom.core.errors import Damaged, Mismatch, MissingInput, UsageError
from wherefrom.core.files import format_arrays, read_arrays
from wherefrom.core.identity import require_same
from wherefrom.core.made_sequence import in_batches
from wherefrom.core.manifests import MANIFEST, Entry
from wherefrom.core.recipe import Experiment
from wherefrom.core.vocabulary import Symbols
from wherefrom.runs.families import decode_recipe, recipe_identity
from wherefrom.runs.kept import describe, pack_dataset, splits, unpack_dataset
from wherefrom.runs.layout import (
    ANSWERED,
    CORPUS,
    DATA,
    DATASET,
    DOCUMENTS,
    FACTS,
    FORMAT_VERSION,
    GLANCES,
    METRICS,
    NOTES,
    RUN,
    SPLITS,
    STATUS,
    VOCABULARY,
    WEIGHTS,
    is_run,
    predictions_name,
)
from wherefrom.runs.store import RunFiles

ANSWERED_FIELDS = ("question", "answer", "probability", "finished", "others", "features")
_BATCH = 5000  # documents that are written at once
_OTHER_DATA = (
    "use the files, and the version of wherefrom, that the run was made with, or train another "
    "run in a folder of its own (--out)"
)


class RunFolder(RunFiles):
    """Paths and files of one run; it computes nothing."""

    # -- the recipe ---------------------------------------------------------------

    def exists(self) -> bool:
        return is_run(self.path)

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
        contents |= {"processes": processes} if processes > 1 else {}
        contents |= {"plan": dict(plan)} if plan else {}
        self.write_json(RUN, contents)

    def read_plan(self) -> dict[str, Any] | None:
        """The plan that stands beside the recipe, if there is one."""
        return self._read_run().get("plan")

    def read_recipe(self) -> Experiment:
        contents, path = self._read_run(), self.path / RUN
        try:
            return decode_recipe(contents["recipe"])
        except (KeyError, UsageError) as error:
            raise Mismatch(
                f"{path}: expected a recipe that this version knows, found: {error}"
            ) from error

    def read_threads(self) -> int:
        """The number of CPU threads that training began with; 0 if it is not known."""
        return self._read_run()["threads"] if self.exists() else 0

    def read_versions(self) -> dict[str, Any]:
        """What the run was made with."""
        return self._read_run()["versions"]

    def _read_run(self) -> dict[str, Any]:
        if not self.exists():
            found = "no such folder" if not self.path.exists() else f"no {RUN} in it"
            raise MissingInput(
                f"{self.path}: expected a run folder, found {found}; 'wherefrom run' makes one"
            )
        if self.manifest is None:
            raise Damaged(
                f"{self.path / MANIFEST}: expected the run's manifest, found none; copy the folder "
                "again, or move it away and run the recipe again"
            )
        contents = self.read_json(RUN)
        if (found := contents.get("format_version")) != FORMAT_VERSION:
            raise Mismatch(
                f"{self.path / RUN}: expected format_version {FORMAT_VERSION}, found {found}; "
                "it was written by another version of wherefrom"
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

    def keep_data(self, dataset: Dataset, vocabulary: Symbols) -> None:
        """Write the data; Mismatch unless they are those of an earlier part of the run, if any."""
        listed = [name for name in DATA if self.has(name)]
        if listed and self.is_sound(CORPUS):
            self.check_data(dataset)
        if listed and all(map(self.is_sound, listed)):
            return
        with self.transaction():
            before = self.manifest.files.get(CORPUS) if self.manifest else None
            documents = in_batches(dataset.documents, _BATCH)
            texts = ("".join(f"{d.text}\n" for d in some).encode() for some in documents)
            self.write(DOCUMENTS, texts)
            if type(dataset) is Dataset:  # texts to model are subclasses
                self.write(DATASET, [pack_dataset(dataset)])
            self.write_json(CORPUS, describe(dataset))
            self.write_json(VOCABULARY, list(vocabulary.symbols))
            self.write_json(SPLITS, splits(dataset))
            # A damaged corpus.json cannot say what differs, but the manifest has its hash.
            if before and Entry.of([self.read(CORPUS)]) != before:
                raise Mismatch(
                    f"{self.path / CORPUS}: expected the data that the run was made from, found "
                    f"others; {_OTHER_DATA}"
                )

    def check_data(self, dataset: Dataset) -> None:
        """Refuse data that differ from those that the run was made from."""
        require_same(
            self.path / CORPUS,
            self.read_json(CORPUS),
            describe(dataset),
            holder="the run's data",
            advice=_OTHER_DATA,
        )

    def read_data(self) -> Dataset | None:
        """The data that the run was made from; None if the folder has only their hash.

        So have runs of language models and of reviews.
        """
        if not self.has(DATASET):
            return None
        return unpack_dataset(self.read(DATASET), self.path / DATASET)

    # -- notes --------------------------------------------------------------------

    def write_notes(self, notes: Sequence[Note]) -> None:
        self.write_jsonl(NOTES, map(to_json, notes))

    def read_notes(self) -> tuple[Note, ...]:
        """What the reader noted; nothing if the run took no notes."""
        return tuple(decode_note(row) for row in self.read_note_rows())

    def read_note_rows(self) -> list[dict[str, Any]]:
        """The same, not decoded yet, to look up a few of very many notes."""
        return self.read_jsonl(NOTES) if self.has(NOTES) else []

    # -- status and results -------------------------------------------------------

    def write_status(self, status: Mapping[str, Any]) -> None:
        self.write_json(STATUS, status)

    def read_status(self) -> dict[str, Any]:
        if not self.has(STATUS):
            return {"state": "new"}
        return self.read_json(STATUS)

    # -- stages, models, predictions ------------------------------------------------

    def read_metrics(self, stage: str) -> list[dict[str, Any]]:
        """A row for each chunk of a trained stage."""
        return self.read_jsonl(f"stages/{stage}/{METRICS}")

    def read_glances(self, stage: str) -> list[dict[str, Any]]:
        """What a stage could answer while it trained; no rows if it was not asked."""
        name = f"stages/{stage}/{GLANCES}"
        return self.read_jsonl(name) if self.has(name) else []

    def write_model(self, name: str, arrays: Mapping[str, Any], facts: Mapping[str, Any]) -> None:
        with self.transaction():
            self.write(f"models/{name}/{WEIGHTS}", [format_arrays(arrays)])
            self.write_json(f"models/{name}/{FACTS}", facts)

    def read_model(self, name: str) -> tuple[dict[str, Any], dict[str, Any]]:
        """The arrays of a model after its checksums held, and the facts beside them."""
        if not self.has_model(name):
            raise MissingInput(
                f"{self.path / 'models' / name}: expected the model's weights, found none; the "
                "same 'wherefrom run' finishes the run"
            )
        return self.load(f"models/{name}/{WEIGHTS}", read_arrays), self.read_facts(name)

    def read_facts(self, name: str) -> dict[str, Any]:
        """What stands beside the weights of a model: its stage, its size, what it fits."""
        return self.read_json(f"models/{name}/{FACTS}")

    def has_model(self, name: str) -> bool:
        return self.has(f"models/{name}/{WEIGHTS}")

    def write_predictions(self, predictor: str, task: str, predictions: AnswerTable) -> None:
        self.write_jsonl(predictions_name(predictor, task), encode_answers(predictions, PREDICTION))

    def write_answers(self, predictor: str, task: str, answers: Sequence[str]) -> None:
        """The answers alone, one a line in the order of the questions, as the course has them."""
        lines = (" ".join(answer.split("\n")) for answer in answers)
        name = predictions_name(predictor, task).removesuffix(".jsonl") + ".txt"
        self.write_text(name, "".join(f"{line}\n" for line in lines))

    def read_predictions(self, predictor: str, task: str) -> AnswerTable:
        return decode_answers(self.read_jsonl(predictions_name(predictor, task)), PREDICTION)

    def write_answered(self, *tables: AnswerTable) -> None:
        """What the policy was fitted on and reported with; a report shows it."""
        rows = (row for table in tables for row in encode_answers(table, ANSWERED_FIELDS))
        self.write_jsonl(ANSWERED, rows)

    def read_answered(self) -> AnswerTable | None:
        """None if the run wrote nothing of that kind."""
        if not self.has(ANSWERED):
            return None
        return decode_answers(self.read_jsonl(ANSWERED), ANSWERED_FIELDS)


def decode_note(row: Mapping[str, Any]) -> Note:
    """A note of `read_note_rows`."""
    return from_json(Note, row, NOTES)


def versions() -> dict[str, str]:
    found = {"python": platform.python_version(), "machine": platform.machine()}
    for package in ("wherefrom", "torch", "numpy"):
        with suppress(PackageNotFoundError):  # run from the source tree
            found[package] = version(package)
    return found
