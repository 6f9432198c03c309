"""How a run was made: its recipe, versions and hashes, and the command that makes it again."""

import json
import os
from collections.abc import Iterator, Mapping
from shlex import quote
from typing import Any

from wherefrom.auditing.audit_findings import read_findings
from wherefrom.core.config import encode
from wherefrom.core.durations import duration
from wherefrom.core.errors import WherefromError
from wherefrom.core.plurals import plural
from wherefrom.core.recipe import Experiment, ModelEntry
from wherefrom.experiments.recipes.recipe_catalogue import RECIPES, adjust, get_recipe
from wherefrom.runs.families import recipe_identity
from wherefrom.runs.layout import CORPUS, WEIGHTS
from wherefrom.runs.opened_run import Run

_MODELS = 4  # of which each is described
_OPTIONS = {  # of a user's own files
    "data.corpus": "--corpus",
    "data.questions": "--questions",
    "data.held_out": "--held-out",
    "data.calibration": "--calibration",
}
_LICENCES = {
    "people": "generated for this run: nobody in it exists, and it may be used freely",
    "facts": "your own files, under whatever terms they have",
    "birthplaces": "the course’s, from Wikipedia (CC BY-SA)",
    "tiny-text": "generated for this run, and may be used freely",
    "characters": "a text of your own, under whatever terms it has",
    "treebank": "the Penn Treebank’s sample, under its own terms",
    "reviews": "film reviews: generated for this run, or a hand-out’s, under its own terms",
}


def describe_making(run: Run, precision: str = "") -> dict[str, Any]:
    """The last part of the page. Nothing in it depends on when or where the page is made."""
    recipe = run.recipe
    seconds = float(run.status["seconds"])
    plan = run.folder.read_plan() or {}
    planned = plan if plan.get("minutes") else None  # else the user set the steps
    command = command_for(recipe, planned)
    commands = (f"{command} --out RUN", *_audit_command(run), "wherefrom report RUN")
    same = (
        "The command below plans the steps for its machine anew, so its figures may differ a "
        "little; run.json has the steps of this run."
        if planned
        else "The command below gives the same figures on the same kind of machine; the seed "
        "decides everything that is random."
    )
    fields = (f"{n} = {_spell(_without_folder(n, v))}" for n, v in flatten(encode(recipe)))
    facts = [
        ("recipe", f"{recipe.name}: {recipe.summary}"),
        ("seed", str(recipe.seed)),
        ("data", _data(run)),
        ("text, SHA-256", _corpus(run).get("sha256", "not kept")),
        *_weights(run),
        ("versions", ", ".join(f"{k} {v}" for k, v in run.folder.read_versions().items())),
    ]
    if precision:
        facts.append(("in this page", precision))
    return {
        "sentence": f"The run took {duration(seconds)}. {same}",
        "command": "\n".join(commands),
        "facts": facts,
        "recipe": "\n".join(fields),
    }


def command_for(recipe: Experiment, plan: Mapping[str, Any] | None = None) -> str:
    """The shortest `wherefrom run` that gives this recipe, or the one that was planned so."""
    parts = ["wherefrom", "run", recipe.name]
    if recipe.seed:
        parts += ["--seed", str(recipe.seed)]
    if recipe.threads:  # figures differ in their last digits with the number of threads
        parts += ["--threads", str(recipe.threads)]
    if plan:
        parts += ["--minutes", f"{plan['minutes']:.3g}"]
    for name, value in (_find_asked(recipe, plan) if plan else _find_changes(recipe)).items():
        shown = spell_setting(_without_folder(name, value))
        option = _OPTIONS.get(name) if recipe.name == "facts" else None
        parts += [option, quote(shown)] if option else ["--set", quote(f"{name}={shown}")]
    return " ".join(parts)


def _find_asked(recipe: Experiment, plan: Mapping[str, Any]) -> dict[str, Any]:
    """What the user set before a plan was made, which changes more than settings can say."""
    files = {name: value for name, value in _compare(recipe).items() if name.startswith("data.")}
    return files | {name: json.loads(value) for name, value in plan["changes"].items()}


def _compare(recipe: Experiment) -> dict[str, Any]:
    """Where a recipe differs from the usual one of its name."""
    usual, own = (dict(flatten(encode(each))) for each in (get_recipe(recipe.name), recipe))
    ignored = ("seed", "threads", "device")
    return {k: v for k, v in own.items() if usual.get(k) != v and k not in ignored}


def _find_changes(recipe: Experiment) -> dict[str, Any]:
    """The settings that turn the recipe of this name into this one; none if they cannot."""
    if recipe.name not in RECIPES:
        return {}
    changed = _compare(recipe)
    settings = [f"{name}={spell_setting(value)}" for name, value in changed.items()]
    try:
        made = adjust(get_recipe(recipe.name), settings=[*settings, f"seed={recipe.seed}"])
        return changed if recipe_identity(made) == recipe_identity(recipe) else {}
    except WherefromError:
        return {}


def _audit_command(run: Run) -> tuple[str, ...]:
    """The audit that gives the same findings, if the run has been audited."""
    found = read_findings(run)
    if found is None:
        return ()
    measured = (found.get("source") or {}).get("measured") or {}
    pairs = measured.get("models", 0) // 2
    return (f"wherefrom audit RUN --pairs {pairs}" if pairs else "wherefrom audit RUN",)


def _without_folder(name: str, value: Any) -> Any:
    """A file or folder by its name alone: its place is private."""
    there = name.startswith("data.") and isinstance(value, str) and os.path.isabs(value)
    return os.path.basename(os.path.normpath(value)) if there else value


def _shown(run: Run) -> list[ModelEntry]:
    """Every model, or the primary one alone where there are many."""
    models = list(run.recipe.models)
    few = len(models) <= _MODELS
    return models if few else [m for m in models if m.name == run.recipe.primary]


def _weights(run: Run) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for model in _shown(run):
        weights = f"models/{model.name}/{WEIGHTS}"
        if run.folder.manifest and (entry := run.folder.manifest.files.get(weights)):
            found.append((f"{model.name.replace('_', ' ')}, SHA-256", entry.sha256))
    return found


def _corpus(run: Run) -> Mapping[str, Any]:
    return run.folder.read_json(CORPUS) if run.folder.has(CORPUS) else {}


def _data(run: Run) -> str:
    kind = run.recipe.data.kind
    about = _corpus(run)
    counts = [
        f"{number:,} {plural(word, number)}"
        for word, name in (("document", "documents"), ("question", "questions"))
        if (number := about.get(name, 0))
    ]
    terms = _LICENCES.get(kind) or str(kind)
    return f"{', '.join(counts)}; {terms}" if counts else terms


def flatten(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Every field by its dotted name, as `--set` names it."""
    if isinstance(value, Mapping):
        for key, each in value.items():
            yield from flatten(each, f"{name}.{key}" if name else str(key))
    else:
        yield name, value


def _spell(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else spell_setting(value)


def spell_setting(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
