"""What steps and answers cost here, as it is timed before a plan is made."""

from dataclasses import replace
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

from wherefrom.core.recipe import Recipe, Stage
from wherefrom.data.facts import FactsConfig
from wherefrom.experiments.plans import timing
from wherefrom.experiments.plans.timing import Pace, time_steps, time_threads
from wherefrom.experiments.recipes.facts_recipe import facts
from wherefrom.experiments.recipes.recipe_catalogue import adjust
from wherefrom.runs.workshop import Workshop

SMALL = ["model.n_head=2", "model.n_embd=16", "model.ngram_buckets=64", "stages.pretrain.batch=4"]


@pytest.fixture
def data(facts_folder: Path) -> FactsConfig:
    return FactsConfig(str(facts_folder / "corpus.txt"), str(facts_folder / "questions.tsv"))


def small(data: FactsConfig) -> Recipe:
    return replace(adjust(facts(), settings=SMALL), data=data, device="cpu")


def test_the_real_timer_times_steps_and_answers(data: FactsConfig, monkeypatch):
    monkeypatch.setattr(timing, "_CHUNK", {"cpu": 1})
    monkeypatch.setattr(timing, "_TIMED", {"cpu": 4})
    monkeypatch.setattr(timing, "_CROWDED", float("inf"))  # whoever else uses this machine
    recipe = small(data)
    pace = time_steps(Workshop(recipe), recipe.stages[0])
    assert pace.step > 0
    assert pace.answer > 0
    assert pace.control > 0


def test_steps_that_wait_for_others_are_told_by_the_time_that_they_computed(
    data: FactsConfig, monkeypatch: pytest.MonkeyPatch
):
    """Eight chunks of 4 steps take 0.2 s each, in which the threads compute for half of it."""
    recipe = small(data)
    workshop, threads = Workshop(recipe), torch.get_num_threads()
    clock, work = count(), iter([0.0, 0.8 * threads])
    monkeypatch.setattr(timing, "monotonic", lambda: next(clock) * 0.2)
    monkeypatch.setattr(timing, "process_time", lambda: next(work))
    _, seconds, crowded = timing._time_chunks(workshop, recipe.stages[0], 4, 8)
    assert seconds == pytest.approx(0.05)
    assert crowded == pytest.approx(2.0)


@pytest.mark.parametrize(("chunk", "timed"), [(0.3, 7), (0.9, 3), (30.0, 2)])
def test_timing_a_slow_machine_takes_a_few_seconds(
    data: FactsConfig, monkeypatch: pytest.MonkeyPatch, chunk: float, timed: int
):
    """After 2 s no further chunk is timed, but two are in any case."""
    recipe, looks = small(data), count()
    monkeypatch.setattr(timing, "monotonic", lambda: next(looks) * chunk)
    timing._time_chunks(Workshop(recipe), recipe.stages[0], 1, 8)
    assert next(looks) - 1 == timed


def test_without_notes_the_report_is_timed_by_reading_some_subjects(
    data: FactsConfig, monkeypatch: pytest.MonkeyPatch
):
    """Six of 24 subjects take 1 s, and two processes will share them; what is learnt is kept."""
    looks = count()
    monkeypatch.setattr(timing, "monotonic", lambda: next(looks))
    monkeypatch.setattr(timing, "_READ", 6)
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    workshop = Workshop(replace(small(data), notes=False))
    assert timing.time_reading(workshop) == pytest.approx(24 / 6 / 2)
    assert set(workshop.material.extractors) == {"Where was X born?"}


def test_a_gpu_without_the_time_to_compile_is_given_plain_steps():
    """A step of 3.6 ms would be one of 10 ms without compiling, which takes 15 s."""
    deep = SimpleNamespace(n_layer=4)
    pace, left = timing.spare_compiling(Pace(0.0036, 0.0), 8.0, deep)
    assert pace.step == pytest.approx(0.01)
    assert left == pytest.approx(23.0)
    assert timing.spare_compiling(Pace(0.0036, 0.0), -100.0, deep)[1] == pytest.approx(20.0)
    assert timing.spare_compiling(Pace(0.00036, 0.0), 1.7, deep)[1] == pytest.approx(4.999)
    enough = Pace(0.0036, 0.0), 18.0
    assert timing.spare_compiling(*enough, deep) == enough


def test_a_model_of_one_layer_gains_less_by_compiling():
    """60,000 steps of 1 ms are compiled, 50,000 are not and would take 1.67 ms each."""
    flat = SimpleNamespace(n_layer=1)
    assert timing.spare_compiling(Pace(0.001, 0.0), 60.0, flat) == (Pace(0.001, 0.0), 60.0)
    pace, left = timing.spare_compiling(Pace(0.001, 0.0), 50.0, flat)
    assert (pace.step, left) == pytest.approx((0.001 / 0.6, 65.0))


class Threads:
    """A machine whose steps take as long as its number of threads says; it notes the numbers."""

    def __init__(self, *paces: Pace) -> None:
        self.paces, self.used = list(paces), list[int]()

    def __call__(self, workshop: Workshop, stage: Stage) -> Pace:
        self.used.append(torch.get_num_threads())
        return self.paces[len(self.used) - 1]


@pytest.mark.parametrize(
    ("two", "one", "asked", "timed", "chosen"),
    [
        (Pace(0.1, 0.0), None, 0, [2], 0),  # steps alike: nobody disturbs them
        (Pace(1.0, 0.0, crowded=4.0), Pace(0.2, 0.0), 0, [2, 1], 1),
        (Pace(0.2, 0.0, crowded=4.0), Pace(0.19, 0.0), 0, [2, 1], 0),  # not clearly faster
        (Pace(1.0, 0.0, crowded=4.0), None, 2, [2], 2),  # the user's own number
    ],
)
def test_beside_busy_neighbours_one_thread_is_timed_too(
    data: FactsConfig, monkeypatch: pytest.MonkeyPatch, two, one, asked, timed, chosen
):
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    before, timer = torch.get_num_threads(), Threads(two, *filter(None, [one]))
    recipe = replace(small(data), threads=asked)
    try:
        found = time_threads(Workshop(recipe), recipe, "cpu", timer)
        assert torch.get_num_threads() == (chosen or 2)
    finally:
        torch.set_num_threads(before)
    assert timer.used == timed
    assert found == (one if chosen == 1 else two, chosen)
