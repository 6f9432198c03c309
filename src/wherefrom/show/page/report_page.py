"""A run's report: one HTML file in which the trained model itself answers.

Everything is computed from the run folder. The same run gives the same bytes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from wherefrom.core.artifact import lock_folder
from wherefrom.core.errors import BadData, UsageError
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


def report_runs(
    runs: Sequence[AnyRun],
    out: str | PathLike[str] | None = None,
    precision: str = "auto",
    threads: int | None = None,
) -> Report:
    """Write the report of the first run, beside which the others are shown.

    Runs are opened to compute with this number of threads (None: the recipe's).
    """
    if not runs:
        raise UsageError("runs: expected at least one, found none")
    check_precision(precision)
    place = None if out is None else Path(out)
    folders = [run.folder if isinstance(run, Run) else RunFolder(run_path(run)) for run in runs]
    _check_places([folder.path.resolve() for folder in folders], place)
    values = _describe(runs, folders, precision, threads)
    page = render("report.html", values)
    path = place or folders[0].path / FILE
    _write(path, page, folders[0])
    return Report(str(path), len(page), tuple(values["engine_weights"]), tuple(values["notes"]))


def _write(path: Path, page: bytes, folder: RunFolder) -> None:
    """In the folder of the run, the report is a file of the run."""
    if path.resolve() != (folder.path / FILE).resolve():
        write_bytes(path, page)
        return
    with lock_folder(folder.path):
        folder.write(FILE, [page])


def _check_places(runs: Sequence[Path], out: Path | None) -> None:
    """Refuse a run that is named twice, and a file that should not be replaced."""
    for path in runs:
        if runs.count(path) > 1:
            raise UsageError(f"{path}: expected each run once, found it twice; leave one out")
    if out is not None:
        _check_out(runs, out)


def _check_out(runs: Sequence[Path], out: Path) -> None:
    if not out.name:
        raise UsageError(f"--out: expected a file such as report.html, found '{out}'")
    where = out.resolve()
    if any(run in where.parents and where != run / FILE for run in runs):
        raise UsageError(
            f"{out}: expected a file outside of the run, or its {FILE}, found a place inside it; "
            "name another file"
        )
    if where.exists() and not (where.is_file() or where.is_dir()):
        raise UsageError(f"{out}: expected a file, found a device or a pipe; name another file")


def _describe(
    runs: Sequence[AnyRun], folders: Sequence[RunFolder], precision: str, threads: int | None
) -> dict[str, Any]:
    """Demonstrations have no models to open, so they are described by their folder."""
    for folder in folders:
        if isinstance(recipe := folder.read_recipe(), Demonstrations):
            if len(folders) == 1:
                return describe_lab(folder, recipe)
            raise BadData(
                f"{folder.path}: expected a run with models, found demonstrations; report them "
                "alone"
            )
    opened = [open_run(run) for run in runs]
    for run in opened:
        use_threads(threads, run.recipe.threads)
        run.require_finished()
    return describe_run(opened[0], opened[1:], precision)


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
