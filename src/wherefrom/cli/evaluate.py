"""`wherefrom evaluate`: score the models of a finished run again."""

from typing import Annotated

import typer

from wherefrom.cli.options import AsJson, FinishedRun, Threads, Wait
from wherefrom.cli.output import explain_results, note, print_json


def evaluate(
    run: FinishedRun,
    threads: Threads = None,
    processes: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Divide the questions among N processes on this machine. Under torchrun, leave it "
            "out.",
            show_default="1",
        ),
    ] = None,
    wait: Wait = 300.0,
    as_json: AsJson = False,
) -> None:
    """Score a finished run's models again, or compute its demonstrations again.

    The new scores replace the stored ones.
    """
    import wherefrom
    from wherefrom.show.terminal.tables import draw, results_table

    outcome = wherefrom.evaluate(run, threads=threads, processes=processes, wait=wait)
    if outcome.changed:
        names = ", ".join(outcome.changed)
        note(f"{outcome.run}: these scores differ from the stored ones and replace them: {names}")
    if as_json:
        print_json(outcome)
    else:
        draw(results_table(outcome.results))
        explain_results(outcome.results)
    outcome.require_checks()
