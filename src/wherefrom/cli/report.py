"""`wherefrom report`: one HTML file in which a run's model answers, looks and is checked."""

from typing import Annotated

import typer

from wherefrom.cli.options import Threads
from wherefrom.cli.output import note, print_json
from wherefrom.core.environment import keep_imported


def report(
    runs: Annotated[
        list[str],
        typer.Argument(
            metavar="RUN [RUN ...]",
            help="A finished run folder; further ones are shown beside the first.",
        ),
    ],
    out: Annotated[
        str | None,
        typer.Option(
            metavar="FILE.html", help="The file to write.", show_default="RUN/report.html"
        ),
    ] = None,
    precision: Annotated[
        str | None,
        typer.Option(
            metavar="int8|int12|fp16|fp32",
            help="How the page keeps the models' weights: fp32 gives the logits of the run itself, "
            "int8 the smallest file.",
            show_default="fp16, or fewer bits for a large model",
        ),
    ] = None,
    threads: Threads = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print what was written as one JSON object.")
    ] = False,
) -> None:
    """Write a report that contains the model: one HTML file that works offline.

    It needs no audit. What only an audit computes is shown if the run has one.
    """
    # Not through the API, which imports every room: a reader waits for this.
    from wherefrom.show.page.report import report_runs

    keep_imported()
    found = report_runs(runs, out, precision or "auto", threads)
    for line in found.notes:
        note(line)
    if as_json:
        print_json(found)
    else:
        print(f"{found.path}: {found.bytes / 1e6:.1f} MB; open it in a browser")
