"""What steps and answers cost here, as it is timed before a plan is made."""

from itertools import count
from pathlib import Path
from types import SimpleNamespace

import pytest
from msgspec.structs import replace

from wherefrom.core.recipe import Recipe
from wherefrom.data.facts import FactsConfig
from wherefrom.experiments.plans import timing
from wherefrom.experiments.plans.timing import Pace, time_steps
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
    recipe = small(data)
    pace = time_steps(Workshop(recipe), recipe.stages[0])
    assert min(pace.step, pace.answer, pace.control) > 0


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
