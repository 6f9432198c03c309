"""`wherefrom compare`: runs side by side, and question by question where they had the same."""

from pathlib import Path
from typing import Annotated

import typer

from wherefrom.cli.output import print_json


def compare(
    runs: Annotated[
        list[Path], typer.Argument(metavar="RUN", help="Two finished run folders or more.")
    ],
    as_json: Annotated[
        bool, typer.Option("--json", help="One JSON object on standard output.")
    ] = False,
) -> None:
    """Show runs side by side.

    The primary models are compared with the first run's on the same questions, which says more
    than two intervals do. Runs that were asked other questions stand side by side only. A word
    is not a character: perplexities of the two have rows of their own, bits per character share
    theirs.
    """
    from wherefrom import api
    from wherefrom.core.config import to_json
    from wherefrom.report.tables import draw, pairs_table, printable, runs_table

    found = to_json(api.compare(runs))
    if as_json:
        print_json(found)
        return
    names = _name_columns([run["run"] for run in found["runs"]])
    results = {name: run["results"] for name, run in zip(names, found["runs"], strict=True)}
    draw(runs_table(results, found["runs"]))
    if found["paired"]:
        print()
        draw(pairs_table(found["paired"], found["runs"][0]["run"]))
    for text in found["notes"]:
        print(f"\n{printable(text)}")


def _name_columns(paths: list[str]) -> list[str]:
    """The runs' paths as headings of columns; a run given twice has a number behind it."""
    return [f"{path} ({i + 1})" if paths.count(path) > 1 else path for i, path in enumerate(paths)]
