"""A recipe's parts, built when they are asked for: data, vocabulary, objectives, models."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import torch
from msgspec import structs

from wherefrom.core.config import encode, from_json, to_json
from wherefrom.core.contracts import Dataset, Learner, Note
from wherefrom.core.errors import BadData, UsageError
from wherefrom.core.memory import allocating, find_memory, require_memory
from wherefrom.core.recipe import Recipe, Stage
from wherefrom.data.data_catalogue import load_dataset
from wherefrom.generation.answerer import ModelAnswerer
from wherefrom.objectives.corpus import Corpus
from wherefrom.objectives.mix import Mix
from wherefrom.objectives.objective_catalogue import Material, build_objective
from wherefrom.runs.families import FAMILIES, Family
from wherefrom.runs.kept import describe
from wherefrom.training.optimisers import COURSE_EPOCHS, TokenCount
from wherefrom.training.rank_group import current_ranks
from wherefrom.training.torch_learner import TorchLearner

_BYTES_A_WEIGHT = 16  # itself, its gradient and the two averages of AdamW, in float32
_SHORT_ROW = 8  # characters: few texts have shorter rows
_SMALLER = "lower model.n_layer, model.n_embd or another size of the model"


@dataclass(frozen=True)
class LoadedText:
    """What reading a recipe's text gives; another process may have read it.

    `notes` are those that were taken of this very text; None if none were.
    """

    dataset: Dataset
    indexed: Mapping[str, Corpus | None]
    notes: tuple[Note, ...] | None = None


class Workshop:
    """What training and evaluating a recipe needs; it writes no files.

    `read` gives the data; without it the recipe's own data set is loaded. With a `reading`,
    nothing is read. `taken` gives the notes of a run that took them; without it the reader takes
    notes of the text.
    """

    def __init__(
        self,
        recipe: Recipe,
        read: Callable[[], Dataset] | None = None,
        reading: LoadedText | None = None,
        taken: Callable[[], Sequence[Note]] | None = None,
    ) -> None:
        self.recipe, self._taken = recipe, taken
        self._read = read or (lambda: load_dataset(recipe.data, recipe.seed))
        family = FAMILIES[recipe.model.kind]
        if family.predictor is ModelAnswerer:
            family = replace(family, predictor=self._answerer)
        self.family: Family = family
        self._latest: tuple[Stage, Mix] | None = None
        if reading is not None:
            vars(self)["dataset"] = reading.dataset
            self.material.take(reading.indexed)
            if reading.notes is not None:
                self.material.bring(reading.notes)

    @cached_property
    def device(self) -> torch.device:
        return choose_device(self.recipe.device)

    @cached_property
    def dataset(self) -> Dataset:
        return self._read()

    @cached_property
    def vocabulary(self) -> Any:
        return self.family.vocabulary(self.dataset)

    @cached_property
    def model_config(self) -> Any:
        return self.family.complete(self.recipe.model, self.vocabulary)

    @cached_property
    def material(self) -> Material:
        config, place = self.model_config, (self.recipe.seed, self.device)
        block, longest = (getattr(config, name, 0) for name in ("block_size", "max_input"))
        rest = (self._taken, self.recipe.withhold_omitted)
        return Material(self.dataset, self.vocabulary, block, longest, *place, *rest)

    def share_notes(self) -> None:
        """Of several ranks, the first takes the notes: it has processes that help with that."""
        if (ranks := current_ranks()) is not None:
            own = [to_json(note) for note in self.material.notes] if ranks.rank == 0 else None
            self.material.bring([from_json(Note, row, "notes") for row in ranks.first(own)])

    def reading(self) -> LoadedText:
        """What was read so far, for a workshop elsewhere."""
        return LoadedText(self.dataset, self.material.indexed, vars(self.material).get("notes"))

    def check_questions(self) -> None:
        """Refuse a question of any split that the model cannot read, before anything is trained."""
        longest = self.material.max_input - 1  # a mask follows the question
        if longest < 0:  # a model of another kind, which reads texts of any length
            return
        if long := [q.text for q in self.dataset.questions if len(q.text) > longest]:
            others = f" ({len(long)} questions are too long)" if len(long) > 1 else ""
            raise BadData(
                f"{long[0]!r}: expected a question of at most {longest} characters, found "
                f"{len(long[0])}{others}; shorten it, or raise model.block_size"
            )

    def number(self, stage: Stage) -> int:
        return self.recipe.stages.index(stage)

    def objective(self, stage: Stage) -> Mix:
        """The batches of a stage: any step can be planned and rendered again from here."""
        if self._latest is None or self._latest[0] is not stage:  # pure, so it is built once
            self._latest = stage, build_objective(stage, self.number(stage), self.material)
        return self._latest[1]

    def config_of(self, stage: Stage) -> Any:
        """The config of a stage's model: the recipe's, or a variant of it."""
        return stage.variant.of(self.model_config) if stage.variant else self.model_config

    def new_model(self, stage: Stage) -> Any:
        seed, number, config = self.recipe.seed, self.number(stage), self.config_of(stage)
        self._require_memory(stage, config)
        with allocating("model", _SMALLER):
            return self.family.build(config, self.vocabulary, seed, number, self.device)

    def _require_memory(self, stage: Stage, config: Any) -> None:
        """Refuse what cannot fit, before minutes are spent on building it."""
        gpu = self.device.type == "cuda"
        there = torch.cuda.get_device_properties(self.device).total_memory if gpu else find_memory()
        weights = getattr(config, "least_weights", 0) * _BYTES_A_WEIGHT
        require_memory("model", weights, there, _SMALLER)
        rows = stage.batch // (1 if gpu else stage.buckets)
        kept = getattr(config, "least_activations", 0) * rows * _SHORT_ROW * 4
        require_memory(
            f"stages.{stage.name}.batch", kept, there, "lower it, or make the model smaller"
        )

    def learner(self, stage: Stage, model: Any, steps: int | None = None) -> Learner:
        """The stage's learner; `steps` of it are taken, all where it is not given.

        All ranks must have the same data, and begin with the weights of the first.
        """
        objective, ranks = self.objective(stage), current_ranks()
        if ranks is not None:
            ranks.compare(describe(self.dataset), "its data", "give all processes the same files")
        taken = stage if steps is None else structs.replace(stage, steps=steps)
        learner = self.family.learner(
            model,
            objective,
            taken,
            number=self.number(stage),
            seed=self.recipe.seed,
            tokens=self._tokens(stage, objective),
            ranks=ranks,
        )
        if ranks is not None and isinstance(learner, TorchLearner):
            ranks.share(list(learner.tensors().values()))
        return learner

    def refit(self, recipe: Recipe) -> "Workshop":
        """The same data and model for a recipe with other stages; nothing is read again."""
        other = Workshop(recipe, self._read, taken=self._taken)
        shared = ("device", "dataset", "vocabulary", "model_config", "material")
        other.__dict__.update({name: self.__dict__[name] for name in shared if name in vars(self)})
        return other

    def _tokens(self, stage: Stage, objective: Mix) -> TokenCount:
        """The tokens of a step as the course counts them: its rows are one shorter than a block."""
        block = self.material.block_size
        documents = len(self.dataset.training_documents)
        return TokenCount(
            objective.items, stage.batch, block - 1, COURSE_EPOCHS * documents * block
        )

    def _answerer(self, model: Any, vocabulary: Any) -> ModelAnswerer:
        """An answerer with room for the longest trained answer; the data are read on first use."""
        return ModelAnswerer(model, vocabulary, max_new=lambda: self.dataset.answer_room)

    def predictor(self, model: Any) -> Any:
        return self.family.predictor(model, self.vocabulary)


def choose_device(name: str) -> torch.device:
    """The named device, or a CUDA GPU if there is one for 'auto', or else the CPU."""
    here = devices()
    if name != "auto" and name not in here:
        raise UsageError(f"device: expected one that is here ({', '.join(here)}), found '{name}'")
    return torch.device(here[-1] if name == "auto" else name)


def devices() -> list[str]:
    """The kinds of device that this machine has, the fastest last."""
    return ["cpu", "cuda"] if torch.cuda.is_available() else ["cpu"]


def count_gpus() -> int:
    """The CUDA GPUs of this machine that can be used."""
    return torch.cuda.device_count() if torch.cuda.is_available() else 0


def model_identity(config: Any, vocabulary: Any) -> dict[str, Any]:
    """All that changes the function a model computes, apart from its weights."""
    return {"model": encode(config), "vocabulary": vocabulary.hash}
