"""Workers that other processes start: through the place where they met, without waiting."""

import threading
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest
import torch
import torch.distributed as distributed

from wherefrom.core.errors import Busy, Interrupted
from wherefrom.experiments import workers
from wherefrom.experiments.tasks import FarHands, serve, worker_environment
from wherefrom.experiments.workers import Job, Workers


class Scripted:
    """A worker that does what its first argument says, and is done when it is polled again."""

    started: list[tuple[str, ...]]

    def __init__(self, arguments: Sequence[str], threads: int, gpu: int | None = None) -> None:
        self.what, self.asked, self.polls = arguments[0], False, 0
        type(self).started.append((*arguments, str(threads), str(gpu)))

    def poll(self) -> int | None:
        self.polls += 1
        if self.what == "endless":
            return 143 if self.asked else None
        return {"good": 0, "busy": 75, "killed": -9}[self.what] if self.polls > 1 else None

    def last_line(self) -> str:
        return "a folder is taken" if self.what == "busy" else "saved"

    def ask_to_end(self) -> None:
        self.asked = True

    def wait(self) -> None:
        assert self.asked

    def close(self) -> None:
        pass


class Crew:
    """A first process and the others, which are threads that serve."""

    def __init__(self, size: int, gpu: bool = False) -> None:
        self.store, self.tasks = distributed.HashStore(), 0
        self.processes: Any = SimpleNamespace(store=self.store, size=size, tell=self.hear)
        self.device = torch.device("cuda" if gpu else "cpu")
        self.threads: list[threading.Thread] = []
        self.stopped: dict[int, bool] = {}

    def hear(self, message: dict[str, Any]) -> None:
        assert message["do"] == "work"
        for rank in range(1, self.processes.size):
            place = SimpleNamespace(local_rank=rank)
            own = SimpleNamespace(store=self.store, rank=rank, place=place, device=self.device)

            def work(own: Any = own, rank: int = rank, first: int = message["first"]) -> None:
                serve(own, first, lambda: self.stopped.get(rank, False), Scripted)

            self.threads.append(threading.Thread(target=work))
            self.threads[-1].start()

    def join(self) -> None:
        for thread in self.threads:
            thread.join(600)
            assert not thread.is_alive()


@pytest.fixture
def crew(monkeypatch: pytest.MonkeyPatch) -> Crew:
    made = Crew(3)
    Scripted.started = []
    monkeypatch.setattr("wherefrom.experiments.tasks.POLL", 0.002)
    monkeypatch.setattr(workers, "POLL", 0.002)
    monkeypatch.setattr(workers, "helping_crew", lambda: made)
    monkeypatch.setattr(workers, "start_here", Scripted)
    return made


def queue(path: Any, *whats: str) -> Any:
    jobs = [Job(f"{what} {i}", (what, str(i)), path, 1) for i, what in enumerate(whats)]
    return lambda: jobs.pop(0) if jobs else None


def test_every_process_takes_the_next_task(crew: Crew, tmp_path):
    told: list[str] = []
    Workers(queue(tmp_path, *["good"] * 7), 1, 2, told.append).run()
    crew.join()
    assert sorted(int(started[1]) for started in Scripted.started) == list(range(7))
    assert "good 2: training (3 at once)" in told
    assert sum("done in" in line for line in told) == 7
    assert {started[2] for started in Scripted.started} == {"2"}


def test_a_second_round_does_not_meet_the_tasks_of_the_first(crew: Crew, tmp_path):
    Workers(queue(tmp_path, *["good"] * 5), 1, 1).run()
    crew.join()
    Workers(queue(tmp_path, "good", "good", "good"), 1, 1).run()
    crew.join()
    assert len(Scripted.started) == 8


def test_a_far_worker_s_complaint_is_raised_here_and_the_others_end(crew: Crew, tmp_path):
    with pytest.raises(Busy, match="busy 1: a folder is taken"):
        Workers(queue(tmp_path, "endless", "busy", "endless"), 1, 1).run()
    crew.join()


def test_a_far_worker_that_was_killed_is_replaced(crew: Crew, tmp_path):
    told: list[str] = []
    work = Workers(queue(tmp_path, "good", "killed", "good"), 1, 1, told.append)
    with pytest.raises(Interrupted, match=r"killed \(signal 9\), and no other is left"):
        work.run()  # it is killed wherever it goes
    crew.join()
    assert "killed 1: its process was killed (signal 9); going on with 2 at once" in told


def test_a_signal_to_another_process_ends_its_worker(crew: Crew, tmp_path):
    crew.stopped[2] = True
    with pytest.raises(Interrupted, match="endless 2: saved") as raised:
        Workers(queue(tmp_path, "endless", "endless", "endless"), 1, 1).run()
    assert raised.value.exit_code == 143
    crew.join()


def test_workers_beside_a_process_use_its_gpu():
    crew, Scripted.started = Crew(3, gpu=True), []
    hands = FarHands(crew)  # pyright: ignore
    hands.begin()
    tasks = [hire(["good", "0"], 1) for hire in hands.hires()]
    for task in tasks:
        task.wait()
    hands.end()
    crew.join()
    assert sorted(started[-1] for started in Scripted.started) == ["1", "2"]


@pytest.mark.parametrize(
    ("seen", "gpu", "expected"),
    [("", 2, "2"), ("4,5,6", 1, "5"), ("4,5", 3, "5"), ("7", None, "7")],
)
def test_the_gpu_of_a_worker_is_one_that_its_starter_sees(seen, gpu, expected):
    given = {"CUDA_VISIBLE_DEVICES": seen} if seen else {}
    assert worker_environment(given, 1, gpu)["CUDA_VISIBLE_DEVICES"] == expected


def test_a_worker_trains_alone():
    place = {"RANK": "1", "WORLD_SIZE": "2", "LOCAL_RANK": "0", "MASTER_ADDR": "a", "HOME": "/h"}
    found = worker_environment(place | {"PYTHONPATH": "/other"}, 3)
    assert set(found) == {"HOME", "PYTHONPATH", "OMP_NUM_THREADS"}
    assert found["OMP_NUM_THREADS"] == "3"
    assert found["PYTHONPATH"].endswith(":/other")
