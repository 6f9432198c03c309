"""The report of the attention lab: its claims and figures, and two heads to play with."""

import base64
from collections.abc import Mapping, Sequence
from statistics import NormalDist
from typing import Any

from markupsafe import Markup

from wherefrom.core.errors import MissingInput
from wherefrom.core.recipe import Demonstrations
from wherefrom.runs.folder import RunFolder
from wherefrom.show.page.making import command_for
from wherefrom.show.page.page_layout import lay_out_folder

CLAIMS, FIGURES = "demonstrations.json", "demonstrations"  # in the folder; FIGURES: NAME.svg
ITEMS = 10  # as in course/lab/key_noise.py
_DRAWS = 60  # lengths of a key that the page shows


def describe_lab(folder: RunFolder, recipe: Demonstrations) -> dict[str, Any]:
    """The values of the template, for demonstrations."""
    status = folder.read_status()
    if status["state"] != "finished":
        raise MissingInput(
            f"{folder.path}: this run is not finished; run the same command again to finish it"
        )
    claims: Any = folder.read_json(CLAIMS)
    checks = sum(row["n"] for row in status["results"].values())
    held = sum(row["held"] for row in status["results"].values())
    wrong = sum(len(claim["wrong_statements"]) for claim in claims)
    written = folder.read_versions()
    return lay_out_folder(
        recipe.name,
        recipe.seed,
        "lab.html",
        title="What attention can do",
        sentences=[
            Markup(
                "<strong>{} claims about attention</strong> are computed here rather than argued: "
                "{:,} of {:,} checks hold."
            ).format(len(claims), held, checks),
            Markup(
                "<strong>{} statements</strong> that sound right are wrong, each refuted by "
                "numbers."
            ).format(wrong),
        ],
        claims=[_claim(folder, claim) for claim in claims],
        made={
            "sentence": "Nothing is trained: everything is computed in numpy, in seconds.",
            "command": f"{command_for(recipe)} --out RUN\nwherefrom report RUN",
            "facts": [
                ("recipe", f"{recipe.name}: {recipe.summary}"),
                ("seed", str(recipe.seed)),
                ("versions", ", ".join(f"{k} {v}" for k, v in written.items())),
            ],
            "recipe": f'name = "{recipe.name}"\nseed = {recipe.seed}',
        },
        data={"kind": "lab", "items": ITEMS, "quantiles": _quantiles()},
    )


def _claim(folder: RunFolder, claim: Mapping[str, Any]) -> dict[str, Any]:
    picture = base64.b64encode(folder.read(f"{FIGURES}/{claim['name']}.svg")).decode()
    return {
        "name": claim["name"],
        "title": claim["name"].replace("-", " "),
        "claim": claim["claim"],
        "picture": f"data:image/svg+xml;base64,{picture}",
        "checks": [_check(check) for check in claim["checks"]],
        "wrong": [
            {**wrong, "checks": [_check(check) for check in wrong["checks"]]}
            for wrong in claim["wrong_statements"]
        ],
    }


def _check(check: Mapping[str, Any]) -> dict[str, Any]:
    """A check as a row: what was found, and what it must be near or away from."""
    kind = "not near" if check["apart"] else "near"
    return {
        "label": check["label"],
        "found": _number(check["found"]),
        "expected": f"{kind} {_number(check['expected'])}",
        "holds": check["holds"],
    }


def _number(value: float | None) -> str:
    return "not finite" if value is None else f"{value:.4g}"


def _quantiles() -> Sequence[float]:
    """Lengths as they fall, evenly over a normal distribution: no draw of luck."""
    normal = NormalDist()
    return [round(normal.inv_cdf((i + 0.5) / _DRAWS), 4) for i in range(_DRAWS)]
