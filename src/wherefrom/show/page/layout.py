"""What all reports share: the models for the page, and a value for each name of the template."""

from dataclasses import dataclass, field
from typing import Any

from wherefrom.auditing.inspector import Inspector
from wherefrom.core.errors import BadData
from wherefrom.runs.folder import versions
from wherefrom.runs.run import Run
from wherefrom.show.page.engine_data import embed_engine
from wherefrom.show.page.making import describe_making

# What a report leaves out unless it says otherwise.
NOTHING = ("slider", "slider_chart", "mistakes", "two_way", "beside", "scores", "samples", "audit")
EMPTY = (
    "slider_words",
    "pictures",
    "not_yet",
    "answers",
    "columns",
    "relations",
    "notes",
    "claims",
)


@dataclass(frozen=True)
class EmbeddedModels:
    """What the page's engine opens; `why_not` says in one line why there is nothing, if so."""

    data: dict[str, Any] = field(default_factory=dict[str, Any])
    weights: dict[str, str] = field(default_factory=dict[str, str])
    why_not: str = ""

    @property
    def in_words(self) -> str:
        each = self.data.get("models", ())
        return ", ".join(f"{m['name'].replace('_', ' ')} as {m['precision']}" for m in each)


def embed_models(run: Run, precision: str, inspector: Inspector | None = None) -> EmbeddedModels:
    """The models for the page, or why they cannot be there."""
    try:
        found = embed_engine(run, precision, inspector)
    except BadData as error:
        return EmbeddedModels(why_not=f"The model is not in this page: {error}")
    return EmbeddedModels(dict(found.data), dict(found.weights))


def lay_out(run: Run, engine: EmbeddedModels, part: str, **values: Any) -> dict[str, Any]:
    """All values of the template; `part` is the template in which the model is asked."""
    given: dict[str, Any] = {
        "embedded": not engine.why_not,
        "not_embedded": engine.why_not,
        "engine_data": engine.data,
        "engine_weights": engine.weights,
        "made": describe_making(run, engine.in_words),
        "notes": [engine.why_not] if engine.why_not else [],
        **values,
    }
    return lay_out_folder(run.recipe.name, run.recipe.seed, part, **given)


def lay_out_folder(recipe: str, seed: int, part: str, **values: Any) -> dict[str, Any]:
    """The same for a folder without models."""
    return {
        **dict[str, Any].fromkeys(NOTHING),
        **{name: [] for name in EMPTY},
        "part": part,
        "run_name": f"{recipe}, seed {seed}",
        "version": versions()["wherefrom"],
        "mistakes_sentence": "",
        "printed": 0,
        "embedded": False,
        "not_embedded": "",
        "engine_data": {},
        "engine_weights": {},
        "data": {},
        **values,
    }
