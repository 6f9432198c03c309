"""`wherefrom audit`: what a run's answers are worth, and where they come from."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wherefrom.cli.output import note, print_json

if TYPE_CHECKING:
    from wherefrom.core.errors import WherefromError
    from wherefrom.runs.run import Run

PAIRS = 8  # of retrained models at most, whatever the budget


def audit(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A finished run folder.")],
    risk: Annotated[
        float, typer.Option(metavar="ALPHA", min=0.001, max=0.999, help="Wrong answers allowed.")
    ] = 0.1,
    delta: Annotated[
        float, typer.Option(metavar="DELTA", min=0.001, max=0.999, help="Chance the bound fails.")
    ] = 0.1,
    budget: Annotated[
        float | None,
        typer.Option(
            metavar="MINUTES", min=0.0,
            help="Retrain without people's text to measure recall; at least one pair of models.",
        ),
    ] = None,
    swap: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Give N held-out people another answer, retrain."),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="The findings on standard output, as in audit.json.")
    ] = False,
) -> None:  # fmt: skip
    """Say how far a run's answers can be trusted: evidence, source, confidence, and doubt.

    The findings go into RUN/audit/. Models that were retrained for an earlier audit are kept
    and used again; a retraining that was stopped goes on.
    """
    from wherefrom.auditing.audit import Risk, audit_run, find_judged
    from wherefrom.auditing.inspector import open_witness
    from wherefrom.core.artifact import lock_folder
    from wherefrom.experiments.retraining import retrained, train_pairs
    from wherefrom.report.audit import audit_table
    from wherefrom.report.progress import watch
    from wherefrom.report.tables import draw
    from wherefrom.runs.run import open_run
    from wherefrom.runs.workshop import use_threads

    opened = open_run(run)
    open_witness(opened)
    find_judged(opened)  # nothing is trained for a run that cannot be judged
    use_threads(opened.recipe.threads)
    stale = None if budget is None and swap is None else _cannot_train(opened)
    if budget is not None and not stale:
        train_pairs(opened, PAIRS, 60 * budget, watch)
    swapped = None if swap is None or stale else _swap(opened, swap)
    with lock_folder(opened.path):
        findings = audit_run(opened, Risk(risk, delta), retrained(opened), swapped, note)
    for line in findings["notes"]:
        note(line)
    if as_json:
        print_json(findings)
    else:
        draw(audit_table(findings))
        print(f"\n{run / 'audit'}: audit.json, answers.jsonl and pictures")
    if stale:
        sys.stdout.flush()
        raise stale


def _cannot_train(run: "Run") -> "WherefromError | None":
    """What keeps a model from being trained again that could be compared with the run's."""
    from wherefrom.core.errors import WherefromError

    try:
        run.read_source()
    except WherefromError as error:
        return type(error)(f"nothing was trained again: {error}")
    return None


def _swap(run: "Run", count: int) -> dict[str, Any]:
    from wherefrom.core.errors import BadData
    from wherefrom.data.edited import find_swappable
    from wherefrom.experiments.retraining import swapped, train_again, unchanged
    from wherefrom.memorisation.swap import report_swap
    from wherefrom.report.progress import watch

    people = len(find_swappable(run.dataset))
    if not people:
        raise BadData(
            f"{run.path}: expected held-out people whose own text states the answer, found none; "
            "leave --swap out"
        )
    if count > people:
        note(f"swap: {people} held-out people have their answer in the text; all are swapped")
        count = people
    changed = train_again(run, swapped(run.recipe, count), f"swapped-{count}", watch)
    same = train_again(run, unchanged(run.recipe), "unchanged", watch)
    return report_swap(run, changed, same)
