import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from wherefrom.core.characters import PRINTABLE
from wherefrom.core.contracts import Document
from wherefrom.core.errors import BadData, UsageError
from wherefrom.core.randomness import Stream, below, draws
from wherefrom.objectives.windows import Windows, stream


def windows(size: int, length: int, rows: int = 4, seed: int = 0, stage: int = 0) -> Windows:
    return Windows(torch.arange(size), length=length, rows=rows, seed=seed, stage=stage)


@given(st.integers(1, 30), st.integers(1, 30), st.integers(0, 5))
def test_a_window_never_leaves_the_text_and_targets_follow_inputs(length, more, seed):
    objective = windows(length + more, length, seed=seed)
    plan = objective.plan(0, 8)
    assert plan.shape == (8, 4)
    batch = objective.render_all(plan)
    assert batch.inputs.shape == batch.targets.shape == batch.weights.shape == (8, 4, length)
    assert torch.equal(batch.inputs[..., 0], plan)
    assert torch.equal(batch.targets, batch.inputs + 1)  # the text counts up
    assert int(batch.targets.max()) < length + more
    assert bool((batch.weights == 1).all())
    assert bool((batch.lengths == length).all())


def test_a_plan_over_many_steps_is_the_plans_of_its_steps():
    objective = windows(1000, 10, seed=3, stage=2)
    whole = objective.plan(5, 6)
    for i in range(6):
        assert torch.equal(objective.plan(5 + i, 1)[0], whole[i])
        one, all_ = objective.render(whole, i), objective.render_all(whole)
        assert torch.equal(one.inputs, all_.inputs[i])
        assert torch.equal(one.targets, all_.targets[i])
    place = {"seed": 3, "stream": Stream.ORDER, "stage": 2, "step": 7}
    (word,) = draws(1, row=np.arange(4), **place)
    np.testing.assert_array_equal(whole[2], below(word, 990))


def test_documents_are_read_one_after_the_other():
    tokens = stream([Document("to b"), Document("e\n")], PRINTABLE)
    assert PRINTABLE.decode(tokens.tolist()) == "to be\n"


def test_what_cannot_be_drawn_from_is_refused():
    with pytest.raises(BadData, match=r"expected more than 5 characters .* found 5"):
        windows(5, 5)
    assert windows(6, 5).plan(0, 3).eq(0).all()  # room for one window
    with pytest.raises(UsageError, match="length"):
        windows(5, 0)


def test_processes_render_their_rows():
    objective = windows(50, 6, rows=5)
    plan = objective.plan(0, 2)
    lengths, width = objective.outline(plan, 1)
    whole, everything = objective.render(plan, 1), objective.render_all(plan)
    assert (lengths.tolist(), width) == ([6] * 5, whole.inputs.shape[1])
    rows = slice(1, None, 3)
    assert torch.equal(objective.render(plan, 1, rows).inputs, whole.inputs[[1, 4]])
    assert torch.equal(objective.render_all(plan, rows).targets, everything.targets[:, [1, 4]])
