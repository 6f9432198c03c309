"""The trainer of the assignment: it says what to train, the library's loop trains it."""

import hashlib
import math
import zlib
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Any

import torch
from msgspec.structs import replace
from torch import nn

from wherefrom.core.artifact import lock_folder
from wherefrom.core.contracts import Batch
from wherefrom.core.errors import Mismatch
from wherefrom.core.randomness import MASK32
from wherefrom.core.recipe import Schedule, Stage
from wherefrom.experiments.one_run.stage_training import CHUNKS
from wherefrom.experiments.recipes.birthplaces_recipe import course
from wherefrom.runs.families import recipe_identity
from wherefrom.runs.workshop import choose_device
from wherefrom.show.terminal.progress_lines import TrainingProgress
from wherefrom.training import loop
from wherefrom.training.checkpoints import Checkpoints
from wherefrom.training.optimisers import AdamWConfig, TokenCount
from wherefrom.training.torch_learner import TorchLearner

from .utils import Reader, save_params, set_seed

_SHARES_A_STAGE = 64  # as the library numbers the draws of a recipe's stages


class TrainerConfig:
    """Anything may be set on it. The rate falls only if `lr_decay` is set.

    `num_workers` is part of the hand-out, but nothing here needs workers.
    """

    max_epochs = 10
    batch_size = 64
    learning_rate = 3e-4
    betas = (0.9, 0.95)
    grad_norm_clip = 1.0
    weight_decay = 0.1
    lr_decay = False
    warmup_tokens: float = 375e6
    final_tokens: float = 260e9
    ckpt_path: str | None = None  # the parameters are saved here, too, when training ends
    num_workers = 0
    writer: Any = None
    stage = "train"  # pretrain, finetune, finetune_only: as the library's recipe calls them
    device = "auto"
    seed: int | None = None  # None: what set_seed was given
    working_folder: Path | None = None  # checkpoints are kept here; None: nowhere

    def __init__(self, **kwargs: Any) -> None:
        for name, value in kwargs.items():
            setattr(self, name, value)


class Items:
    """An objective over any data set of (x, y) pairs, in order; y is 0 where nothing counts.

    A student's items are random by themselves: each step sets the seeds first, so that a run
    that was stopped goes on as it would have.
    """

    def __init__(self, dataset: Any, *, rows: int, seed: int, stage: int, device: Any) -> None:
        self.dataset, self.rows, self.device = dataset, rows, device
        self.name, self.items = f"{seed} {stage}", len(dataset)

    def plan(self, first_step: int, count: int) -> range:
        return range(first_step, first_step + count)

    def render(self, plan: range, index: int) -> Batch:
        set_seed(zlib.crc32(f"{self.name} {plan[index]}".encode()))
        first = plan[index] % math.ceil(self.items / self.rows) * self.rows
        pairs = [self.dataset[i] for i in range(first, min(first + self.rows, self.items))]
        x, y = (torch.stack(column).to(self.device) for column in zip(*pairs, strict=True))
        lengths = torch.full((len(pairs),), x.shape[1], device=self.device)
        return Batch(x, y, (y != 0).float(), lengths)


class Trainer:
    """`Trainer(model, train_dataset, test_dataset, config).train()`.

    With a `working_folder` in its config, training saves checkpoints there and goes on from them.
    """

    def __init__(
        self, model: nn.Module, train_dataset: Any, test_dataset: Any, config: Any
    ) -> None:
        self.model, self.config = model, config
        self.train_dataset, self.test_dataset = train_dataset, test_dataset

    @property
    def items(self) -> int:
        """Rows of an epoch: a data set with an objective may say how many that has."""
        counted = getattr(self.train_dataset, "items", None)
        return counted if isinstance(counted, int) else len(self.train_dataset)

    @property
    def steps(self) -> int:
        return self.config.max_epochs * math.ceil(self.items / self.config.batch_size)

    def train(self) -> None:
        config, started = self.config, _hash(self.model.state_dict().values())
        seed = torch.initial_seed() & MASK32 if config.seed is None else config.seed
        device, folder = choose_device(config.device), config.working_folder
        self.model.to(device)
        stage, names = self._stage(), [stage.name for stage in course().stages]
        number = names.index(config.stage) if config.stage in names else len(names)
        own = getattr(self.train_dataset, "objective", None)
        build: Any = own or partial(Items, self.train_dataset)
        objective = build(
            rows=stage.batch, seed=seed, stage=number * _SHARES_A_STAGE, device=device
        )
        model = self.model if hasattr(self.model, "features") else Reader(self.model)
        learner = TorchLearner(
            model, objective, stage, number=number, seed=seed, tokens=self._tokens()
        )
        kept = None
        if folder is not None:
            identity = {"start": started, "seed": seed, "stage": recipe_identity(stage)}
            identity["data"] = _hash(getattr(self.train_dataset, "data", ()))
            kept = Checkpoints(folder, identity)
        chunk = CHUNKS.get(device.type, CHUNKS["cpu"])
        with lock_folder(folder) if folder else nullcontext(), _Progress(config.writer) as progress:
            learner.prepare(min(chunk, stage.steps))
            training = loop.Training(learner, stage.steps, stage.name, kept, observers=[progress])
            try:
                loop.train(training, chunk=chunk)
            except Mismatch as error:
                raise Mismatch(f"{error}; or remove {folder} to start anew") from error
        if config.ckpt_path is not None:
            save_params(self.model, config.ckpt_path)

    def _stage(self) -> Stage:
        """The library's course recipe with this config's numbers."""
        config = self.config
        optimiser = AdamWConfig(
            config.learning_rate, config.weight_decay, *config.betas, decayed="all but bias"
        )
        return replace(
            course().stage("pretrain"), name=config.stage, optimiser=optimiser, steps=self.steps,
            batch=config.batch_size, clip=config.grad_norm_clip,
            schedule=Schedule("course" if config.lr_decay else "constant", 0.0, 0.1),
        )  # fmt: skip

    def _tokens(self) -> TokenCount:
        """As the course counts them, padding too."""
        config, places = self.config, len(self.train_dataset[0][1])
        ends = int(config.final_tokens), int(config.warmup_tokens)
        return TokenCount(self.items, config.batch_size, places, *ends)


class _Progress(TrainingProgress):
    """Writes each step's loss to a tensorboard writer, too, if there is one."""

    def __init__(self, writer: Any) -> None:
        super().__init__(())
        self.writer = writer

    def advanced(self, name: str, step: int, steps: int, metrics: Any, seconds: float) -> None:
        super().advanced(name, step, steps, metrics, seconds)
        for i, loss in enumerate(metrics["loss"] if self.writer else ()):
            self.writer.add_scalar("train/loss", float(loss), step - len(metrics["loss"]) + i)


def _hash(parts: Any) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part.encode() if isinstance(part, str) else part.cpu().numpy().tobytes())
        digest.update(b"\n")
    return digest.hexdigest()
