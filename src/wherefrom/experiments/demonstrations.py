"""Running demonstrations instead of training: claims computed, checked and drawn into a folder."""

from collections.abc import Mapping
from typing import Any

from wherefrom.core.errors import BadData
from wherefrom.core.figures import to_svg
from wherefrom.core.recipe import Demonstrations
from wherefrom.course.lab.catalogue import DEMONSTRATIONS
from wherefrom.course.lab.page import to_markdown
from wherefrom.runs.folder import RunFolder

PAGE, CLAIMS, FIGURES = "demonstrations.md", "demonstrations.json", "demonstrations"


def demonstrate(recipe: Demonstrations, folder: RunFolder) -> dict[str, Any]:
    """Compute and draw all demonstrations into the folder; returns how many checks held in each."""
    folder.clean_up()
    shown = [build(recipe.seed) for build in DEMONSTRATIONS.values()]
    with folder.together():
        for each in shown:
            folder.write(f"{FIGURES}/{each.name}.svg", [to_svg(each.draw())])
        folder.write_json(CLAIMS, [each.as_json() for each in shown])
        folder.write_text(PAGE, to_markdown(shown, FIGURES))
    return {each.name: each.result() for each in shown}


def require_held(where: str, results: Mapping[str, Mapping[str, Any]]) -> None:
    """Raise BadData, which names the first failure, if a check of the results did not hold."""
    failed = [f"{name}: {text}" for name, row in results.items() for text in row.get("failed", [])]
    if failed:
        count = sum(row["n"] for row in results.values())
        raise BadData(
            f"{where}: expected all {count} checks to hold, found {len(failed)} that "
            f"{'does' if len(failed) == 1 else 'do'} not: {failed[0]}; "
            "demonstrations.json has every number"
        )
