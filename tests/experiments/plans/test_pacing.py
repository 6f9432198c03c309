"""Keeping to the minutes: what is decided while a stage trains, against sums done by hand."""

from dataclasses import replace

import pytest
from msgspec import structs

from wherefrom.core.recipe import Stage
from wherefrom.experiments.plans import pacing
from wherefrom.experiments.plans.pacing import Deadline, Following, Pacing
from wherefrom.experiments.recipes.facts_recipe import facts


class Machine:
    """A stage of 1,000 steps on a machine whose steps take as long as is said."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, ends: float, longer: bool) -> None:
        self.now, self.decisions = 0.0, list[Stage]()
        monkeypatch.setattr(pacing, "monotonic", lambda: self.now)
        stage = structs.replace(facts().stages[0], steps=1000)
        deadline = Deadline(ends, 0.1, 0.01, Following(answers=500, seconds=5.0), longer)
        self.pacing = Pacing(stage, deadline, self.decisions.append)

    def take(self, first: int, last: int, seconds: float) -> int:
        step, steps = first, self.pacing.stage.steps
        while step < min(last, steps):
            taken = min(20, steps - step)
            step, self.now = step + taken, self.now + taken * seconds
            steps = self.pacing.revise(step) if step < steps else steps
        return steps


def test_a_machine_that_keeps_its_pace_takes_the_planned_steps(monkeypatch):
    for longer in (True, False):
        machine = Machine(monkeypatch, ends=110.0, longer=longer)
        assert (machine.take(0, 1000, 0.1), machine.decisions) == (1000, [])


def test_a_machine_that_slows_down_is_finished_in_time(monkeypatch):
    """From step 300 on a step takes 0.3 s: 30 s are gone, and the 10 s behind become 30."""
    machine = Machine(monkeypatch, ends=110.0, longer=True)
    machine.take(0, 300, 0.1)
    steps = machine.take(300, 1000, 0.3)
    assert 300 < steps < 600
    assert 110 * 0.9 <= machine.now + 30 <= 110 * 1.05
    changed = [step for step, _ in machine.pacing.stage.revised]
    assert changed == sorted(changed)
    assert machine.decisions[-1] is machine.pacing.stage


def test_a_model_beside_the_primary_one_keeps_to_the_time_that_it_was_given(monkeypatch):
    """1,000 steps of 0.1 s were given 100 s and take 0.4 s each: 250 of them fit."""
    machine = Machine(monkeypatch, ends=1000.0, longer=True)
    stage, limit = machine.pacing.stage, replace(machine.pacing.deadline, beside={"pretrain": 100})
    assert limit.for_stage(stage, stage) is limit
    machine.now = 7.0
    own = limit.for_stage(stage, structs.replace(stage, name="other"))
    machine.pacing = Pacing(stage, own, machine.decisions.append)
    machine.pacing.begin(0)
    assert machine.take(0, 1000, 0.4) == pytest.approx(250, rel=0.05)
    assert machine.now == pytest.approx(107.0, rel=0.05)
    assert limit.for_stage(structs.replace(stage, name="unknown"), stage) is None


def test_steps_that_were_guessed_say_nothing_about_what_follows(monkeypatch):
    """At 0.3 s a step, 110 s less 15 that are gone and 10 that follow have room for 283 more."""
    machine = Machine(monkeypatch, ends=110.0, longer=False)
    deadline = replace(machine.pacing.deadline, step=None)
    machine.pacing = Pacing(machine.pacing.stage, deadline, machine.decisions.append)
    machine.pacing.begin(0)
    assert machine.take(0, 50, 0.3) == pytest.approx(50 + 283, abs=5)


def test_where_it_can_a_faster_machine_takes_more_steps(monkeypatch):
    assert Machine(monkeypatch, 110.0, longer=False).take(0, 1000, 0.05) == 1000
    machine = Machine(monkeypatch, 110.0, longer=True)
    machine.take(0, 100, 0.05)
    assert machine.take(100, 1000, 0.05) == pytest.approx(100 / 0.05, rel=0.05)


def test_a_short_stage_is_made_longer_after_its_first_chunk(monkeypatch):
    """20 of 40 steps take 1 s; 110 s less 10 that follow have room for 2,000 such steps."""
    machine = Machine(monkeypatch, 110.0, longer=True)
    stage = structs.replace(machine.pacing.stage, steps=40)
    machine.pacing = Pacing(stage, machine.pacing.deadline, machine.decisions.append)
    machine.pacing.begin(0)
    assert machine.take(0, 20, 0.05) == 2000


def test_what_was_decided_before_a_stop_is_not_decided_again(monkeypatch):
    machine = Machine(monkeypatch, 110.0, longer=True)
    stage = structs.replace(machine.pacing.stage, steps=800, revised=((300, 1000),))
    machine.pacing = Pacing(stage, machine.pacing.deadline, machine.decisions.append)
    machine.take(200, 300, 5.0)
    assert machine.decisions == []


def test_what_follows_is_measured_again_while_it_trains(monkeypatch):
    """500 answers of 0.01 s become ones of 0.09 s: 45 s follow instead of 5, beside 5 others."""
    machine = Machine(monkeypatch, 110.0, longer=True)
    machine.pacing.time_answer = lambda: 0.09
    machine.take(0, 1000, 0.1)
    assert machine.now == pytest.approx(110 - 50, rel=0.05)
