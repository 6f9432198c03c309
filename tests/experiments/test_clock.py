"""A rate that follows the clock, on clocks made here."""

import pytest
from msgspec import structs

from wherefrom.core.recipe import Recipe, Schedule
from wherefrom.experiments import clock
from wherefrom.experiments.clock import Clock, Pace
from wherefrom.experiments.recipes.facts_recipe import facts


class Machine:
    """Takes steps; each takes so many seconds of a clock that nothing else moves."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 100.0
        monkeypatch.setattr(clock, "monotonic", lambda: self.now)

    def train(self, pace: Pace, step_seconds, chunk: int = 20) -> list[tuple[int, float]]:
        """The step at each chunk's end, with the factor of the chunk; as the loop asks."""
        step, began, taken = 0, self.now, list[tuple[int, float]]()
        while True:
            steps, factor = pace(step, chunk, self.now - began)
            end = min(step + chunk, steps)
            if end <= step:
                return taken
            self.now += sum(step_seconds(s) for s in range(step, end))
            step = end
            taken.append((step, factor))


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Machine:
    return Machine(monkeypatch)


@pytest.fixture
def recipe() -> Recipe:
    """A primary stage of at most 5,000 steps, whose rate falls to nothing."""
    recipe = facts()
    read = structs.replace(recipe.stages[0], steps=5000, schedule=Schedule(warmup=0.03))
    return structs.replace(recipe, stages=(read, *recipe.stages[1:]))


def test_the_rate_falls_to_nothing_as_the_time_runs_out(machine: Machine, recipe: Recipe):
    """100 s of which 4 are spare and 16 follow: 800 steps of 0.1 s, however many were promised."""
    pace = Clock(100.0, 100.0, 16.0).pace(recipe.stages[0], recipe, lambda: 16.0)
    taken = machine.train(pace, lambda _: 0.1)
    assert machine.now == pytest.approx(180.0, abs=2)
    assert taken[-1][0] == pytest.approx(800, abs=20)
    factors = [factor for _, factor in taken]
    # Behind the warm-up the rate is a straight line, to within a chunk of it.
    for step, factor in taken[3:]:
        assert factor == pytest.approx((1 - (step - 10) / 800) / 0.97, abs=0.03)
    assert factors[-1] < 0.03


def test_a_machine_that_slows_down_ends_in_time_with_a_rate_of_nothing(
    machine: Machine, recipe: Recipe
):
    pace = Clock(100.0, 100.0, 16.0).pace(recipe.stages[0], recipe, lambda: 16.0)
    taken = machine.train(pace, lambda step: 0.1 if step < 200 else 0.3)
    assert machine.now == pytest.approx(180.0, abs=4)
    assert taken[-1][0] == pytest.approx(200 + 60 / 0.3, abs=20)
    assert taken[-1][1] < 0.06


def test_answers_that_take_less_than_at_first_leave_more_time(machine: Machine, recipe: Recipe):
    """Before the training 66 s were to follow: a third of the minutes is trained in any case."""
    asked = list[float]()

    def follow() -> float:
        asked.append(machine.now)
        return 16.0

    pace = Clock(100.0, 100.0, 66.0).pace(recipe.stages[0], recipe, follow)
    machine.train(pace, lambda _: 0.1)
    assert asked == [pytest.approx(100 + 100 / 3 / 2, abs=3)]
    assert machine.now == pytest.approx(180.0, abs=4)


def test_the_model_that_does_not_read_takes_its_steps_or_a_twentieth(
    machine: Machine, recipe: Recipe
):
    control = recipe.stages[1]
    for seconds, steps in ((0.001, control.steps), (0.5, 10)):
        pace = Clock(machine.now, 100.0).pace(control, recipe, lambda: 0.0)
        assert machine.train(pace, lambda _, s=seconds: s, chunk=2)[-1][0] == steps
