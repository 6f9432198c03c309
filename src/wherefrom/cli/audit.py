"""`wherefrom audit`: how far a run's answers can be trusted, and where they come from."""

import sys
from typing import Annotated

import typer

from wherefrom.cli.options import (
    AsJson,
    Delta,
    FinishedRun,
    Processes,
    Risk,
    Threads,
    Together,
    one_risk,
)
from wherefrom.cli.output import note, print_json
from wherefrom.core.sample_size import ALPHA, DELTA


def audit(
    run: FinishedRun,
    risk: Risk = None,
    delta: Delta = None,
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
    processes: Processes = None,
    together: Together = None,
    threads: Threads = None,
    as_json: AsJson = False,
) -> None:
    """Measure how far a run's answers can be trusted: confidence, abstention, evidence, source.

    The findings are written to RUN/audit/, and --json prints audit.json. The risk bound is for
    --risk 0.1, unless another is given. Models that an earlier
    audit retrained are kept and used again; the same command continues a retraining that was
    stopped. Of several --processes each trains a model, with --threads threads (default: the cores
    divided by their number).

    Example: wherefrom audit people-0 --pairs 8
    """
    import wherefrom
    from wherefrom.runs.layout import find_run
    from wherefrom.show.terminal.audit_text import (
        audit_table,
        explain_audit_abstention,
        explain_source,
    )
    from wherefrom.show.terminal.messages import printable
    from wherefrom.show.terminal.result_tables import draw

    found = wherefrom.audit(
        run,
        risk=one_risk(risk, delta) or ALPHA,
        delta=DELTA if delta is None else delta,
        pairs=pairs,
        budget=budget,
        processes=1 if processes is None else processes,
        together=together,
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
        if lines := [*explain_audit_abstention(written), *explain_source(written)]:
            print("\n" + "\n".join(map(printable, lines)))
        print(f"\n{find_run(run)}/audit: audit.json, answers.jsonl and pictures")
    if found.not_retrained is not None:
        sys.stdout.flush()
        raise found.not_retrained
