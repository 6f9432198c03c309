"""`wherefrom verify`: whether run folders are as they were written."""

from pathlib import Path
from typing import Annotated

import typer

from wherefrom.cli.output import note, print_json

DAMAGED = 76


def verify(
    runs: Annotated[
        list[Path],
        typer.Argument(metavar="RUN|FOLDER...", help="Run folders, or folders with runs in them."),
    ],
    repair: Annotated[
        bool,
        typer.Option("--repair", help="Compute again what can be, and seal what has no seal."),
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the result as one JSON object.")
    ] = False,
) -> None:
    """Check that every file of a run is as it was written, and that the files belong together.

    A fault is one line, and the exit code is then 76. Scores must follow from predictions, and
    thresholds from the answers that they were chosen on.
    """
    from wherefrom.auditing.folder_check import verify as check
    from wherefrom.show.terminal.tables import printable

    found = check(runs, repair=repair)
    if as_json:
        print_json({"sound": all(each.sound for each in found), "runs": found})
    for each in () if as_json else found:
        for line in each.repaired:
            note(f"{each.run}: {line}")
        for fault in each.faults:
            print(printable(str(fault)))
        seal = ", not sealed: an earlier version made it"
        seal = seal if each.sound and not each.sealed else ""
        count = "1 fault" if len(each.faults) == 1 else f"{len(each.faults)} faults"
        verdict = "sound" if each.sound else count
        print(printable(f"{each.run}: {verdict}, {each.files} files compared{seal}"))
    if not all(each.sound for each in found):
        raise typer.Exit(DAMAGED)
