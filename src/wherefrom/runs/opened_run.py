"""A finished run, opened: everything that was made, ready to be used again."""

from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any

import torch
from msgspec.structs import replace

from wherefrom.core.answer_table import AnswerTable
from wherefrom.core.contracts import Dataset, Note, Question
from wherefrom.core.errors import (
    BadData,
    MissingInput,
    UsageError,
    WherefromError,
    nearest,
)
from wherefrom.core.identity import require_same
from wherefrom.core.notebook import list_results, table
from wherefrom.core.recipe import Demonstrations, Recipe, Task
from wherefrom.data.data_catalogue import load_dataset
from wherefrom.runs.folder import RunFolder
from wherefrom.runs.layout import VOCABULARY, find_run
from wherefrom.runs.workshop import Workshop, devices, model_identity
from wherefrom.training.weights import load_weights


class Run:
    """Recipe, vocabulary, dataset, models, tasks, and the batches of any stage.

    Code that just trained the run passes its workshop, so that the data are not read again.
    """

    def __init__(self, folder: RunFolder, recipe: Recipe, workshop: Workshop | None = None) -> None:
        self.folder, self.recipe, self.path = folder, recipe, folder.path
        taken = (lambda: self.notes) if recipe.notes else None
        self.workshop = workshop or Workshop(recipe, self._read_data, taken=taken)

    def __repr__(self) -> str:
        state = "finished" if self.finished else "not finished"
        return f"<Run {self.path}: {self.recipe.name}, seed {self.recipe.seed}, {state}>"

    def _repr_html_(self) -> str:
        return table(repr(self).strip("<>"), list_results(self.results))

    @cached_property
    def status(self) -> dict[str, Any]:
        return self.folder.read_status()

    @property
    def finished(self) -> bool:
        return self.status["state"] == "finished"

    def require_finished(self) -> None:
        if not self.finished:
            raise MissingInput(
                f"{self.path}: this run is not finished; run the same command again to finish it "
                f"('wherefrom run {self.recipe.name} --out {self.path}' with its settings)"
            )

    @property
    def results(self) -> dict[str, Any]:
        return self.status.get("results", {})

    @property
    def dataset(self) -> Dataset:
        """What the run was made from, whatever has become of the files since."""
        return self.workshop.dataset

    def _read_data(self) -> Dataset:
        kept = self.folder.read_data()
        return self.read_source() if kept is None else kept

    def read_source(self) -> Dataset:
        """The recipe's data, read again; they must be those that the run was made from."""
        dataset = load_dataset(self.recipe.data, self.recipe.seed)
        self.folder.check_data(dataset)
        return dataset

    def changed_source(self) -> str | None:
        """One line on why the recipe no longer gives the data of the run; None if it does."""
        try:
            self.read_source()
        except WherefromError as error:
            return f"{error}; what follows is about the text that the model was trained on"
        return None

    @cached_property
    def notes(self) -> tuple[Note, ...]:
        """What the reader noted before the run was trained; nothing if it took no notes."""
        return self.folder.read_notes()

    @cached_property
    def vocabulary(self) -> Any:
        """The run's own vocabulary, in its own order."""
        return self.workshop.family.read_vocabulary(self.folder.read_json(VOCABULARY))

    def model(self, name: str = "") -> Any:
        """A model by name (default: the primary one), with weights that were checked."""
        name = name or self.recipe.primary
        names = [m.name for m in self.recipe.models]
        if name not in names:
            raise UsageError(f"{self.path}: no model '{name}'; {nearest(name, names)}")
        arrays, facts = self.folder.read_model(name)
        stage = self.recipe.chain(name)[-1]
        config = self.workshop.family.complete(self.recipe.model, self.vocabulary)
        config = stage.variant.of(config) if stage.variant else config
        require_same(
            f"{self.path}/models/{name}",
            facts.get("identity"),
            model_identity(config, self.vocabulary),
            holder="the weights file",
            advice="the folder was mixed up; run the recipe again",
        )
        model = self.workshop.family.build(
            config,
            self.vocabulary,
            self.recipe.seed,
            self.workshop.number(stage),
            self.workshop.device,
        )
        load_weights(self.workshop.family.weights(model), arrays)
        return model.eval() if isinstance(model, torch.nn.Module) else model

    def cost(self, name: str = "") -> dict[str, Any]:
        """The trained parameters, and the seconds of all stages that the model went through."""
        name = name or self.recipe.primary
        rows = (self.folder.read_metrics(stage.name) for stage in self.recipe.chain(name))
        seconds = round(sum(each[-1]["seconds"] for each in rows), 2)
        return {"parameters": self.folder.read_facts(name)["parameters"], "seconds": seconds}

    def predictor(self, name: str = "") -> Any:
        """The model wrapped as a predictor, which answers questions or scores text."""
        return self.workshop.family.predictor(self.model(name), self.vocabulary)

    def questions(self, task: Task) -> tuple[Question, ...]:
        return self.dataset.scored(task.split, task.support)

    def predictions(self, predictor: str, task: str) -> AnswerTable:
        return self.folder.read_predictions(predictor, task)

    def batches(self, stage: str) -> Any:
        """The objective of a stage: `plan` and `render` give any step's batch again."""
        return self.workshop.objective(self.recipe.stage(stage))


AnyRun = str | PathLike[str] | Run  # a run's folder, its name under runs/, or the run itself


def run_path(run: AnyRun) -> Path:
    return run.path if isinstance(run, Run) else find_run(run)


def open_run(path: AnyRun) -> Run:
    """The run in a folder, given by its path or by its name in the folder `runs`.

    A run that was made on a device that is not here is opened on what is.
    A run that is open already is handed back as it is.
    """
    if isinstance(path, Run):
        return path
    folder = RunFolder(find_run(path))
    recipe = folder.read_recipe()
    if isinstance(recipe, Demonstrations):
        raise BadData(
            f"{path}: expected a run with models, found the demonstrations of '{recipe.name}', "
            "which trains none; 'wherefrom run' with its settings shows their results"
        )
    here = recipe.device in ("auto", *devices())
    return Run(folder, recipe if here else replace(recipe, device="auto"))


def count_parameters(model: Any) -> int:
    """The number of trained parameters; frozen ones do not count."""
    if isinstance(model, torch.nn.Module):
        return sum(p.numel() for p in model.parameters())
    return sum(array.size for array in model.parameters.values())
