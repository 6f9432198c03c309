"""The package's own few functions, the same that the command line calls.

    import wherefrom

    outcome = wherefrom.run("people", settings=["stages.pretrain.steps=1200"])
    print(outcome.results["with_pretraining"])        # {'accuracy': ..., 'interval': ..., ...}

    for reply in wherefrom.ask(outcome.run, ["Where was Clara Whitfield born?"]):
        print(reply.answer.text if reply.known else "I don't know", reply.confidence)

    run = wherefrom.open_run(outcome.run)             # its recipe, data, models, predictions
    run.model("with_pretraining")

Every error that is not a bug is a `wherefrom.WherefromError` and says what to do in one line.
"""

from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

from wherefrom.answering import asking
from wherefrom.answering.asking import Reply
from wherefrom.core.config import parse_toml
from wherefrom.core.errors import UsageError, WherefromError
from wherefrom.core.files import read_text
from wherefrom.core.recipe import Demonstrations, Experiment, Recipe
from wherefrom.experiments.comparison import RunComparison, compare
from wherefrom.experiments.execute import Outcome, execute
from wherefrom.experiments.explanation import Explanation, explain
from wherefrom.experiments.listing import RecipeEntry, RunEntry, list_recipes, list_runs
from wherefrom.experiments.perplexity import PerplexityReport, perplexity
from wherefrom.experiments.samples import sample
from wherefrom.experiments.seeds import SeedsOutcome
from wherefrom.recipes.catalogue import RECIPES, adjust, get_recipe
from wherefrom.report.messages import note
from wherefrom.report.progress import watch
from wherefrom.runs.run import Run, open_run
from wherefrom.runs.workshop import why_not_mps

__all__ = [
    "Explanation", "Outcome", "PerplexityReport", "Recipe", "RecipeEntry", "Reply", "Run",
    "RunComparison", "RunEntry", "SeedsOutcome", "WherefromError",
    "ask", "build_recipe", "compare", "explain", "get_recipe", "list_recipes", "list_runs",
    "open_run", "perplexity", "run", "sample",
]  # fmt: skip

DEFAULT_RECIPE = "people"


def run(
    recipe: str | Experiment = DEFAULT_RECIPE,
    *,
    out: str | Path | None = None,
    seed: int | None = None,
    settings: Iterable[str] = (),
    progress: bool = False,
    label: str = "",
) -> Outcome:
    """Run a recipe into a folder (default: `default_folder`), or go on with one begun there.

    `settings` are FIELD=VALUE as after `--set`; with `progress`, standard error says how far
    it is, each line after `label`. A finished folder is only read.
    """
    if isinstance(recipe, str):
        recipe = build_recipe(recipe, settings=settings)
    elif list(settings):
        raise UsageError("settings: expected a recipe's name with them, found a whole recipe")
    recipe = recipe if seed is None else replace(recipe, seed=seed)
    path = Path(out) if out is not None else default_folder(recipe)
    if isinstance(recipe, Demonstrations):  # over before there is anything to say
        return execute(recipe, path)
    if recipe.device == "mps" and (reason := why_not_mps()):
        note(f"{label}{reason}")
    names = [stage.name for stage in recipe.stages]
    with watch(names, label) if progress else nullcontext() as observer:
        return execute(recipe, path, [observer] if observer else [])


def default_folder(recipe: Experiment) -> Path:
    """`runs/RECIPE-SEED`; with a variant of the recipe's attention, `runs/RECIPE-VARIANT-SEED`."""
    usual = RECIPES[recipe.name]() if recipe.name in RECIPES else recipe
    found, known = (getattr(getattr(r, "model", None), "attention", "") for r in (recipe, usual))
    variant = f"-{found}" if found != known else ""
    return Path("runs") / f"{recipe.name}{variant}-{recipe.seed}"


def build_recipe(
    name: str | None = None,
    *,
    config: str | None = None,
    settings: Iterable[str] = (),
    seed: int | None = None,
    device: str | None = None,
    threads: int | None = None,
) -> Experiment:
    """A named recipe with a TOML file and settings put over it.

    Without a name it is the one that the file names, or else `people`.
    """
    if name is None and config is not None:
        name = parse_toml(read_text(config), config).get("name")
    recipe = adjust(get_recipe(str(name or DEFAULT_RECIPE)), config=config, settings=settings)
    given = {"seed": seed, "device": device, "threads": threads}
    return replace(recipe, **{k: v for k, v in given.items() if v is not None})


def ask(run: str | Path | Run, questions: Sequence[str]) -> list[Reply]:
    """Put questions to a finished run; BadData if it cannot be asked one of them."""
    return asking.ask(run if isinstance(run, Run) else open_run(run), questions)
