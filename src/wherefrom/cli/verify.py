"""`wherefrom verify`: whether run folders are as they were written."""

from pathlib import Path
from typing import Annotated

import typer

from wherefrom.cli.output import print_json

DAMAGED = 76


def verify(
    runs: Annotated[
        list[Path],
        typer.Argument(metavar="RUN|FOLDER...", help="Run folders, or folders with runs in them."),
    ],
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the result as one JSON object.")
    ] = False,
) -> None:
    """Check that every file of a run is as it was written, and that its weights are numbers.

    A fault is one line, and the exit code is then 76. The line says what makes the file again.
    """
    from wherefrom.runs.verification import verify as check
    from wherefrom.show.terminal.tables import printable

    found = check(runs)
    if as_json:
        print_json({"sound": all(each.sound for each in found), "runs": found})
    for each in () if as_json else found:
        for fault in each.faults:
            print(printable(str(fault)))
        count = "1 fault" if len(each.faults) == 1 else f"{len(each.faults)} faults"
        verdict = "sound" if each.sound else count
        print(printable(f"{each.run}: {verdict}, {each.files} files compared"))
    if not all(each.sound for each in found):
        raise typer.Exit(DAMAGED)
