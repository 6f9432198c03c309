"""What a page needs to compute with a run's models: data as JSON, and weights as base64."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from wherefrom.auditing.inspector import Inspector, open_inspector
from wherefrom.core.errors import BadData
from wherefrom.generation.answers import ModelAnswerer
from wherefrom.page.asking import describe_asking
from wherefrom.page.models import describe_models, pack_models
from wherefrom.page.weights import AUTO
from wherefrom.runs.run import Run

ANSWERS = "answers"


@dataclass(frozen=True)
class EngineData:
    """`data` for the engine's `open`, and the weights of every model by its name."""

    data: Mapping[str, Any]
    weights: Mapping[str, str]


def embed_engine(run: Run, precision: str = AUTO, inspector: Inspector | None = None) -> EngineData:
    """Everything that the engine needs of a run, the same for the same run.

    BadData says in one line why a run's model cannot be put into a page.
    """
    run.require_finished()
    packed = pack_models(run, precision)
    data: dict[str, Any] = {
        "format_version": 1,
        "recipe": run.recipe.name,
        "seed": run.recipe.seed,
        "models": describe_models(run, packed),
    }
    if run.dataset.questions and isinstance(run.predictor(), ModelAnswerer):
        data |= {"kind": ANSWERS, **describe_asking(inspector or open_inspector(run))}
    else:
        raise BadData(f"{run.path}: expected a run whose models a page can compute")
    return EngineData(data, {each.name: each.weights.base64 for each in packed})
