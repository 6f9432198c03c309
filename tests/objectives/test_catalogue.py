"""A stage's objectives, built from its shares over one material."""

from dataclasses import replace

import pytest
import torch

from wherefrom.core.contracts import Batch, Dataset, Document, Question, Span
from wherefrom.core.recipe import Schedule, Share, Stage
from wherefrom.core.vocabulary import MASK_ID, Vocabulary
from wherefrom.objectives.answers import AnswersConfig
from wherefrom.objectives.catalogue import Material, build_objective
from wherefrom.objectives.spans import NextCharacterConfig, SpanCorruptionConfig

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


def test_equal_objectives_in_two_shares_draw_apart():
    twice = (Share("one", SpanCorruptionConfig(), 0.5), Share("two", SpanCorruptionConfig(), 0.5))
    stage = replace(STAGE, mix=twice, batch=16)
    found = [plan for number in (0, 1) for plan in plans(stage, number).values()]
    assert {plan.shape for plan in found} == {(1, 8, 6)}
    assert len({tuple(plan.flatten().tolist()) for plan in found}) == 4


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


@pytest.mark.parametrize("order", ["shuffled", "file"])
@pytest.mark.parametrize("size", [2, 3, 8])
def test_the_rows_of_several_processes_are_those_of_one(order: str, size: int):
    """Before and after a share begins, with a short last step, row by row."""
    mix = build_objective(replace(STAGE, order=order), 0, material())
    plan = mix.plan(3, 4)
    everything = mix.render_all(plan)
    for i in range(4):
        whole = mix.render(plan, i)
        lengths, width = mix.outline(plan, i)
        assert torch.equal(lengths, whole.lengths)
        assert width == whole.inputs.shape[1]
        for rank in range(size):
            rows = slice(rank, None, size)
            part = mix.render(plan, i, rows)
            wide = part.inputs.shape[1]
            assert torch.equal(part.lengths, whole.lengths[rows])
            read = torch.arange(wide) < part.lengths[:, None]  # what is behind a row's end is not
            for name in ("inputs", "targets", "weights"):
                mine, theirs = getattr(part, name), getattr(whole, name)[rows, :wide]
                assert torch.equal(mine * read, theirs * read)
            assert not whole.weights[rows][:, wide:].any(), "nothing that counts is cut off"
    for rank in range(size):
        rows = slice(rank, None, size)
        part = mix.render_all(plan, rows)
        for name in ("inputs", "targets", "weights", "lengths"):
            assert torch.equal(getattr(part, name), getattr(everything, name)[:, rows])


def test_omissions_are_read_of_those_whose_text_has_no_answer_and_left_out_where_all_have_one():
    """Ann to Eve are asked about and told of; of Flo the text says something else."""
    names = ("Ann", "Bob", "Cyd", "Dan", "Eve")
    told = [Document(f"{name} was born in Rome.", Span(0, 3)) for name in names]
    flo = Document("Flo sings.", Span(0, 3))
    questions = tuple(
        Question(f"Where was {name} born?", name, "birthplace", "Rome", "asked") for name in names
    )
    omissions = SpanCorruptionConfig(reads="omissions", salient=1.0, beside_subject=1.0)
    stage = replace(STAGE, mix=(STAGE.mix[1], Share("omissions", omissions, 0.25)))

    def rows(*documents: Document) -> list[str]:
        vocabulary = Vocabulary.from_text([*(d.text for d in (*told, flo)), "Where was?"])
        dataset = Dataset(documents, (), questions)
        mix = build_objective(stage, 0, replace(material(), dataset=dataset, vocabulary=vocabulary))
        batch = mix.render(mix.plan(0, 1), 0)
        read = zip(batch.inputs, batch.lengths + 1, strict=True)
        return [vocabulary.decode(row[:n]) for row, n in read]

    with_flo = rows(*told, flo)
    assert [row.startswith("Flo was born in ") for row in with_flo] == [False] * 6 + [True] * 2
    assert not any("Flo" in row for row in rows(*told))
    assert len(rows(*told)) == 8
