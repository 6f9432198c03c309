"""What some kinds of model write into a run folder beside their scores: one entry per kind."""

from collections.abc import Callable, Mapping
from typing import Any

from wherefrom.experiments.study import leave_study
from wherefrom.models.dan import DANConfig
from wherefrom.runs.run import Run

# Each function takes the run and its results so far, and returns further results.
STUDIES: dict[str, Callable[[Run, Mapping[str, Any]], dict[str, Any]]] = {
    DANConfig.kind: leave_study,
}
