"""What all reports share: a value for each name of the template."""

from importlib.metadata import PackageNotFoundError, metadata
from typing import Any

from wherefrom.runs.folder import versions
from wherefrom.runs.opened_run import Run
from wherefrom.show.page.engine_data import EngineData
from wherefrom.show.page.making import describe_making

# What a report leaves out unless it says otherwise.
NOTHING = ("slider", "two_way", "scores", "samples", "audit")
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


def lay_out(run: Run, engine: EngineData, part: str, **values: Any) -> dict[str, Any]:
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
        "version": versions().get("wherefrom", ""),
        "home": find_home(),
        "printed": 0,
        "embedded": False,
        "not_embedded": "",
        "engine_data": {},
        "engine_weights": {},
        "data": {},
        **values,
    }


def find_home() -> str:
    """The project's address, as the package states it; "" if it states none."""
    try:
        stated = metadata("wherefrom").get_all("Project-URL") or []
    except PackageNotFoundError:  # run from the source tree
        return ""
    return next((each.partition(", ")[2] for each in stated), "")
