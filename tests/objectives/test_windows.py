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


def test_windows_begin_where_counted_draws_say():
    place = {"seed": 3, "stream": Stream.ORDER, "stage": 2, "step": 7}
    (word,) = draws(1, row=np.arange(4), **place)
    (found,) = windows(1000, 10, seed=3, stage=2).plan(7, 1)
    np.testing.assert_array_equal(found, below(word, 990))


def test_documents_are_read_one_after_the_other():
    tokens = stream([Document("to b"), Document("e\n")], PRINTABLE)
    assert PRINTABLE.decode(tokens.tolist()) == "to be\n"


def test_what_cannot_be_drawn_from_is_refused():
    with pytest.raises(BadData, match=r"expected more than 5 characters .* found 5"):
        windows(5, 5)
    assert windows(6, 5).plan(0, 3).eq(0).all()  # room for one window
    with pytest.raises(UsageError, match="length"):
        windows(5, 0)
