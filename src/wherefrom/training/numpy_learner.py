"""A learner without torch: gradients from the network's own hand, and what is done with them."""

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

import numpy as np

from wherefrom.core.bounds import LARGEST_RATE, MOST_STEPS, check_positive, check_whole
from wherefrom.core.config import TaggedConfig
from wherefrom.core.contracts import Batch, Objective, State, never
from wherefrom.training.weights import copy_weights, load_weights

if TYPE_CHECKING:
    from wherefrom.training.optimisers import AdamWConfig

Arrays = dict[str, np.ndarray]


class SGDConfig(TaggedConfig, frozen=True, tag="sgd"):
    rate: float = 6.0  # of a mean over the batch, whose gradients are small
    halve_every: int = 0  # steps, as the homework anneals; 0: never

    def __post_init__(self) -> None:
        check_positive(self, "rate", LARGEST_RATE)
        check_whole(self, "halve_every", 0, MOST_STEPS, "0: never")


class Network(Protocol):
    """What this learner asks of a model: arrays it may change in place, and their gradients."""

    parameters: Arrays

    def loss_and_gradients(self, batch: Batch) -> tuple[float, Arrays]: ...


class SGD:
    """Parameter -= rate x factor x gradient: it remembers nothing, so it has no moments."""

    def __init__(self, config: SGDConfig) -> None:
        self.config, self.moments = config, {}

    def step(self, parameters: Arrays, gradients: Arrays, number: int, factor: float) -> None:
        """Take one step, counted from 0, at a factor times the base rate.

        It may use up the gradients.
        """
        halvings = number // self.config.halve_every if self.config.halve_every else 0
        scale = self.config.rate * factor * 0.5**halvings
        for name, parameter in parameters.items():
            gradient = gradients[name]
            parameter -= np.multiply(gradient, scale, out=gradient, casting="same_kind")


class NumpyAdamW:
    """Loshchilov and Hutter's AdamW; decay falls on matrices, not on biases."""

    tiny = 1e-8

    def __init__(self, config: "AdamWConfig", parameters: Arrays) -> None:
        self.config = config
        self.moments = {
            f"{moment}.{name}": np.zeros_like(p)
            for name, p in parameters.items()
            for moment in ("first", "second")
        }

    def step(self, parameters: Arrays, gradients: Arrays, number: int, factor: float) -> None:
        config, rate = self.config, self.config.rate * factor
        unbias1 = 1 - config.beta1 ** (number + 1)
        unbias2 = 1 - config.beta2 ** (number + 1)
        for name, parameter in parameters.items():
            gradient = gradients[name]
            first, second = self.moments[f"first.{name}"], self.moments[f"second.{name}"]
            first += (1 - config.beta1) * (gradient - first)
            second += (1 - config.beta2) * (gradient * gradient - second)
            if parameter.ndim > 1:
                parameter *= 1 - rate * config.decay
            parameter -= (rate / unbias1) * first / (np.sqrt(second / unbias2) + self.tiny)


Descender = SGD | NumpyAdamW  # what changes the parameters


class NumpyLearner:
    """Each step's gradient, its norm over all parameters cut to `clip`, goes to the descender."""

    factor: float | None = None  # no run of such a model follows a clock

    def __init__(
        self,
        network: Network,
        objective: Objective,
        schedule_factor: Callable[[int], float],
        descender: Descender,
        clip: float,
    ) -> None:
        self.network, self.objective = network, objective
        self.schedule_factor, self.descender, self.clip = schedule_factor, descender, clip

    def prepare(self, count: int) -> None:
        """There is nothing to do before the first step."""

    def advance(
        self, first_step: int, count: int, stopped: Callable[[], bool] = never
    ) -> dict[str, np.ndarray]:
        plan = self.objective.plan(first_step, count)
        metrics = {
            "loss": np.zeros(count),
            "targets": np.zeros(count, np.int64),
            "finite": np.zeros(count, bool),
        }
        taken = 0
        for i in range(count):
            batch = self.objective.render(plan, i)
            metrics["loss"][i], metrics["finite"][i] = self._step(batch, first_step + i)
            metrics["targets"][i] = np.count_nonzero(batch.weights)
            taken = i + 1
            if stopped():
                break
        return {name: values[:taken] for name, values in metrics.items()}

    def _step(self, batch: Batch, number: int) -> tuple[float, bool]:
        with np.errstate(over="ignore", invalid="ignore"):  # the flag says it, once
            loss, gradients = self.network.loss_and_gradients(batch)
            norm = math.sqrt(sum([float(np.vdot(g, g)) for g in gradients.values()]))
        finite = math.isfinite(loss) and math.isfinite(norm)
        if finite:
            cut = min(1.0, self.clip / norm) if norm else 1.0
            if cut < 1:
                gradients = {name: g * cut for name, g in gradients.items()}
            factor = self.schedule_factor(number)
            self.descender.step(self.network.parameters, gradients, number, factor)
        return loss, finite

    def _arrays(self) -> Arrays:
        """What is trained, what is frozen beside it, and what the descender remembers."""
        model = self.network.parameters | getattr(self.network, "frozen", {})
        moments = {f"optimiser.{name}": m for name, m in self.descender.moments.items()}
        return {f"model.{name}": p for name, p in model.items()} | moments

    def state(self) -> State:
        """Arrays alone: the step's number says the rest, and draws are counted."""
        return State(copy_weights(self._arrays()))

    def load(self, state: State) -> None:
        load_weights(self._arrays(), state.arrays)
