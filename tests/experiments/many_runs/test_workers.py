"""Several trainings at once: the same models, whatever ends a worker or this process."""

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec import structs

from tests.experiments.many_runs.copies import copy_run
from wherefrom.core.errors import Interrupted, UsageError
from wherefrom.core.files import file_hash
from wherefrom.experiments.many_runs import workers
from wherefrom.experiments.many_runs.retraining import find_retrained, retrain_pairs
from wherefrom.experiments.many_runs.seeds import parse_seeds, train_at_once
from wherefrom.experiments.many_runs.stacked_runs import RunRequest
from wherefrom.experiments.many_runs.workers import Job, Workers
from wherefrom.experiments.pool import Ended, Pool
from wherefrom.experiments.recipes.bigram_recipe import bigram_tiny
from wherefrom.experiments.resources import share_threads
from wherefrom.runs.folder import RunFolder
from wherefrom.runs.opened_run import Run


@pytest.fixture
def long_run(tiny_run: Path, tmp_path: Path) -> Run:
    """A run whose retraining takes far longer than any test waits."""
    return copy_run(tiny_run, tmp_path, 100_000)


def weights(run: Run) -> str:
    return file_hash(run.path / "models" / "with_pretraining" / "weights.safetensors")


def wait_for(happened: Callable[[], bool], seconds: float = 600.0) -> None:
    end = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.05)


def checkpoints(run: Run, name: str) -> list[Path]:
    return sorted((run.path / "audit" / "retrained" / name).glob("stages/*/checkpoints/step-*"))


@pytest.mark.nightly
def test_models_are_those_of_one_process_bit_for_bit(tiny_run: Path, tmp_path: Path):
    alone, several = (copy_run(tiny_run, tmp_path / name, 5) for name in ("alone", "several"))
    lines: list[str] = []
    one = retrain_pairs(alone, most=1)
    other = retrain_pairs(several, most=1, processes=2, tell=lines.append)
    assert [r.path.name for r in other] == ["without-0-first", "without-0-second"]
    assert [weights(r) for r in other] == [weights(r) for r in one]
    told = [f"without-0-{half}: training" for half in ("first", "second")]
    assert lines[:2] == [f"{told[0]} (1 at once)", f"{told[1]} (2 at once)"]
    assert sum(": done in " in line for line in lines) == 2
    lines.clear()
    assert len(retrain_pairs(several, most=1, processes=2, tell=lines.append)) == 2
    assert lines == [], "nothing is trained twice"


@pytest.mark.nightly
def test_a_signal_stops_all_with_everything_saved(long_run: Run):
    """As Ctrl-C does: it reaches this process alone, and the workers save."""
    names = ("without-0-first", "without-0-second")
    original = Pool.wait

    def interrupt(self: Pool, seconds: float) -> dict[str, Ended]:
        if all(checkpoints(long_run, name) for name in names):
            os.kill(os.getpid(), signal.SIGINT)
        return original(self, seconds)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Pool, "wait", interrupt)
        with pytest.raises(Interrupted, match="stopped while training without-0-first") as error:
            retrain_pairs(long_run, most=1, processes=2)
    assert error.value.exit_code == 130
    assert multiprocessing.active_children() == []
    for name in names:
        folder = long_run.path / "audit" / "retrained" / name
        assert '"unfinished"' in (folder / "status.json").read_text()
        assert not list(folder.rglob(".tmp-*"))
    assert find_retrained(long_run) == []


@pytest.mark.nightly
def test_a_killed_worker_is_noticed_and_its_model_goes_on(long_run: Run):
    lines: list[str] = []
    original = Pool.wait
    killed: list[int | None] = []

    def kill(self: Pool, seconds: float) -> dict[str, Ended]:
        # The second kill leaves no process.
        if checkpoints(long_run, "without-0-first") and len(killed) < 2:
            process = next(iter(self._busy.values())).process
            killed.append(process.pid)
            process.kill()
            process.join()
        return original(self, seconds)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Pool, "wait", kill)
        with pytest.raises(Interrupted, match=r"was killed \(signal 9\), and no other is left"):
            retrain_pairs(long_run, most=1, processes=2, tell=lines.append)
    assert len(killed) == 2
    (noticed,) = [line for line in lines if "was killed" in line]
    assert noticed.endswith("-first: its process was killed (signal 9); going on with 1 at once")


def test_workers_end_when_their_parent_is_gone(long_run: Run):
    """The parent is killed outright; its workers notice that the pipe is closed."""
    program = (
        "import sys; from wherefrom.experiments.many_runs.retraining import retrain_pairs; "
        "from wherefrom.runs.opened_run import open_run; "
        f"retrain_pairs(open_run({str(long_run.path)!r}), most=1, processes=2)"
    )
    parent = subprocess.Popen([sys.executable, "-c", program], stderr=subprocess.DEVNULL)
    try:
        wait_for(lambda: bool(checkpoints(long_run, "without-0-first")))
    finally:
        parent.kill()
        parent.wait()
    folder = long_run.path / "audit" / "retrained" / "without-0-first"
    pid = int((folder / ".lock").read_text())

    def gone() -> bool:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        # An orphan that has ended may stay a zombie where nobody collects it.
        status = Path(f"/proc/{pid}/stat")
        return status.exists() and status.read_text().rpartition(")")[2].split()[0] == "Z"

    wait_for(gone)
    assert '"unfinished"' in (folder / "status.json").read_text(), "it saved before it ended"


def test_what_a_worker_complains_of_is_raised_here():
    """And a bug there is a bug here."""
    for function, error, said in (
        (int, RuntimeError, "broken: ValueError: invalid literal"),
        (parse_seeds, UsageError, "broken: --seeds: expected numbers"),
    ):
        jobs = [Job("broken", function, ("x",))]
        with pytest.raises(error, match=said):
            Workers(lambda jobs=jobs: jobs.pop() if jobs else None, 2, 1).run()


@pytest.mark.parametrize("done", [0, 3])
def test_progress_counts_what_was_trained_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, done: int
):
    """Of ten runs, `done` are finished: the first line counts them, and all ten."""
    recipe = bigram_tiny()
    ready = [RunRequest(structs.replace(recipe, seed=n), tmp_path / f"{n}") for n in range(10)]
    for seed in ready[:done]:
        RunFolder(seed.path).write_recipe(seed.recipe)
        RunFolder(seed.path).write_status({"state": "finished", "seconds": 1.0, "results": {}})
    lines: list[str] = []

    def run(crew: Workers) -> None:
        job = crew.next_job()
        crew._collect(job, Ended())

    monkeypatch.setattr(workers, "monotonic", lambda: 2.0)
    monkeypatch.setattr(Workers, "run", run)
    train_at_once(ready, 2, lines.append)
    assert lines == [f"seed {done}: done in 2.0 s; {done + 1} of 10 trained"]


def test_cores_are_divided_among_processes():
    assert [share_threads(16, n) for n in (1, 4, 5, 16, 40)] == [16, 4, 3, 1, 1]
