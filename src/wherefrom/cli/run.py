"""`wherefrom run`: a recipe into a run folder."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wherefrom.cli.output import print_json
from wherefrom.core.errors import UsageError

if TYPE_CHECKING:
    from wherefrom.api import Outcome, SeedsOutcome
    from wherefrom.recipes.options import RecipeOptions


def run(
    recipe: Annotated[
        str | None,
        typer.Argument(metavar="RECIPE", help="A name of 'wherefrom list'.", show_default="people"),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="FIELD=VALUE",
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
) -> None:
    """Run a recipe and print its results.

    The same command continues a run that was stopped, and prints the results of one that is
    finished.
    """
    import wherefrom

    if seed is not None and seeds is not None:
        raise UsageError("--seed and --seeds: expected one of them, found both")
    options: RecipeOptions = {
        "config": config,
        "settings": settings or [],
        "data": data,
        "corpus": corpus,
        "questions": questions,
        "held_out": held_out,
        "calibration": calibration,
        "variant": variant,
        "seed": seed,
        "device": device,
        "threads": threads,
    }
    if seeds is not None:
        found = wherefrom.run_seeds(recipe, seeds, out=out, progress=True, **options)
        print_json(found) if as_json else _print_seeds(found)
    else:
        found = wherefrom.run(recipe, out=out, progress=True, **options)
        print_json(found) if as_json else _print(found)
    found.require_checks()


def _print_seeds(found: "SeedsOutcome") -> None:
    from wherefrom.report.progress import duration
    from wherefrom.report.tables import draw, seeds_table

    draw(seeds_table(found.results))
    print(f"\n{', '.join(found.runs)}: {duration(found.seconds)} in all")


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
