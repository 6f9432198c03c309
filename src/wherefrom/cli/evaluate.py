"""`wherefrom evaluate`: the scores of a finished run, computed again from its models."""

from pathlib import Path
from typing import Annotated

import typer

from wherefrom.cli.output import note, print_json


def evaluate(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A finished run folder.")],
    as_json: Annotated[
        bool, typer.Option("--json", help="One JSON object on standard output.")
    ] = False,
) -> None:
    """Score a finished run's models again, or compute its demonstrations again."""
    from wherefrom.experiments.demonstrations import require_held
    from wherefrom.experiments.execute import evaluate_run
    from wherefrom.report.tables import draw, results_table
    from wherefrom.runs.folder import RunFolder

    before = RunFolder(run).read_status().get("results", {})
    outcome = evaluate_run(run)
    changed = [name for name in before if outcome.results.get(name) != before[name]]
    if changed:
        note(f"{run}: other scores than before: {', '.join(changed)}; the new ones are stored")
    if as_json:
        print_json(outcome.as_json())
    else:
        draw(results_table(outcome.results))
    require_held(outcome.run, outcome.results)
