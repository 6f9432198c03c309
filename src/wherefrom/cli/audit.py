"""`wherefrom audit`: what a run's answers are worth, and where they come from."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from wherefrom.cli.output import note, print_json


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
    from wherefrom.core.config import to_json
    from wherefrom.experiments.retraining import (
        find_retrained,
        retrain_pairs,
        run_swap,
        why_not_retrainable,
    )
    from wherefrom.report.audit import audit_table
    from wherefrom.report.progress import watch
    from wherefrom.report.tables import draw
    from wherefrom.runs.run import open_run
    from wherefrom.runs.workshop import use_threads

    opened = open_run(run)
    open_witness(opened)
    find_judged(opened)  # nothing is trained for a run that cannot be judged
    use_threads(opened.recipe.threads)
    stale = None if budget is None and swap is None else why_not_retrainable(opened)
    if budget is not None and not stale:
        retrain_pairs(opened, budget, watch)
    swapped = None
    if swap is not None and not stale:
        swapped = to_json(run_swap(opened, swap, watch, note))
    with lock_folder(opened.path):
        findings = audit_run(opened, Risk(risk, delta), find_retrained(opened), swapped, note)
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
