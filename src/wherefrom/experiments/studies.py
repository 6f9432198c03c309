"""What some kinds of model leave in a run folder beside their scores: one entry a kind."""

from collections.abc import Callable, Mapping
from typing import Any

from wherefrom.experiments.study import leave_study
from wherefrom.models.dan import DANConfig
from wherefrom.runs.run import Run

# From the run and its results so far to further results.
STUDIES: dict[str, Callable[[Run, Mapping[str, Any]], dict[str, Any]]] = {
    DANConfig.kind: leave_study,
}
