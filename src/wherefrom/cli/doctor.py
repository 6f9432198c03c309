"""`wherefrom doctor`: what may be wrong with a student's own solution of the assignment."""

from typing import Annotated

import typer

from wherefrom.cli.help import ADVANCED
from wherefrom.cli.options import AsJson
from wherefrom.cli.output import print_json
from wherefrom.course.doctor.years import DEFAULT_YEAR, YEARS, describe
from wherefrom.show.terminal.messages import printable

_WORDS = {"ok": "ok", "look": "look", "unknown": "could not tell"}


def doctor(
    folder: Annotated[
        str,
        typer.Argument(
            metavar="FOLDER", help="The submission: the course's files, and what they wrote."
        ),
    ],
    data: Annotated[
        str | None,
        typer.Option(
            metavar="FOLDER",
            help="The course's data; by default the registered data.",
        ),
    ] = None,
    year: Annotated[
        str, typer.Option(metavar="NAME", help=f"The hand-out's year: {', '.join(YEARS)}.")
    ] = DEFAULT_YEAR,
    seconds: Annotated[float, typer.Option(min=1, help="Time limit for each check.")] = 60.0,
    memory_mb: Annotated[
        int, typer.Option(min=64, max=2**20, help="Memory limit for the submission's code.")
    ] = 4096,
    threads: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=1,
            max=1024,
            help="How many CPU threads the checks use.",
            rich_help_panel=ADVANCED,
        ),
    ] = 1,
    trust: Annotated[
        bool, typer.Option("--trust", help="Run the code without isolation: for your own code.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Why is my score 3 %? Check a submission for the usual mistakes, and say where to look.

    The submission's code runs isolated, with limits on time and memory. A package that cannot be
    imported is reported like any other mistake. The hints do not give the solution away.

    Example: wherefrom doctor submission
    """
    from wherefrom.course.doctor import examine_submission

    found = examine_submission(
        folder, data=data, year=year, seconds=seconds, memory_mb=memory_mb, threads=threads,
        trust=trust,
    )  # fmt: skip
    if as_json:
        print_json(found)
        return
    print(describe(found.year), found.isolation, sep="\n")
    width = max(len(row.check) for row in found.checks)
    for row in found.checks:
        text = ". ".join(filter(None, (row.found, row.hint and f"Hint: {row.hint}")))
        print(f"{_WORDS[row.state]:<14}  {row.check:<{width}}  {printable(text)}".rstrip())
