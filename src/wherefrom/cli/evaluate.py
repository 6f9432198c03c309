"""`wherefrom evaluate`: score the models of a finished run again."""

from wherefrom.cli.options import AsJson, FinishedRun, Processes, Threads, Wait
from wherefrom.cli.output import explain_results, note, print_json


def evaluate(
    run: FinishedRun,
    processes: Processes = None,
    wait: Wait = 300.0,
    threads: Threads = None,
    as_json: AsJson = False,
) -> None:
    """Score a finished run's models again.

    The new scores replace the stored ones.

    Example: wherefrom evaluate people-0
    """
    import wherefrom
    from wherefrom.show.terminal.result_tables import draw, results_table

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
