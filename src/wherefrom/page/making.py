"""How a run was made: its recipe, versions and hashes, and the command that makes it again."""

from collections.abc import Iterator, Mapping
from shlex import quote
from typing import Any

from wherefrom.core.config import encode
from wherefrom.core.durations import duration
from wherefrom.core.errors import WherefromError
from wherefrom.core.recipe import Experiment, ModelEntry
from wherefrom.recipes.catalogue import RECIPES, adjust, get_recipe
from wherefrom.runs.kinds import recipe_identity
from wherefrom.runs.run import Run

_MODELS = 4  # of which each is described
_LICENCES = {
    "people": "generated for this run: nobody in it exists, and it may be used freely",
    "facts": "your own files, under whatever terms they have",
    "birthplaces": "the course’s, from Wikipedia (CC BY-SA)",
    "tiny-text": "generated for this run, and may be used freely",
}


def describe_making(run: Run, precision: str = "") -> dict[str, Any]:
    """The last part of the page. Nothing in it depends on when or where the page is made."""
    recipe = run.recipe
    seconds = float(run.status["seconds"])
    command = f"{command_for(recipe)} --out RUN\nwherefrom report RUN"
    fields = (f"{name} = {_spell(value)}" for name, value in _flatten(encode(recipe)))
    facts = [
        ("recipe", f"{recipe.name}: {recipe.summary}"),
        ("seed", str(recipe.seed)),
        *_models(run),
        ("data", _data(run)),
        ("text, SHA-256", _corpus(run).get("sha256", "not kept")),
        *_weights(run),
        ("versions", ", ".join(f"{k} {v}" for k, v in run.folder.read_versions().items())),
    ]
    if precision:
        facts.append(("in this page", precision))
    return {
        "sentence": f"The run took {duration(seconds)}. The command below gives the same figures "
        "on the same kind of machine; the seed decides everything that is random.",
        "command": command,
        "facts": facts,
        "recipe": "\n".join(fields),
    }


def command_for(recipe: Experiment) -> str:
    """The shortest `wherefrom run` that gives this recipe."""
    parts = ["wherefrom", "run", recipe.name]
    if recipe.seed:
        parts += ["--seed", str(recipe.seed)]
    if recipe.name not in RECIPES:
        return " ".join(parts)
    usual, own = (dict(_flatten(encode(each))) for each in (get_recipe(recipe.name), recipe))
    ignored = ("seed", "threads", "device")
    changed = {k: v for k, v in own.items() if usual.get(k) != v and k not in ignored}
    settings = [f"{name}={_setting(value)}" for name, value in changed.items()]
    try:
        made = adjust(get_recipe(recipe.name), settings=[*settings, f"seed={recipe.seed}"])
        same = recipe_identity(made) == recipe_identity(recipe)
    except WherefromError:
        same = False
    if not same:  # a plan changed more than settings can say; run.json has it all
        return " ".join(parts)
    for setting in settings:
        parts += ["--set", quote(setting)]
    return " ".join(parts)


def _models(run: Run) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for model in _shown(run):
        try:
            cost = run.cost(model.name)
        except WherefromError:
            continue
        parameters = cost["parameters"]
        size = f"{parameters:,} parameters, " if parameters else ""
        found.append(
            (model.name.replace("_", " "), f"{size}trained in {duration(cost['seconds'])}")
        )
    return found


def _shown(run: Run) -> list[ModelEntry]:
    """Every model, or the primary one alone where there are many."""
    models = list(run.recipe.models)
    few = len(models) <= _MODELS
    return models if few else [m for m in models if m.name == run.recipe.primary]


def _weights(run: Run) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for model in _shown(run):
        if run.folder.has_model(model.name):
            _, manifest = run.folder.read_folder(f"models/{model.name}")
            digest = manifest["files"]["weights.safetensors"]["sha256"]
            found.append((f"{model.name.replace('_', ' ')}, SHA-256", digest))
    return found


def _corpus(run: Run) -> Mapping[str, Any]:
    return run.folder.read_corpus() if run.folder.has("corpus/corpus.json") else {}


def _data(run: Run) -> str:
    kind = run.recipe.data.kind
    about = _corpus(run)
    counts = f"{about['documents']:,} lines, {about['questions']:,} questions; " if about else ""
    return f"{counts}{_LICENCES.get(kind, kind)}"


def _flatten(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Every field by its dotted name, as `--set` spells it."""
    if isinstance(value, Mapping):
        for key, each in value.items():
            yield from _flatten(each, f"{name}.{key}" if name else str(key))
    else:
        yield name, value


def _spell(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else str(value)


def _setting(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
