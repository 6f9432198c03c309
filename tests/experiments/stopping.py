"""An observer at which a signal arrives, for tests of runs that are stopped and go on."""

import signal
from typing import Any

from wherefrom.training.loop import Observer


class StopAt(Observer):
    """Sends a signal in a stage, after a step; called, it is what makes observers, too."""

    def __init__(self, stage: str, step: int) -> None:
        self.stage, self.step = stage, step
        self.labels: list[str] = []

    def __call__(self, stages: Any, label: str) -> "StopAt":
        self.labels.append(label)
        return self

    def __enter__(self) -> "StopAt":
        return self

    def __exit__(self, *_: Any) -> None: ...

    def advanced(self, name: str, step: int, *_: Any) -> None:
        if name == self.stage and step >= self.step:
            signal.raise_signal(signal.SIGTERM)
