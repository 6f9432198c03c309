"""`wherefrom run`: a recipe into a run folder."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wherefrom.cli.output import note, print_json
from wherefrom.core.errors import UsageError

if TYPE_CHECKING:
    from wherefrom.api import Outcome, Recipe


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
    out: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="The run folder.", show_default="runs/RECIPE-SEED"),
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

    if seed is not None and seeds is not None:
        raise UsageError("--seed and --seeds: expected one of them, found both")
    built = api.build_recipe(
        recipe, config=config, settings=settings or [], seed=seed, device=device, threads=threads
    )
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


def _run_seeds(recipe: "Recipe", text: str, out: Path | None, as_json: bool) -> None:
    from wherefrom import api
    from wherefrom.cli.seeds import aggregate, parse_seeds
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
        return
    draw(seeds_table(results))
    print(f"\n{', '.join(runs)}: {duration(seconds)} in all")


def _print(outcome: "Outcome") -> None:
    from wherefrom.report.progress import duration
    from wherefrom.report.tables import draw, results_table

    draw(results_table(outcome.results))
    print(f"\n{outcome.run}: {duration(outcome.seconds)} in all")
