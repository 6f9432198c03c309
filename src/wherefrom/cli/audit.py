"""`wherefrom audit`: how far a run's answers can be trusted, and where they come from."""

import sys
from typing import Annotated

import typer

from wherefrom.cli.options import FinishedRun, Threads, Together, one_risk
from wherefrom.cli.output import note, print_json


def audit(
    run: FinishedRun,
    risk: Annotated[
        list[float] | None,
        typer.Option(
            metavar="ALPHA",
            min=0.001,
            max=0.999,
            show_default="0.1",
            help="Largest share of wrong answers that the certified threshold may give. Not to be "
            "repeated.",
        ),
    ] = None,
    delta: Annotated[
        float,
        typer.Option(
            metavar="DELTA",
            min=0.001,
            max=0.999,
            help="Largest probability with which this guarantee may fail.",
        ),
    ] = 0.1,
    pairs: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="Train N pairs of models without people's text, to measure what the model "
            "recalled. With fewer than 8 pairs the labels are rough; pairs can be added later.",
        ),
    ] = None,
    budget: Annotated[
        float | None,
        typer.Option(
            metavar="MINUTES",
            min=0.0,
            help="Train such pairs for this long, up to --pairs (default: 8); at least one pair "
            "is trained.",
        ),
    ] = None,
    processes: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=1,
            help="Train N of these models at once, each in a process of its own. Each has "
            "--threads threads (default: the cores divided by N).",
        ),
    ] = 1,
    together: Together = None,
    swap: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="Swap test: give N held-out people another answer in the text, train again, and "
            "count whose answers follow the new text.",
        ),
    ] = None,
    threads: Threads = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the findings as JSON, as in audit.json.")
    ] = False,
) -> None:
    """Measure how far a run's answers can be trusted: confidence, abstention, evidence, source.

    The findings are written to RUN/audit/. Models that an earlier audit retrained are kept and
    used again; the same command continues a retraining that was stopped.
    """
    import wherefrom
    from wherefrom.auditing.audit import Risk
    from wherefrom.runs.layout import find_run
    from wherefrom.show.terminal.audit import audit_table, explain_audit_refusals, explain_source
    from wherefrom.show.terminal.tables import draw, printable

    alpha = one_risk(risk, delta) or Risk().alpha
    found = wherefrom.audit(
        run,
        risk=alpha,
        delta=delta,
        pairs=pairs,
        budget=budget,
        processes=processes,
        together=together,
        swap=swap,
        threads=threads,
        progress=True,
    )
    for line in found.notes:
        note(line)
    if as_json:
        print_json(found)
    else:
        written = wherefrom.to_json(found)
        draw(audit_table(written))
        if lines := [*explain_audit_refusals(written), *explain_source(written)]:
            print("\n" + "\n".join(map(printable, lines)))
        print(f"\n{find_run(run)}/audit: audit.json, answers.jsonl and pictures")
    if found.not_retrained is not None:
        sys.stdout.flush()
        raise found.not_retrained
