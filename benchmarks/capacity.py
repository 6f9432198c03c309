"""docs/CAPACITY.md: its tables and its picture, from the findings that are kept in docs/results.

    wherefrom run capacity --out runs/capacity
    python benchmarks/capacity.py --keep runs/capacity      # small form, or the GPU's, by its arms
    python benchmarks/capacity.py                           # write the page from what is kept

The findings are the study.json of a study, as `wherefrom run` wrote it. Every run can be computed
again by the first command: the draws are counted, so the same recipe gives the same people.
"""

import argparse
import json
from pathlib import Path

from wherefrom.core.config import from_json
from wherefrom.core.errors import BadData
from wherefrom.experiments.capacity_findings import CapacityFindings
from wherefrom.experiments.capacity_page import (
    describe_runs,
    draw_study,
    list_extractions,
    list_fillings,
)
from wherefrom.recipes.capacity import capacity, capacity_gpu
from wherefrom.runs.folder import RunFolder
from wherefrom.show.drawing.figures import to_svg

DOCS = Path(__file__).parents[1] / "docs"
PAGE = DOCS / "CAPACITY.md"
BEGIN, END = "<!-- written by benchmarks/capacity.py -->", "<!-- end of what it writes -->"
FORMS = {
    "small": "the small form, on a CPU (`wherefrom run capacity`)",
    "thousand": "one text of the full form at 32 rows a step, on a CPU (the Python below)",
    "gpu": "the full form, on a GPU (`wherefrom run capacity` there, or `capacity-gpu`)",
}


def kept(form: str, docs: Path) -> Path:
    return docs / "results" / f"capacity-{form}.json"


def keep(run: Path, docs: Path) -> str:
    """Copy the findings of a finished study; its arms say which form it is."""
    data = RunFolder(run).read_json("study.json")
    found = from_json(CapacityFindings, data, str(run / "study.json"))
    arms = {row.arm for row in (*found.fillings, *found.extractions)}
    known = {"small": capacity().arms, "gpu": capacity_gpu().arms}
    known["thousand"] = known["gpu"][:1]
    form = next((f for f, s in known.items() if arms == {arm.name for arm in s}), None)
    if form is None:
        raise BadData(f"{run}: expected the arms of 'capacity' or 'capacity-gpu', found {arms}")
    kept(form, docs).write_text(json.dumps(data, indent=1) + "\n")
    return form


def spell(docs: Path) -> str:
    """The part of the page that is written, and its pictures."""
    lines: list[str] = []
    for form, title in FORMS.items():
        lines += [f"## What was measured: {title}", ""]
        file = kept(form, docs)
        if not file.exists():
            lines += ["This form has not been run yet.", ""]
            continue
        found = from_json(CapacityFindings, json.loads(file.read_text()), str(file))
        picture = f"pictures/capacity-{form}.svg"
        (docs / picture).write_bytes(to_svg(draw_study(found)))
        text = "bits per parameter, share of the text stored, and questions answered"
        lines += [describe_runs(found), "", f"![{text}]({picture})", ""]
        lines += [*list_fillings(found.fillings), ""]
        lines += [*list_extractions(found.extractions), ""]
    return "\n".join(lines)


def write_page(docs: Path) -> None:
    page = docs / PAGE.name
    head, _, rest = page.read_text().partition(BEGIN)
    _, _, tail = rest.partition(END)
    page.write_text(f"{head}{BEGIN}\n\n{spell(docs)}\n{END}{tail}")


def main(arguments: list[str] | None = None) -> None:
    options = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    options.add_argument("--keep", type=Path, metavar="RUN", help="a finished study to be kept")
    options.add_argument("--docs", type=Path, default=DOCS, help=argparse.SUPPRESS)
    given = options.parse_args(arguments)
    if given.keep:
        print(f"kept as the form '{keep(given.keep, given.docs)}'")
    write_page(given.docs)


if __name__ == "__main__":
    main()
