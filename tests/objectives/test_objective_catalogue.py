"""A stage's objectives, built from its shares over one material."""

from dataclasses import replace

import torch
from msgspec import structs

from wherefrom.core.contracts import Batch, Dataset, Document, Question, Span
from wherefrom.core.recipe import Schedule, Share, Stage
from wherefrom.core.vocabulary import MASK_ID, Vocabulary
from wherefrom.objectives.objective_catalogue import Material, build_objective
from wherefrom.objectives.question_rows import AnswersConfig
from wherefrom.objectives.span_corruption import NextCharacterConfig, SpanCorruptionConfig

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


def test_a_stage_is_built_from_its_shares():
    mix = build_objective(STAGE, 0, material())
    early, late = mix.render(mix.plan(4, 1), 0), mix.render(mix.plan(5, 1), 0)
    assert len(early.inputs) == len(late.inputs) == 8

    def masks(batch: Batch) -> list[int]:
        return (torch.cat((batch.inputs[:, :1], batch.targets), 1) == MASK_ID).sum(1).tolist()

    assert masks(early) == [3] * 6 + [0] * 2
    assert masks(late) == [3] * 4 + [0] * 2 + [2] * 2


def test_documents_held_out_are_never_read():
    dataset = Dataset(DOCUMENTS, (), QUESTIONS, held_out=3)
    kept = replace(material(), dataset=dataset)
    assert len(kept.corpus) == 4
    stage = structs.replace(STAGE, mix=STAGE.mix[:1])
    ((_, plan, _),) = build_objective(stage, 0, kept).plan(0, 10)
    assert set(plan[..., 0].flatten().tolist()) == {0, 1, 2, 3}


def test_omissions_are_read_of_those_whose_text_has_no_answer_and_left_out_where_all_have_one():
    """Ann to Eve are asked about and told of; of Flo the text says something else."""
    names = ("Ann", "Bob", "Cyd", "Dan", "Eve")
    told = [Document(f"{name} was born in Rome.", Span(0, 3)) for name in names]
    flo = Document("Flo sings.", Span(0, 3))
    questions = tuple(
        Question(f"Where was {name} born?", name, "birthplace", "Rome", "asked") for name in names
    )
    omissions = SpanCorruptionConfig(reads="omissions", salient=1.0, beside_subject=1.0)
    stage = structs.replace(STAGE, mix=(STAGE.mix[1], Share("omissions", omissions, 0.25)))

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
