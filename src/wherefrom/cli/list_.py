"""`wherefrom list`: the recipes, and the runs that lie in `runs/`."""

from pathlib import Path
from typing import Annotated, Any

import typer

from wherefrom.cli.output import print_json

RUNS = Path("runs")


def list_(
    recipe: Annotated[
        str | None,
        typer.Argument(
            metavar="RECIPE", help="Print this recipe as TOML, to be given to --config."
        ),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="One JSON object on standard output.")
    ] = False,
) -> None:
    """List the recipes, and the runs in the folder `runs`."""
    from wherefrom.core.config import encode, to_toml
    from wherefrom.recipes.catalogue import RECIPES, get_recipe
    from wherefrom.report.tables import printable

    if recipe is not None:
        chosen = get_recipe(recipe)
        print_json(encode(chosen)) if as_json else print(to_toml(chosen), end="")
        return
    recipes = {name: get_recipe(name).summary for name in RECIPES}
    runs = [_describe(path.parent) for path in sorted(_run_files())]
    if as_json:
        named = [{"name": name, "summary": text} for name, text in recipes.items()]
        print_json({"recipes": named, "runs": runs})
        return
    print("recipes")
    _print_rows(list(recipes.items()))
    if runs:
        print("\nruns")
        _print_rows([(printable(r["run"]), printable(r["recipe"]), r["state"]) for r in runs])


def _run_files() -> list[Path]:
    """Run folders in `runs`, and those of several seeds one level below."""
    return [*RUNS.glob("*/run.json"), *RUNS.glob("*/seed-*/run.json")]


def _describe(path: Path) -> dict[str, Any]:
    """What a run folder says of itself; one that cannot be read is listed as that."""
    from wherefrom.core.errors import WherefromError
    from wherefrom.runs.folder import RunFolder

    folder = RunFolder(path)
    try:
        recipe, status = folder.read_recipe(), folder.read_status()
    except WherefromError:
        return {"run": str(path), "recipe": "", "seed": None, "state": "cannot be read"}
    state = "finished" if status["state"] == "finished" else "unfinished"
    return {"run": str(path), "recipe": recipe.name, "seed": recipe.seed, "state": state}


def _print_rows(rows: list[tuple[str, ...]]) -> None:
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        cells = (f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True))
        print(f"  {'  '.join(cells)}".rstrip())
