"""The loop, with a small numpy learner: resumed, stopped and diverging runs."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.training.tiny import (
    CHUNK,
    IDENTITY,
    Recorder,
    Scripted,
    Struck,
    Tiny,
    metrics,
    rows,
    run,
    saved_steps,
    straight,
    struck,
    training,
)
from wherefrom.core.contracts import never
from wherefrom.core.errors import Diverged, Interrupted, Mismatch
from wherefrom.training import loop
from wherefrom.training.checkpoints import Checkpoints
from wherefrom.training.loop import Training, train_several
from wherefrom.training.signals import StopSignal

# --- what a run does --------------------------------------------------------------------------


def test_all_steps_once_in_order_and_observers_are_told(tmp_path):
    recorder = Recorder()
    learner, done = run(tmp_path, 12, observers=[recorder])
    assert learner.digest() == straight(12).digest()
    assert done.step == 12
    assert recorder.calls == [
        ("started", "tiny", 0, 12, ()),
        ("advanced", "tiny", 5, 12, 5),
        ("advanced", "tiny", 10, 12, 5),
        ("advanced", "tiny", 12, 12, 2),
        ("finished", "tiny", 12),
    ]


@pytest.mark.parametrize(
    ("loss", "targets", "chunk", "expected"),
    [
        # (3 x 2 + 1 x 4) / 4; a step without targets may have a loss that is no number.
        ([2, 4, np.nan, 2], [3, 1, 0, 3], 3, [(3, 2.5, 4, [2.5]), (4, 2.0, 3, [2.0])]),
        ([np.nan] * 2, [0] * 2, 5, [(2, None, 0, [None])]),
        (
            list(range(25)), [1] * 25, 20,
            [(20, 9.5, 20, [4.5, 14.5]), (25, 22.0, 5, [22.0])],
        ),
    ],
    ids=["over targets", "no targets", "tens"],
)  # fmt: skip
def test_rows_hold_means_and_the_seconds_so_far(
    tmp_path, monkeypatch, loss, targets, chunk, expected
):
    monkeypatch.setattr(loop, "monotonic", lambda: Scripted.now)
    run(tmp_path, len(loss), Scripted(loss, targets), chunk=chunk)
    names = ("step", "loss", "targets", "tens", "seconds")
    wanted = [dict(zip(names, (*row, row[0]), strict=True)) for row in expected]
    assert metrics(tmp_path) == wanted


def test_checkpoints_come_by_the_clock_and_at_the_end(tmp_path, monkeypatch):
    saved = []

    def save(self, step, state, seconds, logs):
        saved.append((step, seconds))

    monkeypatch.setattr(loop, "monotonic", lambda: Scripted.now)
    monkeypatch.setattr(Checkpoints, "save", save)
    run(tmp_path, 38, Scripted([1.0] * 38, [1] * 38), checkpoint_seconds=12.0)
    assert saved == [(15, 15.0), (30, 30.0), (38, 38.0)]


def test_a_finished_stage_is_loaded_not_run(tmp_path):
    _, first = run(tmp_path, 12)
    before = {p: p.stat().st_mtime_ns for p in tmp_path.rglob("*")}
    recorder = Recorder()
    learner, again = run(tmp_path, 12, observers=[recorder])
    assert learner.digest() == straight(12).digest()
    assert again.step == 12
    assert again.seconds == first.seconds > 0
    assert recorder.calls == [("started", "tiny", 12, 12, ()), ("finished", "tiny", 12)]
    assert {p: p.stat().st_mtime_ns for p in tmp_path.rglob("*")} == before


def test_a_checkpoint_past_the_end_is_a_mismatch(tmp_path):
    run(tmp_path, 12)
    with pytest.raises(Mismatch, match="steps: the checkpoint has 12, asked for 10"):
        run(tmp_path, 10)


# --- resuming ---------------------------------------------------------------------------------


def test_a_signal_ends_a_chunk_after_the_step_it_struck_in(tmp_path):
    """And the resumed run completes the chunk: the same bits, rows and calls of observers."""
    whole = Recorder()
    run(tmp_path / "whole", 13, observers=[whole])
    for at in range(1, 14):
        folder, recorder = tmp_path / str(at), Recorder()
        with pytest.raises(Interrupted, match=f"stopped at step {at} of 13"):
            run(folder, 13, struck(at), observers=[recorder])
        assert saved_steps(folder)[-1] == at
        learner, _ = run(folder, 13, observers=[recorder])
        assert ("started", "tiny", at, 13, ()) in recorder.calls
        assert learner.digest() == straight(13).digest()
        assert rows(folder) == rows(tmp_path / "whole")
        advances = [[c for c in r.calls if c[0] == "advanced"] for r in (whole, recorder)]
        assert advances[0] == advances[1]


def test_a_chunk_may_be_ended_twice_and_its_checkpoint_lost(tmp_path):
    run(tmp_path / "whole", 23, chunk=20)
    for at in (7, 13):
        with pytest.raises(Interrupted):
            run(tmp_path, 23, struck(at), chunk=20)
    newest = sorted((tmp_path / "checkpoints").iterdir())[-1]
    (newest / "state.safetensors").write_bytes(b"")  # so that the run falls back to step 7
    recorder = Recorder()
    run(tmp_path, 23, chunk=20, observers=[recorder])
    assert recorder.calls[0][2] == 7
    assert rows(tmp_path) == rows(tmp_path / "whole")


def test_steps_without_targets_may_be_among_those_of_an_ended_chunk(tmp_path):
    class Silent(Scripted, Struck):
        at = (3,)

    with pytest.raises(Interrupted, match="step 3 of 5") as caught:
        run(tmp_path, 5, Silent([np.nan] * 5, [0] * 5), checkpoint_seconds=1e9)  # none is due
    assert caught.value.exit_code == 130
    assert saved_steps(tmp_path) == [3]
    run(tmp_path, 5, Scripted([np.nan] * 5, [0] * 5))
    assert [(row["step"], row["loss"]) for row in metrics(tmp_path)] == [(5, None)]


def test_a_stop_after_the_last_step_is_not_forgotten(tmp_path):
    stop = StopSignal()
    with pytest.raises(Interrupted, match="step 20 of 20, which is saved"):
        run(tmp_path, 20, stop=stop, observers=[Recorder(stop, 20)])
    with pytest.raises(Interrupted):  # a finished stage does not swallow it either
        run(tmp_path, 20, stop=stop)


@pytest.mark.parametrize(("damaged", "first"), [([20], 15), ([15, 20], 0)])
def test_damaged_checkpoints_are_passed_over_and_told(tmp_path, damaged, first):
    run(tmp_path, 20)
    for step in damaged:
        (tmp_path / "checkpoints" / f"step-{step:08d}" / "state.json").write_text("{}")
    recorder = Recorder()
    learner, _ = run(tmp_path, 20, observers=[recorder])
    *started, skipped = recorder.calls[0]
    assert started == ["started", "tiny", first, 20]
    assert all(f"{step:08d}" in why for step, why in zip(damaged[::-1], skipped, strict=True))
    assert learner.digest() == straight(20).digest()
    assert [row["step"] for row in metrics(tmp_path)] == [5, 10, 15, 20]
    recorder = Recorder()
    run(tmp_path, 20, observers=[recorder])  # sound ones were put in their place
    assert recorder.calls[0] == ("started", "tiny", 20, 20, ())


# --- numbers that are not finite --------------------------------------------------------------


@pytest.mark.parametrize("bad_step", [0, 5, 13])
def test_divergence_names_its_step_and_publishes_nothing_of_it(tmp_path, bad_step):
    with pytest.raises(Diverged, match=rf"tiny: step {bad_step} \(counted from 0\)") as caught:
        run(tmp_path, 20, Tiny(bad_step))
    assert caught.value.exit_code == 79
    last = bad_step // CHUNK * CHUNK
    assert max(saved_steps(tmp_path), default=0) == last
    written = metrics(tmp_path) if last else []
    assert [row["step"] for row in written] == list(range(CHUNK, last + 1, CHUNK))
    assert (tmp_path / "metrics.jsonl").exists() == (last > 0)
    found = Checkpoints(tmp_path / "checkpoints", IDENTITY).latest()
    if found is not None:
        assert found.state.arrays["weights"].tobytes() == straight(last).weights.tobytes()
    recorder = Recorder()
    learner, _ = run(tmp_path, 20, observers=[recorder])  # as with the cause removed
    assert recorder.calls[0][2] == last
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


# --- several learners together ---------------------------------------------------------------


class Together:
    """Tiny learners as a group, ten seconds a call, which remembers the places it was asked for."""

    now = 0.0

    def __init__(self, learners: list[Tiny]) -> None:
        self.learners, self.asked = learners, []

    def __call__(self, places, count: int, stopped=never):
        Together.now += 10.0
        self.asked.append((list(places), count))
        each = zip(self.learners, places, strict=True)
        return [None if at is None else tiny.advance(at, count, stopped) for tiny, at in each]


def several(folder: Path, learners: list[Tiny], **options) -> list[Training]:
    return [training(folder / str(k), tiny, 12, **options) for k, tiny in enumerate(learners)]


def test_learners_of_a_group_may_be_at_different_steps(tmp_path):
    stop = StopSignal()
    with pytest.raises(Interrupted):
        run(tmp_path / "0", 12, stop=stop, observers=[Recorder(stop, 5)])
    run(tmp_path / "1", 12)
    learners = [Tiny(), Tiny(), Tiny()]
    group = Together(learners)
    train_several(several(tmp_path, learners), group, chunk=CHUNK)
    assert group.asked == [
        ([5, None, 0], 5), ([10, None, 5], 2), ([None, None, 7], 3), ([None, None, 10], 2),
    ]  # fmt: skip
    assert {tiny.digest() for tiny in learners} == {straight(12).digest()}
    assert rows(tmp_path / "2") == rows(tmp_path / "1")
    assert saved_steps(tmp_path / "2")[-1] == 12


def test_one_that_diverges_is_left_behind(tmp_path):
    learners = [Tiny(), Tiny(bad_step=6), Tiny()]
    group, observer = Together(learners), Recorder()
    trainings = several(tmp_path, learners)
    trainings[1] = replace(trainings[1], observers=[observer])
    _, found, _ = train_several(trainings, group, chunk=CHUNK)
    assert isinstance(found, Diverged)
    assert "step 6 (counted from 0)" in str(found)
    assert "step 5 is the last saved" in str(found)
    assert observer.calls[-1][0] == "advanced"  # it is never told that this one finished
    assert [places for places, _ in group.asked][2:] == [[10, None, 10]]
    assert learners[0].digest() == learners[2].digest() == straight(12).digest()
