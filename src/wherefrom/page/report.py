"""A run's report: one HTML file in which the trained model itself answers.

Everything is computed from the run folder. The same run gives the same bytes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wherefrom.core.errors import BadData, UsageError
from wherefrom.core.files import write_bytes
from wherefrom.page.document import render
from wherefrom.page.engine_data import ANSWERS, REVIEWS, find_kind
from wherefrom.page.question_report import describe_questions
from wherefrom.page.review_report import describe_reviews
from wherefrom.page.text_report import describe_text
from wherefrom.runs.run import Run

FILE = "report.html"  # in a run's folder
PRECISIONS = ("auto", "int8", "fp16", "fp32")


@dataclass(frozen=True)
class Report:
    """Where a report was written, how large it is, and what it had to leave out."""

    path: str
    bytes: int
    models: tuple[str, ...]
    notes: tuple[str, ...] = ()


def write_report(runs: Sequence[Run], out: Path | None = None, precision: str = "auto") -> Report:
    """Write the report of the first run, beside which the others are shown."""
    if precision not in PRECISIONS:
        raise UsageError(f"--precision: expected {' or '.join(PRECISIONS[1:])}, found {precision}")
    for run in runs:
        run.require_finished()
    values = describe_run(runs[0], runs[1:], precision)
    page = render("report.html", values)
    path = out or runs[0].path / FILE
    write_bytes(path, page)
    return Report(str(path), len(page), tuple(values["engine_weights"]), tuple(values["notes"]))


def describe_run(run: Run, others: Sequence[Run] = (), precision: str = "auto") -> dict[str, Any]:
    """Everything that the template shows of a run."""
    kind = find_kind(run)
    if kind == ANSWERS:
        return describe_questions(run, others, precision)
    if others:
        raise BadData(
            f"{run.path}: expected a run that answers questions, beside which others can stand, "
            f"found a run of '{run.recipe.name}'; report it alone"
        )
    return describe_reviews(run, precision) if kind == REVIEWS else describe_text(run, precision)
