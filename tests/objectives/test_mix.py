"""Several objectives in one batch: who has how many rows, and from when."""

from dataclasses import replace

import pytest
import torch

from wherefrom.core.contracts import Batch, Dataset, Document, Question
from wherefrom.core.errors import UsageError
from wherefrom.core.recipe import Schedule, Share, Stage
from wherefrom.core.vocabulary import MASK_ID, Vocabulary
from wherefrom.objectives.answers import AnswersConfig
from wherefrom.objectives.catalogue import Material, build_objective
from wherefrom.objectives.mix import Mix, split_rows
from wherefrom.objectives.spans import NextCharacterConfig, SpanCorruptionConfig


class Stamped:
    """Rows that say who made them (inputs), in which step (targets) and row."""

    def __init__(self, share: Share, rows: int, number: int) -> None:
        self.share, self.rows, self.number = share, rows, number
        self.width = share.objective

    def plan(self, first_step: int, count: int) -> torch.Tensor:
        return torch.arange(first_step, first_step + count)[:, None].expand(count, self.rows)

    def render(self, plan: torch.Tensor, index: int) -> Batch:
        shape = (self.rows, self.width)
        steps = plan[index][:, None].expand(shape)
        made_by = torch.full(shape, self.number + 1)
        return Batch(made_by, steps, torch.ones(shape), torch.full((self.rows,), self.width))


SHARES = [Share("a", 5, 0.58), Share("b", 3, 0.30), Share("c", 7, 0.12, start=0.55)]


def counts(batch: Batch) -> dict[int, int]:
    makers, rows = batch.inputs[:, 0].unique(return_counts=True)
    return dict(zip((makers - 1).tolist(), rows.tolist(), strict=True))


@pytest.mark.parametrize(
    ("shares", "rows", "expected"),
    [
        ([1.0], 16, [16]),
        ([0.58, 0.30], 16, [11, 5]),
        ([0.58, 0.30, 0.12], 16, [9, 5, 2]),
        ([0.9, 0.01], 16, [15, 1]),  # a share that would be none has one row
        ([0.5, 0.5], 1, [0, 1]),
        ([0.2, 0.8], 10, [2, 8]),
        ([0.1, 0.3], 10, [7, 3]),  # the first takes what is left
    ],
)
def test_rows_are_whole_and_all_are_given_out(shares, rows, expected):
    found = split_rows([Share(str(i), None, s) for i, s in enumerate(shares)], rows)
    assert found == expected
    assert sum(found) == rows


def test_shares_that_do_not_fit_the_batch_are_refused():
    with pytest.raises(UsageError, match="fit a batch of 10 rows, found 13 rows"):
        split_rows([Share("a", None), Share("b", None, 0.8), Share("c", None, 0.5)], 10)


def test_a_late_share_takes_its_rows_from_the_first():
    mix = Mix(SHARES, 16, 20, Stamped)
    plan = mix.plan(0, 20)
    for step in range(20):
        batch = mix.render(plan, step)
        assert counts(batch) == ({0: 11, 1: 5} if step < 11 else {0: 9, 1: 5, 2: 2})
        assert set(batch.targets[batch.weights > 0].tolist()) == {step}


def test_rows_are_padded_to_the_widest_and_padding_weighs_nothing():
    mix = Mix(SHARES, 16, 20, Stamped)
    batch = mix.render(mix.plan(12, 1), 0)
    assert batch.inputs.shape == batch.targets.shape == batch.weights.shape == (16, 7)
    assert batch.lengths.tolist() == [5] * 9 + [3] * 5 + [7] * 2
    real = torch.arange(7) < batch.lengths[:, None]
    assert torch.equal(batch.weights > 0, real)
    assert torch.equal(batch.inputs > 0, real)
    assert mix.render(mix.plan(3, 1), 0).inputs.shape == (16, 5)


@pytest.mark.parametrize(("first", "count"), [(0, 20), (9, 5), (10, 1), (11, 1), (5, 6), (11, 9)])
def test_a_step_is_the_same_in_whatever_chunk_it_is_planned(first, count):
    mix = Mix(SHARES, 16, 20, Stamped)
    plan = mix.plan(first, count)
    for i in range(count):
        here, there = mix.render(plan, i), mix.render(mix.plan(first + i, 1), 0)
        for name in ("inputs", "targets", "weights", "lengths"):
            assert torch.equal(getattr(here, name), getattr(there, name))


def test_two_shares_may_start_late_at_different_times():
    shares = [Share("a", 2), Share("b", 2, 0.5, start=0.25), Share("c", 2, 0.25, start=0.5)]
    mix = Mix(shares, 8, 8, Stamped)
    found = [counts(mix.render(mix.plan(step, 1), 0)) for step in range(8)]
    assert found == [{0: 8}] * 2 + [{0: 4, 1: 4}] * 2 + [{0: 2, 1: 4, 2: 2}] * 4


# --- with the real objectives ----------------------------------------------------------------

DOCUMENTS = tuple(Document(f"{word} went to Rome in 19{i}0.") for i, word in enumerate("abcdefg"))
QUESTIONS = tuple(
    Question(f"Where was {name}?", name, "birthplace", "Rome", "asked") for name in "abcde"
)
STAGE = Stage(
    "read",
    (
        Share("spans", SpanCorruptionConfig(), 0.5),
        Share("text", NextCharacterConfig(), 0.25),
        Share("questions", AnswersConfig(), 0.25, start=0.5),
    ),
    None, Schedule(), steps=10, batch=8,
)  # fmt: skip


def material(**changed) -> Material:
    dataset = Dataset(DOCUMENTS, (), QUESTIONS)
    vocabulary = Vocabulary.from_text([*(d.text for d in DOCUMENTS), "Where was?"])
    given = {"block_size": 48, "max_input": 48, "seed": 0, "device": torch.device("cpu")} | changed
    return Material(dataset, vocabulary, **given)


def plans(stage: Stage, number: int = 0, **changed) -> dict[int, torch.Tensor]:
    """The integers of every part at work in the last step, by the order of the shares."""
    mix = build_objective(stage, number, material(**changed))
    return {i: plan for i, (_, plan, _) in enumerate(mix.plan(9, 1))}


def test_a_stage_is_built_from_its_shares():
    mix = build_objective(STAGE, 0, material())
    early, late = mix.render(mix.plan(4, 1), 0), mix.render(mix.plan(5, 1), 0)
    assert len(early.inputs) == len(late.inputs) == 8

    def masks(batch: Batch) -> list[int]:
        return (torch.cat((batch.inputs[:, :1], batch.targets), 1) == MASK_ID).sum(1).tolist()

    assert masks(early) == [3] * 6 + [0] * 2
    assert masks(late) == [3] * 4 + [0] * 2 + [2] * 2


def test_shares_do_not_touch_each_others_draws():
    """Another objective in the first share leaves the second's rows as they were."""
    other = replace(STAGE, mix=(Share("spans", NextCharacterConfig(), 0.5), *STAGE.mix[1:]))
    here, there = plans(STAGE), plans(other)
    assert torch.equal(here[1], there[1])
    assert torch.equal(here[2], there[2])
    alone = replace(STAGE, mix=STAGE.mix[:2])
    assert torch.equal(plans(alone)[1], here[1])


def test_equal_objectives_in_two_shares_draw_apart():
    twice = (Share("one", SpanCorruptionConfig(), 0.5), Share("two", SpanCorruptionConfig(), 0.5))
    found = plans(replace(STAGE, mix=twice, batch=16))
    assert found[0].shape == found[1].shape == (1, 8, 6)
    assert not torch.equal(found[0], found[1])


def test_stages_and_seeds_draw_apart():
    here = plans(STAGE)
    for other in (plans(STAGE, 1), plans(STAGE, seed=1)):
        assert not any(torch.equal(here[i], other[i]) for i in range(2))


def test_documents_held_out_are_never_read():
    dataset = Dataset(DOCUMENTS, (), QUESTIONS, held_out=3)
    kept = replace(material(), dataset=dataset)
    assert len(kept.corpus) == 4
    stage = replace(STAGE, mix=STAGE.mix[:1])
    ((_, plan, _),) = build_objective(stage, 0, kept).plan(0, 10)
    assert set(plan[..., 0].flatten().tolist()) == {0, 1, 2, 3}


@pytest.mark.parametrize(("first", "count"), [(0, 3), (2, 9), (7, 4)])
def test_all_steps_at_once_are_the_steps_one_by_one(first, count):
    """Across the starts of late shares, and padded to one width."""
    spans, text, questions = STAGE.mix
    shares = (spans, questions, replace(text, start=0.8))
    mix = build_objective(replace(STAGE, mix=shares, steps=12), 0, material())
    plan = mix.plan(first, count)
    whole = mix.render_all(plan)
    assert whole.inputs.shape == (count, STAGE.batch, mix.width)
    for i in range(count):
        one = mix.render(plan, i)
        width = one.inputs.shape[1]
        assert torch.equal(whole.lengths[i], one.lengths)
        # A row's last character is what the one before it predicts; as an input it is idle.
        live = torch.arange(mix.width) < one.lengths[:, None]
        assert torch.equal((whole.inputs[i] * live)[:, :width], one.inputs * live[:, :width])
        for name in ("targets", "weights"):
            there = getattr(whole, name)[i]
            assert torch.equal(there[:, :width], getattr(one, name)), name
            assert not there[:, width:].any(), name
