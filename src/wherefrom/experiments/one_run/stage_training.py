"""Training one stage: its model, its learner, and the loop that drives them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Any

from wherefrom.core.contracts import Learner
from wherefrom.core.memory import allocating
from wherefrom.core.recipe import Stage
from wherefrom.experiments.clock import Pace
from wherefrom.runs.workshop import Workshop
from wherefrom.training.checkpoints import Checkpoints
from wherefrom.training.loop import Finished, Observer, Training, train
from wherefrom.training.signals import StopSignal
from wherefrom.training.weights import load_weights

CHUNKS = {"cpu": 20, "cuda": 100}  # steps of one chunk; the loop looks at metrics after each


@dataclass(frozen=True)
class Trained:
    """A stage's model, how its training finished, and the seconds of preparing for it."""

    model: Any
    finished: Finished
    preparing: float


def train_stage(
    workshop: Workshop,
    stage: Stage,
    start: dict[str, Any] | None = None,
    probe: Callable[[Any], Observer] | None = None,
    observers: Sequence[Observer] = (),
    pace: Callable[[Any], Pace] | None = None,
    stop: StopSignal | None = None,
    **loop: Any,
) -> Trained:
    """Train one stage from given or from new weights; `loop` has options of the training loop.

    `pace` makes what the stage keeps to, if it follows a clock, once everything is prepared.
    """
    kept: Checkpoints | None = loop.get("checkpoints")
    chunk = CHUNKS[workshop.device.type]
    size = f"stages.{stage.name}, with batch={stage.batch}"
    with allocating(size, "lower the batch, or make the model smaller"):
        model, learner = build_learner(workshop, stage, start)
        began = monotonic()
        if kept is None or kept.last_step() < stage.steps:
            learner.prepare(min(chunk, stage.steps))
        preparing = monotonic() - began
        if pace:
            loop["pace"] = pace(model)
        if probe:
            observers = [*observers, probe(model)]
        training = Training(learner, stage.steps, stage.name, observers=observers, **loop)
        return Trained(model, train(training, stop=stop, chunk=chunk), preparing)


def build_learner(
    workshop: Workshop, stage: Stage, start: dict[str, Any] | None
) -> tuple[Any, Learner]:
    """A stage's model, from given or from new weights, and its learner."""
    model = workshop.new_model(stage)
    if start is not None:
        load_weights(workshop.family.weights(model), start)
    return model, workshop.learner(stage, model)
