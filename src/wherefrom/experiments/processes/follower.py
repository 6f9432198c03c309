"""A process that works on a run with others, and does what the first one says (runs/crew.py).

Those that the first process has started itself are tasks of a pool, those of torchrun come from the
command that all were given.
"""

from dataclasses import replace
from typing import Any

import torch

from wherefrom.core.config import decode, from_json
from wherefrom.core.recipe import Experiment, Recipe
from wherefrom.generation.requests import Request
from wherefrom.generation.scoring import ScoreRequest
from wherefrom.runs.crew import generate_own, read_together
from wherefrom.runs.descriptions import describe
from wherefrom.runs.families import FAMILIES
from wherefrom.runs.kinds import data_identity, decode_recipe
from wherefrom.runs.workshop import Workshop
from wherefrom.training.processes import Processes
from wherefrom.training.signals import StopSignal


class Follower:
    """A process that does what the first one says, until it is dismissed.

    `own` is the recipe that it was asked for itself, if it was: its files may lie elsewhere.
    """

    def __init__(self, processes: Processes, own: Experiment | None = None) -> None:
        self.processes, self.own = processes, own
        self.workshop: Workshop | None = None
        self.learner: Any = None
        self._model: tuple[Any, Any] | None = None  # one that is asked, by its config

    def follow(self) -> int:
        """Returns the exit code that the first process ends with."""
        try:
            with StopSignal() as self.stop:
                while True:
                    message = self.processes.hear()
                    if message["do"] == "end":
                        self.processes.gather(None)  # the first one waits until all have heard it
                        self.processes.leave()
                        return int(message["code"])
                    getattr(self, f"_{message.pop('do')}")(**message)
        except Exception as error:
            self.processes.report(error)
            raise

    def _learn(self, recipe: Any, stage: str, steps: int | None, threads: int) -> None:
        torch.set_num_threads(threads)
        asked = decode_recipe(recipe)
        assert isinstance(asked, Recipe)
        self.learner = self._model = None  # one model at a time
        self.workshop = self._open_workshop(asked)
        self.processes.gather(describe(self.workshop.dataset))
        self._place = asked.stage(stage), steps

    def _open_workshop(self, recipe: Recipe) -> Workshop:
        """The data are read once, if the recipe differs in nothing but its stages."""
        own = self.own
        if isinstance(own, Recipe) and data_identity(own.data) == data_identity(recipe.data):
            recipe = replace(recipe, data=own.data)
        before, parts = self.workshop, ("data", "model", "seed", "device")
        if before and all(getattr(before.recipe, p) == getattr(recipe, p) for p in parts):
            return before.refit(recipe)
        return Workshop(recipe, processes=self.processes)

    def _begin(self) -> None:
        """All have the same data."""
        assert self.workshop is not None
        stage, steps = self._place
        self.learner = self.workshop.learner(stage, self.workshop.new_model(stage), steps)
        self._share()

    def _share(self) -> None:
        self.processes.share(self.learner.tensors())

    def _prepare(self, count: int) -> None:
        self.learner.prepare(count)

    def _advance(self, first: int, count: int) -> None:
        self.learner.advance(first, count, self._stopped)
        if self.learner.captured is not None:
            self.processes.gather(self._stopped())

    def _stopped(self) -> bool:
        return self.stop.number is not None

    def _generate(self, model: Any, threads: int, requests: list[Any]) -> None:
        wanted = [from_json(Request, each, "request") for each in requests]
        asked = self._open(model, threads)
        self.processes.gather(generate_own(self.processes, asked, wanted))

    def _score(self, model: Any, threads: int, **asked: Any) -> None:
        read_together(self.processes, self._open(model, threads), ScoreRequest(**asked))

    def _open(self, model: Any, threads: int) -> Any:
        """A model of this form, with the weights of the first process's."""
        torch.set_num_threads(threads)
        if self._model is None or self._model[0] != model:
            kind = str(model["kind"])
            family = FAMILIES[kind]
            config = decode(family.config, model, {kind: family.config})
            self._model = model, family.build(config, None, 0, 0, self.processes.device).eval()
        self.processes.share(list(self._model[1].state_dict().values()))
        return self._model[1]
