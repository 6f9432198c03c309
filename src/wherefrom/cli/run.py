"""`wherefrom run`: run a recipe and write everything into a run folder."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wherefrom.cli.options import (
    AsJson,
    Calibration,
    Documents,
    HeldOut,
    Processes,
    Questions,
    Table,
    Threads,
    Together,
    Wait,
)
from wherefrom.cli.output import explain_results, note, print_json
from wherefrom.core.errors import UsageError

if TYPE_CHECKING:
    from wherefrom.api import Outcome, SeedsOutcome
    from wherefrom.experiments.recipes.recipe_catalogue import RecipeOptions

REPORTED = ("people", "facts")  # recipes whose run ends with a report


def run(
    recipe: Annotated[
        str | None,
        typer.Argument(
            metavar="RECIPE",
            help="The recipe's name; 'wherefrom list' shows the names.",
            show_default="people",
        ),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="FIELD=VALUE",
            help="Change a field of the recipe, such as stages.pretrain.steps=100; may be "
            "repeated.",
        ),
    ] = None,
    config: Annotated[
        str | None,
        typer.Option(metavar="FILE.toml", help="A file with fields to change; --set overrides it."),
    ] = None,
    data: Annotated[
        str | None,
        typer.Option(
            metavar="FOLDER|NAME",
            help="The folder with the recipe's files, or the name of fetched data.",
        ),
    ] = None,
    corpus: Annotated[
        str | None,
        typer.Option(
            metavar="FILE|FOLDER",
            help="Your own text: one document per line, JSON lines with a field text (.jsonl), a "
            "folder of .txt, .md or .html files, or a table of facts (.csv, .tsv), which needs no "
            "--questions.",
        ),
    ] = None,
    documents: Documents = None,
    table: Table = None,
    questions: Questions = None,
    held_out: HeldOut = None,
    calibration: Calibration = None,
    variant: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="The model's kind of attention: vanilla (or causal), synthesizer, perceiver, "
            "rope.",
        ),
    ] = None,
    notes: Annotated[
        str | None,
        typer.Option(
            metavar="on|off",
            help="Whether 'facts' reads the text first and teaches what the reader noted, or "
            "learns from the text alone.",
            show_default="on",
        ),
    ] = None,
    out: Annotated[
        str | None,
        typer.Option(
            metavar="FOLDER",
            help="The run folder to write.",
            show_default="runs/RECIPE[-VARIANT]-SEED",
        ),
    ] = None,
    minutes: Annotated[
        float | None,
        typer.Option(
            metavar="M",
            help="How long a run of 'facts' may take. Default: until accuracy levels off.",
        ),
    ] = None,
    seed: Annotated[int | None, typer.Option(metavar="N", help="The random seed.")] = None,
    seeds: Annotated[
        str | None,
        typer.Option(
            metavar="0-4",
            help="Run several seeds, such as 0-4 or 0,2,5, and report their mean.",
        ),
    ] = None,
    device: Annotated[
        str | None, typer.Option(metavar="auto|cpu|cuda", help="The device to train on.")
    ] = None,
    report: Annotated[
        bool,
        typer.Option(
            "--report/--no-report",
            help="Write the report at the end ('people' and 'facts'): one HTML file in which the "
            "model answers.",
        ),
    ] = True,
    together: Together = None,
    processes: Processes = None,
    wait: Wait = 300.0,
    threads: Threads = None,
    as_json: AsJson = False,
) -> None:
    """Run a recipe and print its results.

    The same command continues a run that was stopped. If the run is finished, the command only
    prints its results. Several --processes share every step; with --seeds, each trains
    seeds of its own.

    Example: wherefrom run facts --corpus text.txt --questions questions.tsv
    """
    import wherefrom

    if seed is not None and seeds is not None:
        raise UsageError("--seed and --seeds: expected one of them, found both; leave one out")
    options: RecipeOptions = {
        "config": config,
        "settings": settings or [],
        "data": data,
        "corpus": corpus,
        "questions": questions,
        "held_out": held_out,
        "calibration": calibration,
        "documents": documents,
        "table": table,
        "variant": variant,
        "notes": notes,
        "minutes": minutes,
        "seed": seed,
        "device": device,
        "threads": threads,
    }
    if seeds is not None:
        found = wherefrom.run_seeds(
            recipe,
            seeds,
            out=out,
            progress=True,
            processes=processes,
            together=together,
            **options,
        )
        print_json(found) if as_json else _print_seeds(found)
        runs, outcomes = list(found.runs), found.outcomes
    else:
        if together not in (None, 1):
            raise UsageError("--together: expected several models, of --seeds; leave it out")
        found = wherefrom.run(
            recipe, out=out, progress=True, processes=processes, wait=wait, **options
        )
        print_json(found) if as_json else _print(found)
        runs, outcomes = [found.run], (found,)
    reported = all(each.reused for each in outcomes) and _has_report(runs[0])
    if report and not reported and found.recipe in REPORTED:
        _report(runs[0], threads, as_json)
    found.require_checks()


def _has_report(run: str) -> bool:
    """Whether the report is there, whole: one that was lost or damaged is made again."""
    from wherefrom.runs.layout import REPORT
    from wherefrom.runs.store import RunFiles

    return RunFiles(Path(run)).is_sound(REPORT)


def _report(run: str, threads: int | None, as_json: bool) -> None:
    """Write the run's report, and say where it is."""
    import wherefrom

    sys.stdout.flush()
    made = wherefrom.write_report(run, threads=threads)
    for line in made.notes:
        note(line)
    line = f"{made.path}: the report, in which the model answers; open it in a browser"
    note(line) if as_json else print(line)


def _print_seeds(found: "SeedsOutcome") -> None:
    from wherefrom.core.durations import duration
    from wherefrom.show.terminal.result_tables import draw, seeds_table

    draw(seeds_table(found.results))
    explain_results(found.results)
    print(f"\n{', '.join(found.runs)}: {duration(found.seconds)} in all")


def _print(outcome: "Outcome") -> None:
    from wherefrom.core.durations import duration
    from wherefrom.show.page.lab_report import CLAIMS
    from wherefrom.show.terminal.result_tables import draw, results_table

    draw(results_table(outcome.results))
    explain_results(outcome.results)
    if (page := Path(outcome.run) / CLAIMS).exists():
        print(f"\n{page}: the claims with every number; 'wherefrom report' shows them with figures")
    if outcome.advice:
        print(f"\n{outcome.advice}")
    print(f"\n{outcome.run}: {duration(outcome.seconds)} in all")
