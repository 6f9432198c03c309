"""`wherefrom list`: the recipes, and the runs in `runs/`."""

from collections.abc import Sequence
from typing import Annotated

import typer

from wherefrom.cli.options import AsJson
from wherefrom.cli.output import print_json


def list_(
    recipe: Annotated[
        str | None,
        typer.Argument(
            metavar="RECIPE", help="Print this recipe as TOML, to change and give to run --config."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the recipes, and the runs in the folder `runs`.

    Example: wherefrom list people
    """
    from wherefrom import api
    from wherefrom.core.config import encode, to_json, to_toml
    from wherefrom.show.terminal.messages import printable

    if recipe is not None:
        chosen = api.get_recipe(recipe)
        print_json(encode(chosen)) if as_json else print(to_toml(chosen), end="")
        return
    recipes, runs = api.list_recipes(), api.list_runs()
    if as_json:
        print_json({"recipes": to_json(recipes), "runs": to_json(runs)})
        return
    print("recipes")
    _print_rows([(entry.name, entry.summary) for entry in recipes])
    if runs:
        print("\nruns")
        _print_rows([(printable(r.run), printable(r.recipe), r.state) for r in runs])


def _print_rows(rows: Sequence[tuple[str, ...]]) -> None:
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        cells = (f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True))
        print(f"  {'  '.join(cells)}".rstrip())
