"""`wherefrom dispute`: somebody says that an answer is wrong; what can be said to that."""

from pathlib import Path
from typing import Annotated

import typer

from wherefrom.cli.output import note, print_json


def dispute(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A finished run folder.")],
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="As the run was asked.")],
    claim: Annotated[str, typer.Argument(metavar="ANSWER", help="What you say is right.")],
    as_json: Annotated[
        bool, typer.Option("--json", help="One JSON object on standard output.")
    ] = False,
) -> None:
    """Weigh a claimed answer against the model's: the text, the source, and a recommendation."""
    import wherefrom
    from wherefrom.report.replies import describe_dispute

    found = wherefrom.dispute(run, question, claim)
    for line in found.notes:
        note(line)
    if as_json:
        print_json(found)
    else:
        print("\n".join(describe_dispute(found)))
