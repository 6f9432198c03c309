"""A learner without torch: gradients from the network's own hand, plain gradient descent."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np

from wherefrom.core.config import check
from wherefrom.core.contracts import Batch, Objective, State
from wherefrom.core.errors import Mismatch


@dataclass(frozen=True)
class SGDConfig:
    kind: ClassVar[str] = "sgd"
    rate: float = 6.0  # of a mean over the batch, whose gradients are small

    def __post_init__(self) -> None:
        check(self.rate > 0, "SGDConfig", "rate", self.rate, "a number above 0")


class Network(Protocol):
    """What this learner asks of a model: arrays it may change in place, and their gradients."""

    parameters: dict[str, np.ndarray]

    def loss_and_gradients(self, batch: Batch) -> tuple[float, dict[str, np.ndarray]]: ...


class NumpyLearner:
    """Each step: parameter -= rate x factor(step) x gradient, its norm over all cut to `clip`."""

    def __init__(
        self,
        network: Network,
        objective: Objective,
        schedule_factor: Callable[[int], float],
        rate: float,
        clip: float,
    ) -> None:
        self.network, self.objective = network, objective
        self.schedule_factor, self.rate, self.clip = schedule_factor, rate, clip

    def advance(self, first_step: int, count: int) -> dict[str, np.ndarray]:
        plan = self.objective.plan(first_step, count)
        metrics = {
            "loss": np.zeros(count),
            "targets": np.zeros(count, np.int64),
            "finite": np.zeros(count, bool),
        }
        for i in range(count):
            batch = self.objective.render(plan, i)
            rate = self.rate * self.schedule_factor(first_step + i)
            metrics["loss"][i], metrics["finite"][i] = self._step(batch, rate)
            metrics["targets"][i] = np.count_nonzero(batch.weights)
        return metrics

    def _step(self, batch: Batch, rate: float) -> tuple[float, bool]:
        with np.errstate(over="ignore", invalid="ignore"):  # the flag says it, once
            loss, gradients = self.network.loss_and_gradients(batch)
            squares = (np.square(g, dtype=np.float64).sum() for g in gradients.values())
            norm = float(np.sqrt(sum(squares)))
        finite = bool(np.isfinite(loss) and np.isfinite(norm))
        if finite:
            scale = rate * min(1.0, self.clip / norm) if norm else 0.0
            for name, parameter in self.network.parameters.items():
                parameter -= scale * gradients[name]
        return loss, finite

    def _arrays(self) -> dict[str, np.ndarray]:
        return {f"model.{name}": p for name, p in self.network.parameters.items()}

    def state(self) -> State:
        """The parameters alone: this descent remembers nothing, and draws are counted."""
        return State({name: a.copy() for name, a in self._arrays().items()})

    def load(self, state: State) -> None:
        own, given = _forms(self._arrays()), _forms(state.arrays)
        if own != given:  # before any is changed
            raise Mismatch(f"state: expected the arrays {own}, found {given}")
        for name, array in self._arrays().items():
            array[...] = state.arrays[name]


def _forms(arrays: dict[str, np.ndarray]) -> dict[str, str]:
    return {name: f"{a.dtype}{list(a.shape)}" for name, a in sorted(arrays.items())}
