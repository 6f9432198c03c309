"""`wherefrom verify`: whether run folders are as they were written."""

from typing import Annotated

import typer

from wherefrom.cli.options import AsJson, complete_run
from wherefrom.cli.output import print_json
from wherefrom.core.plurals import counted

DAMAGED = 76


def verify(
    runs: Annotated[
        list[str],
        typer.Argument(
            metavar="RUN|FOLDER",
            help="Runs, by their folders or names, or folders with runs in them.",
            autocompletion=complete_run,
        ),
    ],
    as_json: AsJson = False,
) -> None:
    """Check that every file of a run is as it was written, and that its weights are numbers.

    A fault is one line, and the exit code is then 76. The line says what makes the file again.

    Example: wherefrom verify runs
    """
    from wherefrom.runs.verification import verify as check
    from wherefrom.show.terminal.messages import printable

    found = check(runs)
    if as_json:
        print_json({"sound": all(each.sound for each in found), "runs": found})
    for each in () if as_json else found:
        for fault in each.faults:
            print(printable(str(fault)))
        verdict = "sound" if each.sound else counted(len(each.faults), "fault")
        print(printable(f"{each.run}: {verdict}, {counted(each.files, 'file')} compared"))
    if not all(each.sound for each in found):
        raise typer.Exit(DAMAGED)
