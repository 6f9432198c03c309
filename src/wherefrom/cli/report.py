"""`wherefrom report`: one HTML file in which a run's model answers, looks and is checked."""

from typing import Annotated

import typer

from wherefrom.cli.options import AsJson, FinishedRun, Threads
from wherefrom.cli.output import note, print_json
from wherefrom.core.environment import keep_imported


def report(
    run: FinishedRun,
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
    as_json: AsJson = False,
) -> None:
    """Write a report that contains the model: one HTML file that works offline.

    The report needs no audit. What only an audit computes is shown if the run has one.

    Example: wherefrom report people-0
    """
    # Not through the API, which imports every room: a reader waits for this.
    from wherefrom.show.page.report_page import write_report

    keep_imported()
    found = write_report(run, out, precision=precision or "auto", threads=threads)
    for line in found.notes:
        note(line)
    if as_json:
        print_json(found)
    else:
        print(f"{found.path}: {found.bytes / 1e6:.1f} MB; open it in a browser")
