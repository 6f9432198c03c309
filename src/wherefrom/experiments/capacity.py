"""Running a study of capacity: every run into its own folder below the study's, then the findings.

Runs that are finished are only read, so the same command goes on where one was stopped.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from time import monotonic
from typing import Any

import torch

from wherefrom.core.artifact import lock_folder
from wherefrom.core.config import from_json, to_json
from wherefrom.core.errors import MissingInput, UsageError
from wherefrom.core.recipe import Capacity
from wherefrom.experiments.capacity_findings import CapacityFindings, RunFinding, find_run
from wherefrom.experiments.capacity_page import draw_study, write_page
from wherefrom.experiments.execute import Outcome, evaluate_run, find_stored
from wherefrom.experiments.seeds import Prepared, train_at_once
from wherefrom.experiments.study import FIGURES, FINDINGS, PAGE
from wherefrom.experiments.together import RunRequest, Tell, Watch, execute_all
from wherefrom.recipes.capacity import PlannedRun, plan_runs
from wherefrom.runs.folder import RunFolder
from wherefrom.runs.threads import count_cores
from wherefrom.runs.workshop import choose_device
from wherefrom.show.drawing.figures import to_svg

RUNS, FIGURE = "runs", f"{FIGURES}/capacity.svg"


def run_capacity(
    study: Capacity,
    path: Path,
    *,
    together: int | None = None,
    processes: int = 1,
    watch: Watch | None = None,
    tell: Tell = lambda _: None,
) -> Outcome:
    """Train every model of a study, or those that are missing, and write what was found.

    Several `processes` train as many models at once; up to `together` models of one shape are
    trained as one, by default as many as fit on a GPU.
    """
    folder = RunFolder(path)
    if outcome := find_stored(folder, study):
        return outcome
    planned = list(plan_runs(study))
    folder.create()
    with lock_folder(path):
        if outcome := find_stored(folder, study):  # another process has finished it meanwhile
            return outcome
        return _Study(folder, study, planned).run(together, processes, watch, tell)


def count_at_once(study: Capacity, together: int | None = None) -> int:
    """How many models are trained at once if nobody says it: on a CPU one for each core, since
    models so small gain little from a second thread."""
    if choose_device(study.device).type != "cpu" or study.threads or (together or 1) > 1:
        return 1
    return count_cores()


def evaluate_capacity(folder: RunFolder, study: Capacity, processes: int | None = None) -> Outcome:
    """Score the models of a finished study again, and write what was found."""
    if processes not in (None, 1):
        raise UsageError(
            f"--processes: expected a single run, found the study '{study.name}', whose runs one "
            "process scores; leave it out"
        )
    status = folder.read_status()
    if status["state"] != "finished":
        raise MissingInput(
            f"{folder.path}: expected a finished study, found an unfinished one; "
            f"'wherefrom run {study.name} --out {folder.path}' with its settings continues it"
        )
    made = _Study(folder, study, list(plan_runs(study)))
    with lock_folder(folder.path):
        for run in made.planned:
            evaluate_run(made.place(run))
        before = from_json(CapacityFindings, folder.read_json(FINDINGS), FINDINGS)
        results = made.conclude(before.device, status["seconds"])
    changed = tuple(name for name in results if results[name] != status["results"].get(name))
    return Outcome(study.name, str(folder.path), status["seconds"], results, True, changed)


class _Study:
    def __init__(self, folder: RunFolder, study: Capacity, planned: Sequence[PlannedRun]) -> None:
        self.folder, self.study, self.planned = folder, study, planned

    def place(self, run: PlannedRun) -> Path:
        return self.folder.path / RUNS / run.name

    def run(self, together: int | None, processes: int, watch: Watch | None, tell: Tell) -> Outcome:
        self.folder.clean_up()
        if not self.folder.exists():
            self.folder.write_recipe(self.study)
        before, started = float(self.folder.read_status().get("seconds", 0.0)), monotonic()

        def seconds() -> float:
            return round(before + monotonic() - started, 2)

        try:
            self._train(together, processes, watch, tell)
        finally:
            self.folder.write_status({"state": "unfinished", "seconds": seconds()})
        results = self.conclude(_describe_device(self.study.device), seconds())
        return Outcome(self.study.name, str(self.folder.path), seconds(), results)

    def _train(
        self,
        together: int | None,
        processes: int,
        watch: Watch | None,
        tell: Callable[[str], None],
    ) -> None:
        if processes > 1:
            ready = [Prepared(run.recipe, self.place(run), name=run.name) for run in self.planned]
            train_at_once(ready, processes, tell)
            watch = None
        count = len(self.planned)
        requests = [
            RunRequest(run.recipe, self.place(run), f"{n} of {count}, {run.name}: ")
            for n, run in enumerate(self.planned, 1)
        ]
        execute_all(requests, together, watch, tell)

    def conclude(self, device: str, seconds: float) -> dict[str, Any]:
        """Put the runs' results together; the study is then finished."""
        found = CapacityFindings.of(self.study, self._read_runs(), device, seconds)
        results, folder = found.results(), self.folder
        with folder.together():
            folder.write_json(FINDINGS, to_json(found))
            folder.write(FIGURE, [to_svg(draw_study(found))])
            folder.write_text(PAGE, write_page(found, FIGURE))
            folder.write_status({"state": "finished", "seconds": seconds, "results": results})
        return results

    def _read_runs(self) -> list[RunFinding]:
        return [find_run(run, RunFolder(self.place(run))) for run in self.planned]


def _describe_device(name: str) -> str:
    device = choose_device(name)
    if device.type == "cuda":
        return torch.cuda.get_device_name(device)
    return f"{device.type}, {count_cores()} cores"
