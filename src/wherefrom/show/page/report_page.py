"""A run's report: one HTML file in which the trained model itself answers.

Everything is computed from the run folder. The same run gives the same bytes.
"""

from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from wherefrom.core.artifact import lock_folder
from wherefrom.core.errors import UsageError
from wherefrom.core.files import write_bytes
from wherefrom.core.recipe import Demonstrations
from wherefrom.experiments.resources import use_threads
from wherefrom.runs.folder import RunFolder
from wherefrom.runs.layout import REPORT as FILE
from wherefrom.runs.opened_run import AnyRun, Run, open_run, run_path
from wherefrom.show.page.document import render
from wherefrom.show.page.engine_data import ANSWERS, REVIEWS, find_kind
from wherefrom.show.page.lab_report import describe_lab
from wherefrom.show.page.packed_weights import check_precision
from wherefrom.show.page.question_report import describe_questions
from wherefrom.show.page.review_report import describe_reviews
from wherefrom.show.page.text_report import describe_text


@dataclass(frozen=True)
class Report:
    """Where a report was written, how large it is, and what it had to leave out."""

    path: str
    bytes: int
    models: tuple[str, ...]
    notes: tuple[str, ...] = ()


def write_report(
    run: AnyRun,
    out: str | PathLike[str] | None = None,
    *,
    precision: str = "auto",
    threads: int | None = None,
) -> Report:
    """Write a run's report, one HTML file in which its model answers (default: RUN/report.html).

    `precision` says how the page keeps the weights: int8, int12, fp16 or fp32; by default fp16, or
    fewer bits where the page would be too large. The page shows an audit's findings if there is an
    audit, and needs none. With `threads` it computes with as many (None: the recipe's number).
    """
    check_precision(precision)
    folder = run.folder if isinstance(run, Run) else RunFolder(run_path(run))
    path = folder.path / FILE if out is None else Path(out)
    own = path.resolve() == (folder.path / FILE).resolve()
    if not own:
        _check_out(folder.path.resolve(), path)
    recipe = folder.read_recipe()
    if isinstance(recipe, Demonstrations):  # they have no models to open
        values = describe_lab(folder, recipe)
    else:
        opened = open_run(run)
        use_threads(threads, opened.recipe.threads)
        opened.require_finished()
        values = describe_run(opened, precision)
    page = render("report.html", values)
    if own:  # a file of the run
        with lock_folder(folder.path):
            folder.write(FILE, [page])
    else:
        write_bytes(path, page)
    return Report(str(path), len(page), tuple(values["engine_weights"]), tuple(values["notes"]))


def _check_out(run: Path, out: Path) -> None:
    """Refuse to replace what should not be replaced."""
    if not out.name:
        raise UsageError(f"--out: expected a file such as report.html, found '{out}'")
    where = out.resolve()
    if run in where.parents:
        raise UsageError(
            f"{out}: expected a file outside of the run, or its {FILE}, found a place inside it; "
            "name another file"
        )
    if where.exists() and not (where.is_file() or where.is_dir()):
        raise UsageError(f"{out}: expected a file, found a device or a pipe; name another file")


def describe_run(run: Run, precision: str = "auto") -> dict[str, Any]:
    """Everything that the template shows of a run."""
    kind = find_kind(run)
    if kind == ANSWERS:
        return describe_questions(run, precision)
    return describe_reviews(run, precision) if kind == REVIEWS else describe_text(run, precision)
