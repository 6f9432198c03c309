"""The loop, with a small numpy learner: resumed, killed, stopped and diverging runs.

Run as a program, this file is the run that gets killed: FOLDER STEPS, and if it is
to interrupt itself, 'line' or 'step', the signal, and which line or step.
"""

import hashlib
import json
import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from wherefrom.core.contracts import State, never
from wherefrom.core.errors import Damaged, Diverged, Interrupted, Mismatch, WherefromError
from wherefrom.core.randomness import Stream, draws
from wherefrom.training import loop
from wherefrom.training.checkpoints import Checkpoints
from wherefrom.training.loop import Finished, Training, train, train_together
from wherefrom.training.signals import RECEIVED, StopSignal

IDENTITY = {"model": {"kind": "tiny", "size": 16}, "seed": 3}
CHUNK = 5


class Tiny:
    """Weights and momentum pushed about by counted randomness: any lost step shows."""

    def __init__(self, bad_step: int | None = None) -> None:
        self.weights = np.zeros(16, np.float32)
        self.momentum = np.zeros(16, np.float32)
        self.taken = 0
        self.bad_step = bad_step

    def advance(self, first_step: int, count: int, stopped=never) -> dict[str, np.ndarray]:
        rows = []
        for step in range(first_step, first_step + count):
            rows.append(self._take(step))
            if stopped():
                break
        loss, targets, finite = zip(*rows, strict=True)
        return {
            "loss": np.array(loss, np.float32),
            "targets": np.array(targets),
            "finite": np.array(finite),
        }

    def _take(self, step: int) -> tuple[float, int, bool]:
        row = np.arange(16)
        noise, targets = draws(2, seed=3, stream=Stream.ORDER, stage=0, step=step, row=row)
        push = (noise / 2**32 - 0.5).astype(np.float32)
        self.momentum = np.float32(0.9) * self.momentum + push
        self.weights = np.float32(0.99) * self.weights + self.momentum * self.momentum
        self.taken += 1
        if step == self.bad_step:
            self.weights[3] = np.nan
        loss = float((self.weights**2).mean())
        return loss, int(targets[0]) % 10, step != self.bad_step

    def state(self) -> State:
        return State({"weights": self.weights, "momentum": self.momentum}, {"taken": self.taken})

    def load(self, state: State) -> None:
        self.weights, self.momentum = state.arrays["weights"], state.arrays["momentum"]
        self.taken = state.values["taken"]

    def digest(self) -> str:
        data = self.weights.tobytes() + self.momentum.tobytes() + str(self.taken).encode()
        return hashlib.sha256(data).hexdigest()


class Recorder:
    """An observer that keeps what it is told, and may ask for a stop."""

    def __init__(self, stop: StopSignal | None = None, at: int | None = None) -> None:
        self.calls: list[tuple] = []
        self.stop, self.at = stop, at

    def started(self, name, first_step, steps, skipped) -> None:
        self.calls.append(("started", name, first_step, steps, skipped))

    def advanced(self, name, step, steps, metrics, seconds) -> None:
        self.calls.append(("advanced", name, step, steps, len(metrics["loss"])))
        if self.stop is not None and self.at is not None and step >= self.at:
            self.stop.number = signal.SIGTERM

    def finished(self, name, step, seconds) -> None:
        self.calls.append(("finished", name, step))


def run(folder: Path, steps: int, learner: Tiny | None = None, **options) -> tuple[Tiny, Finished]:
    learner = learner or Tiny()
    done = train(
        learner,
        steps,
        name="tiny",
        checkpoints=Checkpoints(folder / "checkpoints", IDENTITY),
        metrics_path=folder / "metrics.jsonl",
        **{"checkpoint_seconds": 0.0, "chunk": CHUNK} | options,
    )
    return learner, done


def straight(steps: int) -> Tiny:
    """The learner after steps that no loop drove."""
    learner = Tiny()
    learner.advance(0, steps)
    return learner


def metrics(folder: Path) -> list[dict]:
    text = (folder / "metrics.jsonl").read_text()
    return [json.loads(line) for line in text.splitlines()]


def without_seconds(rows: list[dict]) -> list[dict]:
    return [{k: v for k, v in row.items() if k != "seconds"} for row in rows]


def saved_steps(folder: Path) -> list[int]:
    return sorted(int(p.name.removeprefix("step-")) for p in folder.glob("checkpoints/step-*"))


# --- what a run does --------------------------------------------------------------------------


def test_all_steps_once_in_order_and_observers_are_told(tmp_path):
    recorder = Recorder()
    learner, done = run(tmp_path, 12, observers=[recorder])
    assert learner.digest() == straight(12).digest()
    assert (done.step, done.resumed_from, done.skipped) == (12, None, ())
    assert recorder.calls == [
        ("started", "tiny", 0, 12, ()),
        ("advanced", "tiny", 5, 12, 5),
        ("advanced", "tiny", 10, 12, 5),
        ("advanced", "tiny", 12, 12, 2),
        ("finished", "tiny", 12),
    ]


def test_rows_hold_the_mean_over_targets_and_the_seconds_so_far(tmp_path, monkeypatch):
    now = 100.0

    class Known(Tiny):
        def advance(self, first_step, count, *rest):
            nonlocal now
            now += count  # a second a step
            super().advance(first_step, count, *rest)
            return {
                "loss": np.array([2.0, 4.0, np.nan][:count]),
                "targets": np.array([3, 1, 0][:count]),
                "finite": np.array([1, 1, 1][:count]),
            }

    monkeypatch.setattr(loop, "monotonic", lambda: now)
    run(tmp_path, 4, Known(), chunk=3)
    rows = metrics(tmp_path)
    assert without_seconds(rows) == [
        {"step": 3, "loss": 2.5, "targets": 4, "tens": [2.5]},  # (3 x 2 + 1 x 4) / 4
        {"step": 4, "loss": 2.0, "targets": 3, "tens": [2.0]},
    ]
    assert [row["seconds"] for row in rows] == [3, 4]


def test_rows_hold_the_mean_of_each_ten_steps(tmp_path):
    class Counting(Tiny):
        def advance(self, first_step, count, *rest):
            super().advance(first_step, count, *rest)
            steps = np.arange(first_step, first_step + count)
            return {"loss": steps / 1.0, "targets": np.ones_like(steps), "finite": steps >= 0}

    run(tmp_path, 45, Counting(), chunk=20)
    assert [row["tens"] for row in metrics(tmp_path)] == [[4.5, 14.5], [24.5, 34.5], [42.0]]


def test_a_chunk_without_targets_has_no_mean(tmp_path):
    class Silent(Tiny):
        def advance(self, first_step, count, *rest):
            zeros = np.zeros(count, np.int64)
            return {"loss": zeros / 1.0, "targets": zeros, "finite": zeros == 0}

    run(tmp_path, 2, Silent())
    (row,) = without_seconds(metrics(tmp_path))
    assert row == {"step": 2, "loss": None, "targets": 0, "tens": [None]}


def test_without_folders_it_only_trains(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    learner = Tiny()
    assert train(learner, 30, name="tiny").step == 30
    assert learner.digest() == straight(30).digest()
    assert not list(tmp_path.iterdir())


def test_checkpoints_come_by_the_clock_and_at_the_end(tmp_path, monkeypatch):
    now = 0.0

    class Slow(Tiny):
        def advance(self, first_step, count, *rest):
            nonlocal now
            now += count  # a second a step
            return super().advance(first_step, count, *rest)

    saved = []
    save = Checkpoints.save

    def note(self, step, state, seconds, *rest):
        saved.append((step, seconds))
        return save(self, step, state, seconds, *rest)

    monkeypatch.setattr(loop, "monotonic", lambda: now)
    monkeypatch.setattr(Checkpoints, "save", note)
    run(tmp_path, 38, Slow(), checkpoint_seconds=12.0)
    assert saved == [(15, 15.0), (30, 30.0), (38, 38.0)]


def test_a_finished_stage_is_loaded_not_run(tmp_path):
    _, first = run(tmp_path, 12)
    before = {p: p.stat().st_mtime_ns for p in tmp_path.rglob("*")}
    recorder = Recorder()
    learner, again = run(tmp_path, 12, observers=[recorder])
    assert learner.digest() == straight(12).digest()
    assert (again.step, again.resumed_from) == (12, 12)
    assert again.seconds == first.seconds > 0
    assert [c[0] for c in recorder.calls] == ["started", "finished"]
    assert {p: p.stat().st_mtime_ns for p in tmp_path.rglob("*")} == before


def test_a_checkpoint_past_the_end_is_a_mismatch(tmp_path):
    run(tmp_path, 12)
    with pytest.raises(Mismatch, match="steps: the checkpoint has 12, asked for 10"):
        run(tmp_path, 10)


# --- resuming ---------------------------------------------------------------------------------


def test_a_run_stopped_at_any_step_ends_bitwise_the_same(tmp_path):
    run(tmp_path / "whole", 8, chunk=1)
    for at in range(1, 9):
        folder, stop = tmp_path / str(at), StopSignal()
        with pytest.raises(Interrupted) as caught:
            run(folder, 8, chunk=1, stop=stop, observers=[Recorder(stop, at)])
        assert caught.value.exit_code == 143
        assert f"step {at} of 8" in str(caught.value)
        assert saved_steps(folder)[-1] == at
        learner, done = run(folder, 8, chunk=1)
        assert done.resumed_from == at
        assert learner.digest() == straight(8).digest()
        assert without_seconds(metrics(folder)) == without_seconds(metrics(tmp_path / "whole"))


class Struck(Tiny):
    """A learner that signals strike in the middle of some of its steps."""

    def __init__(self, *at: int) -> None:
        super().__init__()
        self.at = at

    def _take(self, step: int) -> tuple[float, int, bool]:
        if step + 1 in self.at:
            signal.raise_signal(signal.SIGINT)
        return super()._take(step)


def test_a_signal_ends_a_chunk_after_the_step_it_struck_in(tmp_path):
    """And the resumed run completes the chunk: the same bits, rows and calls of observers."""
    whole = Recorder()
    run(tmp_path / "whole", 13, observers=[whole])
    for at in range(1, 14):
        folder, recorder = tmp_path / str(at), Recorder()
        with pytest.raises(Interrupted, match=f"stopped at step {at} of 13"):
            run(folder, 13, Struck(at), observers=[recorder])
        assert saved_steps(folder)[-1] == at
        learner, done = run(folder, 13, observers=[recorder])
        assert done.resumed_from == at
        assert learner.digest() == straight(13).digest()
        assert without_seconds(metrics(folder)) == without_seconds(metrics(tmp_path / "whole"))
        advances = [[c for c in r.calls if c[0] == "advanced"] for r in (whole, recorder)]
        assert advances[0] == advances[1]


def test_a_chunk_may_be_ended_twice_and_its_checkpoint_lost(tmp_path):
    run(tmp_path / "whole", 23, chunk=20)
    for at in (7, 13):
        with pytest.raises(Interrupted):
            run(tmp_path, 23, Struck(at), chunk=20)
    newest = sorted((tmp_path / "checkpoints").iterdir())[-1]
    (newest / "state.safetensors").write_bytes(b"")  # so that the run falls back to step 7
    _, done = run(tmp_path, 23, chunk=20)
    assert done.resumed_from == 7
    assert without_seconds(metrics(tmp_path)) == without_seconds(metrics(tmp_path / "whole"))


def test_steps_without_targets_may_be_among_those_of_an_ended_chunk(tmp_path):
    class Silent(Struck):
        def advance(self, first_step, count, *rest):
            found = super().advance(first_step, count, *rest)
            return found | {
                "loss": np.full(len(found["loss"]), np.nan),
                "targets": np.zeros_like(found["targets"]),
            }

    with pytest.raises(Interrupted, match="step 3 of 5"):
        run(tmp_path, 5, Silent(3))
    run(tmp_path, 5, Silent())
    assert without_seconds(metrics(tmp_path)) == [
        {"step": 5, "loss": None, "targets": 0, "tens": [None]}
    ]


def test_chunks_end_at_multiples_wherever_the_run_resumed(tmp_path):
    stop = StopSignal()
    with pytest.raises(Interrupted):
        run(tmp_path, 20, chunk=3, stop=stop, observers=[Recorder(stop, 12)])
    run(tmp_path, 20, chunk=5)
    assert [row["step"] for row in metrics(tmp_path)] == [3, 6, 9, 12, 15, 20]


def test_a_stop_saves_though_no_checkpoint_was_due(tmp_path):
    stop = StopSignal()
    with pytest.raises(Interrupted):
        run(tmp_path, 20, checkpoint_seconds=1e9, stop=stop, observers=[Recorder(stop, 10)])
    assert saved_steps(tmp_path) == [10]


def test_a_stop_after_the_last_step_is_not_forgotten(tmp_path):
    stop = StopSignal()
    with pytest.raises(Interrupted, match="step 20 of 20, which is saved"):
        run(tmp_path, 20, stop=stop, observers=[Recorder(stop, 20)])
    with pytest.raises(Interrupted):  # a finished stage does not swallow it either
        run(tmp_path, 20, stop=stop)


def test_rows_after_the_checkpoint_are_written_again_not_twice(tmp_path):
    run(tmp_path / "whole", 20)
    stop = StopSignal()
    with pytest.raises(Interrupted):
        run(tmp_path, 20, stop=stop, observers=[Recorder(stop, 10)])
    with (tmp_path / "metrics.jsonl").open("a") as file:  # the rows of steps then lost
        file.write('{"step": 15, "loss": 99.0, "targets": 1, "seconds": 9.0}\n{"step": 2')
    run(tmp_path, 20)
    assert without_seconds(metrics(tmp_path)) == without_seconds(metrics(tmp_path / "whole"))


def test_a_checkpoint_that_says_nothing_of_rows_keeps_those_up_to_its_step(tmp_path):
    """As checkpoints of earlier versions do."""
    run(tmp_path, 20)
    checkpoints = Checkpoints(tmp_path / "checkpoints", IDENTITY)
    checkpoints.remove_all()
    checkpoints.save(10, straight(10).state(), 1.0)
    run(tmp_path, 15)
    assert [row["step"] for row in metrics(tmp_path)] == [5, 10, 15]


def test_a_damaged_checkpoint_is_passed_over_and_told(tmp_path):
    run(tmp_path, 20)
    (tmp_path / "checkpoints" / "step-00000020" / "state.json").write_text("{}")
    recorder = Recorder()
    learner, done = run(tmp_path, 20, observers=[recorder])
    assert done.resumed_from == 15
    assert len(done.skipped) == 1
    assert "step-00000020" in done.skipped[0]
    assert recorder.calls[0] == ("started", "tiny", 15, 20, done.skipped)
    assert learner.digest() == straight(20).digest()


def test_with_every_checkpoint_damaged_it_starts_again_and_says_why(tmp_path):
    run(tmp_path, 20)
    for path in tmp_path.glob("checkpoints/*/state.json"):
        path.unlink()
    learner, done = run(tmp_path, 20)
    assert (done.resumed_from, len(done.skipped)) == (None, 2)
    assert learner.digest() == straight(20).digest()
    assert [row["step"] for row in metrics(tmp_path)] == [5, 10, 15, 20]


def test_rows_of_something_else_are_not_thrown_away(tmp_path):
    (tmp_path / "metrics.jsonl").write_text('{"epoch": 1}\n')
    with pytest.raises(Damaged, match=r"metrics\.jsonl: expected a step in every row"):
        run(tmp_path, 20)
    assert (tmp_path / "metrics.jsonl").read_text() == '{"epoch": 1}\n'


# --- numbers that are not finite --------------------------------------------------------------


@pytest.mark.parametrize("bad_step", [0, 4, 5, 13, 19])
def test_divergence_names_its_step_and_publishes_nothing_of_it(tmp_path, bad_step):
    with pytest.raises(Diverged, match=rf"tiny: step {bad_step} \(counted from 0\)") as caught:
        run(tmp_path, 20, Tiny(bad_step))
    assert caught.value.exit_code == 79
    last = bad_step // CHUNK * CHUNK
    assert max(saved_steps(tmp_path), default=0) == last
    rows = metrics(tmp_path) if last else []
    assert [row["step"] for row in rows] == list(range(CHUNK, last + 1, CHUNK))
    assert (tmp_path / "metrics.jsonl").exists() == (last > 0)
    found = Checkpoints(tmp_path / "checkpoints", IDENTITY).latest()
    if found is not None:
        assert found.state.arrays["weights"].tobytes() == straight(last).weights.tobytes()
    learner, done = run(tmp_path, 20)  # as with the cause removed
    assert done.resumed_from == (last or None)
    assert learner.digest() == straight(20).digest()


def test_a_loss_that_is_not_finite_is_divergence_whatever_the_flag_says(tmp_path):
    class Careless(Tiny):
        def advance(self, first_step, count, *rest):
            found = super().advance(first_step, count, *rest)
            found["loss"][1], found["targets"][1] = np.inf, 4
            return found | {"finite": np.ones(count)}

    with pytest.raises(Diverged, match="tiny: step 1 "):
        run(tmp_path, 20, Careless())
    assert not saved_steps(tmp_path)


def test_weights_that_are_not_finite_are_not_published_whatever_the_flag_says(tmp_path):
    class Overflowing(Tiny):
        def advance(self, first_step, count, *rest):
            found = super().advance(first_step, count, *rest)
            if first_step == 10:
                self.momentum[2] = np.inf  # by the last update, so no loss has seen it
            return found

    with pytest.raises(Diverged, match=r"tiny: step 14 .*'momentum' after the update"):
        run(tmp_path, 20, Overflowing())
    assert saved_steps(tmp_path) == [5, 10]


# --- real processes, really killed ------------------------------------------------------------


class Talker(Recorder):
    """Says each step on stdout, so that the parent knows what was saved before it."""

    def started(self, name, first_step, steps, skipped) -> None:
        print("started", first_step, len(skipped), flush=True)

    def advanced(self, name, step, steps, metrics, seconds) -> None:
        print("advanced", step, flush=True)

    def finished(self, name, step, seconds) -> None:
        print("finished", step, flush=True)


class Signaller(Recorder):
    """Sends its own process a signal after a step, as a user may from outside."""

    def __init__(self, number: int, at: int) -> None:
        super().__init__(at=at)
        self.number = number

    def advanced(self, name, step, steps, metrics, seconds) -> None:
        if step == self.at:
            os.kill(os.getpid(), self.number)


def main(folder: str, steps: str, order: str = "", number: str = "", place: str = "") -> int:
    signal.signal(signal.SIGINT, signal.default_int_handler)
    observers: list[Recorder] = [Talker()]
    if order == "step":
        assert "torch" not in sys.modules
        observers.append(Signaller(int(number), int(place)))
    elif order == "line":
        from tests.support.interruptions import at_line

        at_line(int(place), int(number))
    try:
        learner, _ = run(Path(folder), int(steps), observers=observers)
    except WherefromError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    print("digest", learner.digest())
    return 0


def call(folder: Path, steps: int, *order: object) -> subprocess.CompletedProcess[str]:
    source, tests = Path(loop.__file__).parents[2], Path(__file__).parents[2]
    return subprocess.run(
        [sys.executable, __file__, str(folder), str(steps), *map(str, order)],
        env=os.environ | {"PYTHONPATH": f"{source}{os.pathsep}{tests}"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("kills", "lines"), [(4, 1500), pytest.param(20, 6000, marks=pytest.mark.nightly)]
)
def test_kills_lose_nothing_and_end_bitwise_the_same(tmp_path, kills, lines):
    """A chunk takes some 250 lines, so every run dies before its last step."""
    chooser, steps, saved, torn = random.Random(9), kills * lines // 200 * CHUNK, 0, 0
    for _ in range(kills):
        killed = call(tmp_path, steps, "line", int(signal.SIGKILL), chooser.randint(1, lines))
        assert (killed.returncode, killed.stderr) == (-signal.SIGKILL, "")
        said = killed.stdout.splitlines()
        if said:
            word, first, skipped = said[0].split()
            assert (word, skipped) == ("started", "0")
            assert int(first) >= saved
            # A step is said before it is saved, so the last one may be lost.
            saved = int(said[-1].split()[1]) - CHUNK if said[1:] else int(first)
        found = Checkpoints(tmp_path / "checkpoints", IDENTITY).latest()
        assert (found.step if found else 0) >= saved
        assert found is None or found.skipped == ()
        torn += any(tmp_path.glob("checkpoints/.tmp-*"))
    assert torn or kills < 20  # some were killed while they wrote a checkpoint
    last = call(tmp_path, steps)
    assert (last.returncode, last.stderr) == (0, "")
    assert 0 < int(last.stdout.split()[1]) < steps
    assert last.stdout.split()[-1] == straight(steps).digest()
    assert [row["step"] for row in metrics(tmp_path)] == list(range(CHUNK, steps + 1, CHUNK))
    assert not list(tmp_path.rglob(".tmp-*"))


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_signal_saves_and_says_so(python_anew, tmp_path, number, code):
    stopped = call(tmp_path, 100_000, "step", int(number), 15)
    assert stopped.returncode == code
    assert stopped.stdout.splitlines()[-1] == "advanced 15"
    assert saved_steps(tmp_path)[-1] == 15
    assert stopped.stderr == (
        f"{RECEIVED}\n"
        "tiny: stopped at step 15 of 100000, which is saved; "
        "the same command continues from there\n"
    )
    found = Checkpoints(tmp_path / "checkpoints", IDENTITY).latest()
    assert found is not None
    assert found.state.arrays["weights"].tobytes() == straight(15).weights.tobytes()


# --- several learners together ---------------------------------------------------------------


class Together:
    """Tiny learners as a group, which remembers the places it was asked for."""

    def __init__(self, learners: list[Tiny]) -> None:
        self.learners, self.asked = learners, []

    def advance(self, places, count: int, stopped=never):
        self.asked.append((list(places), count))
        each = zip(self.learners, places, strict=True)
        return [None if at is None else tiny.advance(at, count, stopped) for tiny, at in each]


class Slow(Together):
    """Takes ten seconds for whatever it is asked."""

    now = 0.0

    def advance(self, places, count: int, stopped=never):
        Slow.now += 10.0
        return super().advance(places, count, stopped)


def training(folder: Path, learner: Tiny, steps: int, observers=()) -> Training:
    checkpoints = Checkpoints(folder / "checkpoints", IDENTITY)
    return Training(learner, steps, "tiny", checkpoints, 0.0, folder / "metrics.jsonl", observers)


def test_a_group_writes_what_each_learner_writes_alone(tmp_path):
    alone, done = run(tmp_path / "alone", 12)
    learners = [Tiny(), Tiny()]
    trainings = [training(tmp_path / str(k), tiny, 12) for k, tiny in enumerate(learners)]
    found = train_together(trainings, Together(learners), chunk=CHUNK)
    assert [each.step for each in found if isinstance(each, Finished)] == [12, 12]
    assert [tiny.digest() for tiny in learners] == [alone.digest()] * 2

    def rows(folder: str) -> list[dict]:
        text = (tmp_path / folder / "metrics.jsonl").read_text()
        return [json.loads(line) | {"seconds": 0} for line in text.splitlines()]

    assert rows("0") == rows("1") == rows("alone")
    for folder in ("0", "1"):
        assert Checkpoints(tmp_path / folder / "checkpoints", IDENTITY).last_step() == 12
    assert done.step == 12


def test_learners_of_a_group_may_be_at_different_steps(tmp_path):
    ahead, finished = tmp_path / "0", tmp_path / "1"
    with StopSignal() as stop, pytest.raises(Interrupted):
        run(ahead, 12, stop=stop, observers=[Recorder(stop, 5)])
    run(finished, 12)
    learners = [Tiny(), Tiny(), Tiny()]
    group = Together(learners)
    train_together(
        [training(tmp_path / str(k), tiny, 12) for k, tiny in enumerate(learners)],
        group,
        chunk=CHUNK,
    )
    assert group.asked == [
        ([5, None, 0], 5), ([10, None, 5], 2), ([None, None, 7], 3), ([None, None, 10], 2),
    ]  # fmt: skip
    assert len({tiny.digest() for tiny in learners}) == 1


def test_one_that_diverges_is_left_behind(tmp_path):
    learners = [Tiny(), Tiny(bad_step=6), Tiny()]
    observer = Recorder()
    trainings = [training(tmp_path / str(k), tiny, 12, [observer] if k == 1 else ())
                 for k, tiny in enumerate(learners)]  # fmt: skip
    group = Together(learners)
    found = train_together(trainings, group, chunk=CHUNK)
    assert isinstance(found[1], Diverged)
    assert "step 6 (counted from 0)" in str(found[1])
    assert "step 5 is the last saved" in str(found[1])
    assert observer.calls[-1][0] == "advanced"  # it is never told that this one finished
    assert [places for places, _ in group.asked][2:] == [[10, None, 10]]
    assert learners[0].digest() == learners[2].digest() == straight(12).digest()


def test_a_group_that_is_told_to_stop_is_saved(tmp_path):
    learners = [Tiny(), Tiny()]
    with StopSignal() as stop:
        observers = [Recorder(stop, 5)]
        trainings = [training(tmp_path / str(k), tiny, 12, observers)
                     for k, tiny in enumerate(learners)]  # fmt: skip
        with pytest.raises(Interrupted, match=r"2 models together.*stopped at step 5 of 12"):
            train_together(trainings, Together(learners), stop=stop, chunk=CHUNK)
    for k in (0, 1):
        assert Checkpoints(tmp_path / str(k) / "checkpoints", IDENTITY).last_step() == 5


def test_of_the_time_of_a_group_each_has_its_share(tmp_path, monkeypatch):
    learners = [Tiny(), Tiny()]
    trainings = [
        Training(tiny, steps, "tiny") for tiny, steps in zip(learners, (5, 10), strict=True)
    ]
    monkeypatch.setattr(loop, "monotonic", lambda: Slow.now)
    found = train_together(trainings, Slow(learners), chunk=CHUNK)
    assert [each.seconds for each in found if isinstance(each, Finished)] == [5.0, 15.0]


@pytest.mark.parametrize(
    ("models", "between", "saving", "expected"),
    [
        (1, 0.0, 0.5, [5, 10, 15, 20, 25, 30]),
        (16, 10.0, 0.0, [10, 20, 30]),
        (2, 0.0, 0.5, [5, 20, 30]),
    ],
)
def test_a_group_is_saved_less_often(tmp_path, monkeypatch, models, between, saving, expected):
    """Sixteen half as often as eight would be, and none before it has trained 30 times as long."""
    saved = []

    def save(self, step, *rest):
        saved.append((self.folder.name, step))
        Slow.now += saving

    monkeypatch.setattr(loop, "monotonic", lambda: Slow.now)
    monkeypatch.setattr(Checkpoints, "save", save)
    learners = [Tiny() for _ in range(models)]
    trainings = [
        Training(tiny, 30, "tiny", Checkpoints(tmp_path / str(k), IDENTITY), between)
        for k, tiny in enumerate(learners)
    ]
    train_together(trainings, Slow(learners), chunk=CHUNK)
    for k in range(models):
        assert [step for name, step in saved if name == str(k)] == expected


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
