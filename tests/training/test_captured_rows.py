"""Rows and slots of captured steps, without a GPU: a graph's step is called instead of replayed."""

import numpy as np
import pytest
import torch

from wherefrom.training import captured, captured_rows
from wherefrom.training.captured import CapturedSteps
from wherefrom.training.captured_rows import choose_room, count_characters, find_usual, render_rows


class Noted:
    """In place of a graph: takes the step as it was when it was captured, and counts."""

    def __init__(self, steps: CapturedSteps) -> None:
        self.steps, self.capacity, self.loss = steps, steps._capacity, steps._loss
        self.replayed = 0

    def replay(self) -> None:
        self.steps._capacity, self.steps._loss = self.capacity, self.loss
        self.steps._step()
        self.replayed += 1


def test_characters_are_counted_and_rows_rendered_in_parts(stacks, monkeypatch):
    objective = stacks.build(3).objective
    whole = objective.render_all(objective.plan(0, stacks.steps))
    monkeypatch.setattr(captured_rows, "_RENDERED", 1)
    found = count_characters(objective, stacks.steps)
    assert found.tolist() == whole.lengths.sum(1).tolist()
    parts = list(render_rows(objective, 5, 9))
    assert [here for here, _ in parts] == [slice(i, i + 1) for i in range(4)]
    rendered = torch.cat([batch.inputs for _, batch in parts])
    assert torch.equal(rendered, whole.inputs[5:9])


def test_the_usual_step_has_no_room_for_the_few_fullest():
    characters = torch.tensor([300] * 198 + [500, 900])
    assert find_usual(characters) == 384  # the next multiple of 128
    assert find_usual(torch.tensor([128] * 10)) == 128


def test_there_is_room_for_what_memory_holds(stacks, monkeypatch):
    objective = stacks.build(3).objective
    one = objective.render_all(objective.plan(0, 1))
    monkeypatch.setattr(captured_rows, "_ON_CPU", 1)
    assert choose_room(one, 1, least=4, most=50) == 4
    monkeypatch.setattr(captured_rows, "_ON_CPU", 2**30)
    assert choose_room(one, 1, least=4, most=50) == 50


@pytest.mark.parametrize("free", [1, 2**28])  # bytes: rows of a chunk, or of all steps
def test_fuller_steps_are_replayed_from_a_graph_of_their_own(stacks, free, monkeypatch):
    monkeypatch.setattr(captured_rows, "_ON_CPU", free)
    monkeypatch.setattr(captured_rows, "_USUAL", 0.5)
    monkeypatch.setattr(captured_rows, "_ROUND", 1)
    monkeypatch.setattr(captured, "WORTH_COMPILING", 1)
    monkeypatch.setattr(torch, "compile", lambda function, **_: function)
    monkeypatch.setattr(torch.compiler, "reset", lambda: None)
    monkeypatch.setattr(CapturedSteps, "_capture", lambda self: Noted(self))
    given = {"dtype": torch.float64, "packed": True}
    plain, learner = stacks.build(3, **given), stacks.capture(stacks.build(3, **given))
    chunks = [(0, 6), (6, 6), (12, 3)]
    found = np.concatenate([learner.advance(*chunk)["loss"] for chunk in chunks])
    expected = plain.advance(0, 15)["loss"]
    np.testing.assert_allclose(found, expected, atol=1e-6)  # metrics are float32
    assert stacks.largest_difference(plain, learner) < 1e-6  # rates are, too
    steps = learner.captured
    fuller = count_characters(learner.objective, learner.stage.steps)[:15] > steps._graph.capacity
    assert steps._full_graph.replayed == int(fuller.sum())
    assert 0 < steps._full_graph.replayed < 15
    assert steps._full_graph.capacity > steps._graph.capacity
