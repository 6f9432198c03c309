"""What the first of several processes has the others do, and how they do it.

The first process runs the command as if it were alone. Where it builds a learner or asks a model
questions, the others are told to take part: each message names what to do, and the `Follower`
(experiments/processes/follower.py) has a method of that name. So there is one training loop, in
one process, and one writer.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from signal import SIGTERM, raise_signal
from typing import Any

import numpy as np
import torch

from wherefrom.core.config import encode, to_json
from wherefrom.core.contracts import State, never
from wherefrom.core.errors import WherefromError
from wherefrom.core.identity import require_same
from wherefrom.core.recipe import Recipe, Stage
from wherefrom.generation import scoring
from wherefrom.generation.answerer import ModelAnswerer
from wherefrom.generation.decoder import Decoder
from wherefrom.generation.requests import Completion, Request
from wherefrom.generation.scoring import ScoreRequest, read_batches
from wherefrom.runs.descriptions import describe
from wherefrom.training.processes import Processes
from wherefrom.training.torch_learner import TorchLearner

_FEWEST = 4  # questions for each process: fewer are answered sooner by one
_FEWEST_BATCHES = 2  # for each process

_crew: "Crew | None" = None


def current_crew() -> "Crew | None":
    """The processes that take every step together with this one; None if it works alone."""
    return _crew


class Crew:
    """The others, as the first process speaks to them."""

    def __init__(self, processes: Processes) -> None:
        self.processes = processes

    @contextmanager
    def leading(self) -> Iterator[None]:
        """While entered, this crew is the current one."""
        global _crew
        before, _crew = (_crew, scoring.spread), self
        scoring.spread = self.score
        try:
            yield
        finally:
            _crew, scoring.spread = before

    def lead(
        self, learner: TorchLearner, recipe: Recipe, stage: Stage, steps: int | None, data: Any
    ) -> "LedLearner":
        """The learner of all; raises Mismatch if another process has read other data."""
        self.processes.tell(
            {
                "do": "learn",
                "recipe": encode(recipe),
                "stage": stage.name,
                "steps": steps,
                "threads": torch.get_num_threads(),
            }
        )
        with self.processes.together():
            own = describe(data)
            others = self.processes.gather(own)[1:]
        for rank, theirs in enumerate(others, start=1):
            require_same(
                f"process {rank}",
                theirs,
                own,
                holder="its data",
                advice="give all processes the same files",
            )
        self.processes.tell({"do": "begin"})
        return LedLearner(learner, self.processes)

    def generate(self, model: Any, requests: Sequence[Request]) -> list[list[Completion]]:
        """What all processes decode, in the order of the requests."""
        self.processes.tell(
            {"do": "generate", **_form(model), "requests": [to_json(each) for each in requests]}
        )
        with self.processes.together():
            self.processes.share(list(model.state_dict().values()))
            found = self.processes.gather(generate_own(self.processes, model, requests))
        completions: list[list[Completion]] = [[] for _ in requests]
        for rank, theirs in enumerate(found):
            completions[rank :: self.processes.size] = map(read, theirs)
        return completions

    def score(self, model: Any, asked: ScoreRequest) -> dict[int, np.ndarray] | None:
        """What all processes read of some texts. They divide the batches, so that a text is read in
        the same company, and to the same bits, as by one process."""
        batches = len(scoring.batches(model, asked))
        known = isinstance(model, torch.nn.Module) and hasattr(model, "config")
        if not known or batches < _FEWEST_BATCHES * self.processes.size:
            return None
        texts = {"sequences": [list(text) for text in asked.sequences]}
        message = {"wanted": asked.wanted, "starts": list(asked.starts), "count": asked.count}
        message |= {"batch_tokens": asked.batch_tokens, **texts, **_form(model)}
        self.processes.tell({"do": "score", **message})
        with self.processes.together():
            self.processes.share(list(model.state_dict().values()))
            return read_together(self.processes, model, asked)

    def dismiss(self, code: int) -> None:
        """The others end, with the exit code of the first.

        If they do not listen, they end as soon as they notice that the first is gone.
        """
        with suppress(WherefromError):
            if self.processes.in_step:
                self.processes.tell({"do": "end", "code": code})
                self.processes.gather(None)  # all have heard it
                self.processes.leave()


class LedLearner:
    """A learner that steps together with those of the other processes.

    All have the weights and moments of the first, and take the same steps.
    """

    def __init__(self, own: TorchLearner, processes: Processes) -> None:
        self.own, self.processes = own, processes
        self._share()

    def prepare(self, count: int) -> None:
        self.processes.tell({"do": "prepare", "count": count})
        with self.processes.together():
            self.own.prepare(count)

    def advance(
        self, first_step: int, count: int, stopped: Callable[[], bool] = never
    ) -> dict[str, np.ndarray]:
        self.processes.tell({"do": "advance", "first": first_step, "count": count})
        with self.processes.together():
            found = self.own.advance(first_step, count, stopped)
            asked = self.own.stopping
            if self.own.captured is not None:  # it looks once a chunk
                asked = any(self.processes.gather(stopped()))
        if asked and not stopped():  # another process got a signal that is meant for all
            raise_signal(SIGTERM)
        return found

    def state(self) -> State:
        return self.own.state()

    def load(self, state: State) -> None:
        self.own.load(state)
        self.processes.tell({"do": "share"})
        self._share()

    def _share(self) -> None:
        with self.processes.together():
            self.processes.share(self.own.tensors())


class SpreadAnswerer(ModelAnswerer):
    """One whose questions are divided among the processes."""

    def generate(self, requests: Sequence[Request]) -> Sequence[Sequence[Completion]]:
        crew = current_crew()
        if crew is None or len(requests) < _FEWEST * crew.processes.size:
            return super().generate(requests)
        return crew.generate(self.model, requests)


def _form(model: Any) -> dict[str, Any]:
    """What others build the same model from, but for its weights, and their threads."""
    return {"model": encode(model.config), "threads": torch.get_num_threads()}


def read_together(processes: Processes, model: Any, asked: ScoreRequest) -> dict[int, np.ndarray]:
    """The rows of all sequences; this process reads every size-th batch."""
    own = dict(read_batches(model, asked, processes.rows))
    # The form of what is sent: which sequence, and how many numbers it has in each row.
    plan = torch.tensor([[i, rows.shape[1]] for i, rows in own.items()]).view(-1)
    flat = np.concatenate([np.zeros(0, np.float32), *(rows.ravel() for rows in own.values())])
    plans = processes.gather_numbers(plan.long())
    found: dict[int, np.ndarray] = {}
    for where, numbers in zip(plans, processes.gather_numbers(torch.from_numpy(flat)), strict=True):
        at = 0
        for i, length in where.view(-1, 2).tolist():
            size = asked.rows * length
            found[i] = numbers[at : at + size].numpy().reshape(asked.rows, length).copy()
            at += size
    return found


def generate_own(
    processes: Processes, model: Any, requests: Sequence[Request]
) -> list[list[list[Any]]]:
    """What this process decodes, every size-th request, as JSON; its numbers keep every bit."""
    found = Decoder(model).generate(requests[processes.rows])
    return [[[list(c.tokens), c.log_probability, c.finished] for c in each] for each in found]


def read(spelt: list[list[Any]]) -> list[Completion]:
    return [Completion(tuple(tokens), log, finished) for tokens, log, finished in spelt]
