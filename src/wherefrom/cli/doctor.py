"""`wherefrom doctor`: what may be wrong with someone's own solution of the assignment."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wherefrom.cli.output import print_json
from wherefrom.doctor.years import DEFAULT_YEAR, YEARS, find_year
from wherefrom.report.tables import printable

if TYPE_CHECKING:
    from wherefrom.doctor.findings import Result

_WORDS = {"ok": "ok", "look": "look", "unknown": "could not tell"}
_DATA = "birthplaces"

doctor = typer.Typer(
    help="Find out why a solution scores less than it should.",
    rich_markup_mode=None,
)


@doctor.callback(invoke_without_command=True)
def explain(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        print(context.get_help())


@doctor.command("submission")
def submission(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="The course's files, and what they wrote.")
    ],
    data: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER", help="The course's data; default: beside it, or registered."
        ),
    ] = None,
    year: Annotated[
        str, typer.Option(metavar="NAME", help=f"The hand-out: {', '.join(YEARS)}.")
    ] = DEFAULT_YEAR,
    seconds: Annotated[float, typer.Option(min=1, help="For each check.")] = 60.0,
    memory_mb: Annotated[int, typer.Option(min=64, help="For the submission's code.")] = 4096,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
) -> None:
    """Why is my score 3 %? Checks the usual mistakes, and says where to look.

    The code runs in a process of its own with limits; a code base that cannot even be imported
    is a finding. Solutions are not given away.
    """
    from wherefrom.core.errors import MissingInput
    from wherefrom.doctor.checks import CHECKS, HINTS
    from wherefrom.doctor.sandbox import Limits, examine
    from wherefrom.doctor.submission import check_files, locate

    find_year(year)
    if data is not None and not data.is_dir():
        raise MissingInput(f"{data}: expected a folder with the course's data, found none")
    place = locate(folder)
    check_files(place)
    results = examine(
        "wherefrom.doctor.checks:CHECKS",
        list(CHECKS),
        place,
        data or find_data(place),
        Limits(seconds, memory_mb),
        year=year,
    )
    if as_json:
        checks = [{"check": n} | _as_json(r, HINTS) for n, r in results.items()]
        print_json({"folder": str(place), "checks": checks})
        return
    width = max(map(len, results))
    for name, result in results.items():
        hint = HINTS.get(result.mistake, "")
        text = ". ".join(filter(None, (result.text, hint and f"Hint: {hint}")))
        print(f"{_WORDS[result.state]:<14}  {name:<{width}}  {printable(text)}".rstrip())


def find_data(folder: Path) -> Path | None:
    """The course's data: beside the submission, above it, or what is registered."""
    from wherefrom.data.fetching import registry
    from wherefrom.doctor.predictions import DEV

    near = (folder / "data", folder.parent / "data", registry.find(_DATA))
    return next((path for path in near if path is not None and (path / DEV).is_file()), None)


def _as_json(result: "Result", hints: dict[str, str]) -> dict[str, str]:
    hint = hints.get(result.mistake, "")
    return {"state": result.state, "found": result.text, "mistake": result.mistake, "hint": hint}
