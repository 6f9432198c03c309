"""`wherefrom run`: a recipe into a run folder."""

import os
from contextlib import suppress
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wherefrom.cli.output import note, print_json
from wherefrom.core.errors import MissingInput, UsageError

if TYPE_CHECKING:
    from wherefrom.api import Outcome
    from wherefrom.core.recipe import Experiment

# Options that stand for a setting, and whether they name a file or a folder.
OPTIONS = {
    "--data": ("data.folder", True),
    "--corpus": ("data.corpus", True),
    "--questions": ("data.questions", True),
    "--held-out": ("data.held_out", True),
    "--calibration": ("data.calibration", True),
    "--variant": ("model.attention", False),
}
VARIANTS = {"vanilla": "causal"}  # what the course calls otherwise than a model's config


def run(
    recipe: Annotated[
        str | None,
        typer.Argument(
            metavar="RECIPE", help="A name of 'wherefrom list'.", show_default="people"
        ),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="FIELD=VALUE",
            help="Change a field, such as stages.pretrain.steps=100; may be repeated.",
        ),
    ] = None,
    config: Annotated[
        str | None,
        typer.Option(metavar="FILE.toml", help="Fields to change; --set goes over them."),
    ] = None,
    data: Annotated[
        str | None,
        typer.Option(metavar="FOLDER|NAME", help="Where the recipe's files are; or fetched data."),
    ] = None,
    corpus: Annotated[
        str | None, typer.Option(metavar="FILE.txt", help="Your own text, one document a line.")
    ] = None,
    questions: Annotated[
        str | None, typer.Option(metavar="FILE.tsv", help="Your own question<TAB>answer lines.")
    ] = None,
    held_out: Annotated[
        str | None, typer.Option(metavar="FILE.tsv", help="Questions to report on; else a share.")
    ] = None,
    calibration: Annotated[
        str | None, typer.Option(metavar="FILE.tsv", help="Questions for the threshold; the same.")
    ] = None,
    variant: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="The model's attention: vanilla (or causal), synthesizer, perceiver, rope.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER", help="The run folder.", show_default="runs/RECIPE[-VARIANT]-SEED"
        ),
    ] = None,
    seed: Annotated[int | None, typer.Option(metavar="N", help="The seed.")] = None,
    seeds: Annotated[
        str | None,
        typer.Option(metavar="0-4", help="Several runs, 0-4 or 0,2,5, and their mean."),
    ] = None,
    device: Annotated[
        str | None, typer.Option(metavar="auto|cpu|cuda|mps", help="Where to train.")
    ] = None,
    threads: Annotated[
        int | None, typer.Option(metavar="N", help="CPU threads; 0: one a core.")
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="One JSON object on standard output.")
    ] = False,
) -> None:  # fmt: skip
    """Run a recipe and print its results.

    The same command continues a run that was stopped, and prints the results of one that is
    finished.
    """
    from wherefrom import api
    from wherefrom.experiments.demonstrations import require_held

    if seed is not None and seeds is not None:
        raise UsageError("--seed and --seeds: expected one of them, found both")
    variant = VARIANTS.get(variant or "", variant)
    given = (data, corpus, questions, held_out, calibration, variant)
    options = {o: value for o, value in zip(OPTIONS, given, strict=True) if value is not None}
    if options:
        before = api.build_recipe(recipe, config=config)
        settings = [*_as_settings(options, before), *(settings or [])]
    built = api.build_recipe(
        recipe, config=config, settings=settings or [], seed=seed, device=device, threads=threads
    )
    _introduce(built)
    if seeds is not None:
        _run_seeds(built, seeds, out, as_json)
        return
    outcome = api.run(built, out=out, progress=True)
    if outcome.reused:
        note(f"{outcome.run} is finished; these are its results")
    if as_json:
        print_json(outcome.as_json())
    else:
        _print(outcome)
    require_held(outcome.run, outcome.results)


def _as_settings(options: dict[str, str], recipe: "Experiment") -> list[str]:
    """FIELD=VALUE for each option; paths are made absolute, so that a run can be opened anywhere.

    An option for a field that the recipe has not, or has for a number, is an error which says
    what there is instead.
    """
    settings: list[str] = []
    for option, value in options.items():
        field, is_path = OPTIONS[option]
        part, name = field.split(".")
        held: Any = getattr(recipe, part, None)
        if held is None:
            raise UsageError(
                f"{option}: expected a recipe that trains on data, found '{recipe.name}', "
                "which trains nothing"
            )
        if not isinstance(getattr(held, name, None), str):
            known = ", ".join(f.name for f in fields(held))
            raise UsageError(
                f"{option}: expected a recipe that has {'a path' if is_path else 'a name'} in "
                f"{field}, found '{recipe.name}', whose {part} '{held.kind}' has {known}"
            )
        settings.append(f"{field}={_locate(value) if is_path else value}")
    return settings


def _locate(value: str) -> str:
    """The absolute path, or the folder of the registered data set if only that has the name."""
    from wherefrom.data.fetching import registry

    known = None if os.path.exists(value) else registry.find(value)
    return os.path.abspath(value) if known is None else str(known)


def _introduce(recipe: "Experiment") -> None:
    """Say what is in a user's own files, and what could not be matched, before training.

    A finished run needs its files no more; one that does will complain by itself.
    """
    from wherefrom.core.recipe import Demonstrations
    from wherefrom.data.catalogue import SURVEYS

    if isinstance(recipe, Demonstrations):
        return
    if survey := SURVEYS.get(recipe.data.kind):
        with suppress(MissingInput):
            for line in survey(recipe.data, getattr(recipe.model, "max_input", 0)).lines():
                note(line)


def _run_seeds(recipe: "Experiment", text: str, out: Path | None, as_json: bool) -> None:
    from wherefrom import api
    from wherefrom.experiments.demonstrations import require_held
    from wherefrom.experiments.seeds import aggregate, parse_seeds
    from wherefrom.report.progress import duration
    from wherefrom.report.tables import draw, seeds_table

    outcomes: list[Outcome] = []
    for seed in parse_seeds(text):
        place = None if out is None else out / f"seed-{seed}"
        outcomes.append(
            api.run(recipe, out=place, seed=seed, progress=True, label=f"seed {seed}, ")
        )
        if outcomes[-1].reused:
            note(f"seed {seed}, {outcomes[-1].run} is finished")
    seconds = round(sum(outcome.seconds for outcome in outcomes), 2)
    results = aggregate([outcome.results for outcome in outcomes])
    runs = [outcome.run for outcome in outcomes]
    if as_json:
        print_json({"recipe": recipe.name, "runs": runs, "seconds": seconds, "results": results})
    else:
        draw(seeds_table(results))
        print(f"\n{', '.join(runs)}: {duration(seconds)} in all")
    for outcome in outcomes:
        require_held(outcome.run, outcome.results)


def _print(outcome: "Outcome") -> None:
    from wherefrom.experiments.demonstrations import PAGE
    from wherefrom.experiments.study import PAGE as STUDY
    from wherefrom.report.progress import duration
    from wherefrom.report.tables import draw, results_table

    draw(results_table(outcome.results))
    pages = {
        PAGE: "the claims, their figures, and what is wrong with which statements",
        STUDY: "the settings that were tried, with figures, and errors explained",
    }
    for name, text in pages.items():
        if (page := Path(outcome.run) / name).exists():
            print(f"\n{page}: {text}")
    print(f"\n{outcome.run}: {duration(outcome.seconds)} in all")
