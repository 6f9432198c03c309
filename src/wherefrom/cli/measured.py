"""`wherefrom measured`: the runs of `facts` that were measured."""

from typing import Annotated

import typer

from wherefrom.cli.output import print_json


def measured(
    add: Annotated[
        list[str] | None,
        typer.Option(
            metavar="RUN",
            help="Remember what this finished run of 'facts' reached; may be repeated.",
        ),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the result as one JSON object.")
    ] = False,
) -> None:
    """List the runs on which the plan of a new run of 'facts' rests, or add some."""
    import wherefrom
    from wherefrom.show.terminal.tables import draw, measured_table

    runs = wherefrom.measured(add or ())
    print_json({"runs": wherefrom.to_json(runs)}) if as_json else draw(measured_table(runs))
