"""What steps and answers cost here, as it is timed before a plan is made."""

from dataclasses import replace
from itertools import accumulate, count
from pathlib import Path

import pytest

from wherefrom.core.recipe import Recipe
from wherefrom.data.facts import FactsConfig
from wherefrom.experiments import timing
from wherefrom.experiments.timing import time_steps
from wherefrom.recipes.catalogue import adjust
from wherefrom.recipes.facts import facts
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
    assert pace.step > 0
    assert pace.answer > 0
    assert pace.control is not None
    assert pace.control > 0


def test_the_mean_of_the_chunks_counts_and_how_far_they_are_apart(
    data: FactsConfig, monkeypatch: pytest.MonkeyPatch
):
    took = [0.1, 0.1, 0.1, 0.1, 0.2, 0.2, 0.2, 0.2]  # seconds of each chunk that counts
    recipe = small(data)
    workshop = Workshop(recipe)
    clock = accumulate(took, initial=0.0)
    monkeypatch.setattr(timing, "monotonic", lambda: next(clock))
    _, seconds, uneven = timing._time_chunks(workshop, recipe.stages[0], 4, 8)
    assert seconds == pytest.approx(0.15 / 4)
    assert uneven == pytest.approx(2.0)


@pytest.mark.parametrize(("chunk", "timed"), [(0.3, 7), (0.9, 3), (30.0, 2)])
def test_timing_a_slow_machine_takes_a_few_seconds(
    data: FactsConfig, monkeypatch: pytest.MonkeyPatch, chunk: float, timed: int
):
    """After 2 s no further chunk is timed, but two are in any case."""
    recipe, looks = small(data), count()
    monkeypatch.setattr(timing, "monotonic", lambda: next(looks) * chunk)
    timing._time_chunks(Workshop(recipe), recipe.stages[0], 1, 8)
    assert next(looks) - 1 == timed
