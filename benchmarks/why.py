"""From the course's recipe to ours, one step a row, at equal steps of training.

Each of ROWS keeps the changes of the rows before it, and names all that it changes. The others
change one thing alone: WITHOUT takes it out of the last of ROWS, ADDED puts it into the course's
recipe. Dev is what they are compared on, by means of three seeds: exploratory, since no setting
was chosen on it but it has been looked at.
"""

from dataclasses import dataclass, replace
from typing import Any

from wherefrom.core.recipe import ModelEntry, Recipe, Schedule, Share
from wherefrom.objectives.answers import AnswersConfig
from wherefrom.recipes import birthplaces
from wherefrom.training.optimisers import AdamWConfig

MODEL = "with_pretraining"


@dataclass(frozen=True)
class Row:
    name: str
    label: str
    recipe: Recipe


def change_stage(recipe: Recipe, **fields: Any) -> Recipe:
    """The recipe with fields of its pretraining replaced."""
    stages = tuple(replace(s, **fields) if s.name == "pretrain" else s for s in recipe.stages)
    return replace(recipe, stages=stages)


def change_spans(recipe: Recipe, **fields: Any) -> Recipe:
    first, *rest = recipe.stage("pretrain").mix
    spans = replace(first, objective=replace(first.objective, **fields))
    return change_stage(recipe, mix=(spans, *rest))


def begin() -> Recipe:
    """The course's recipe without its model that is not pretrained."""
    course = birthplaces.course()
    tasks = tuple(replace(t, predictors=(MODEL,)) for t in course.tasks)
    return replace(course, stages=course.stages[1:], models=course.models[1:], tasks=tasks)


def mix_questions(recipe: Recipe, share: float) -> Recipe:
    """Questions, with all their letters, in every batch; nothing is finetuned."""
    first = replace(recipe.stage("pretrain").mix[0], share=1 - share)
    mixed = change_stage(recipe, mix=(first, Share("questions", AnswersConfig(), share)))
    return replace(
        mixed, data=replace(mixed.data, letters="all"), stages=mixed.stages[:1],
        models=(ModelEntry(MODEL, "pretrain"),),
    )  # fmt: skip


def build_rows() -> tuple[Row, ...]:
    ours = birthplaces.knowledge()
    stage = ours.stage("pretrain")
    spans: Any = stage.mix[0].objective
    rows: list[Row] = []

    def add(name: str, label: str, recipe: Recipe) -> Recipe:
        rows.append(Row(name, label, recipe))
        return recipe

    cosine = Schedule(shape="cosine", warmup=stage.schedule.warmup)
    last = add(
        "rate",
        "a forgiving schedule: one cosine from 1e-3, decay on matrices alone, shuffled, bf16",
        change_stage(begin(), optimiser=AdamWConfig(rate=1e-3, decay=0.1), schedule=cosine,
                     order="shuffled", arithmetic="bf16"))  # fmt: skip
    last = add(
        "architecture",
        "RMSNorm, RoPE, QK-norm, ReLU², branches that begin at zero, no biases, no dropout",
        replace(last, model=ours.model),
    )
    last = add("optimiser", "Muon, with a rate that falls linearly to zero",
               change_stage(last, optimiser=stage.optimiser, schedule=stage.schedule))  # fmt: skip
    last = add("windows", "windows behind the name", change_spans(last, windows=spans.windows))
    last = add("salient", "salient spans", change_spans(last, salient=spans.salient))
    last = add("answers", "salient spans that are somebody's answer",
               change_spans(last, answer_like=spans.answer_like))  # fmt: skip
    add("mixing", "questions, with all their letters, in every batch; no finetuning",
        mix_questions(last, stage.mix[1].share))  # fmt: skip
    return tuple(rows)


def build_without() -> tuple[Row, ...]:
    """One thing taken out of where ROWS arrive."""
    ours, course = ROWS[-1].recipe, begin()
    muon: Any = ours.stage("pretrain").optimiser
    adamw = ROWS[0].recipe.stage("pretrain")
    return (
        Row("letters", "names in the questions lose their accents",
            replace(ours, data=course.data)),
        Row("answers", "salient spans are any phrases", change_spans(ours, answer_like=0.0)),
        Row("salient", "no salient spans", change_spans(ours, salient=0.0)),
        Row("windows", "every text from its beginning", change_spans(ours, windows=0.0)),
        Row("decay", "decay 0.01 instead of 0.1",
            change_stage(ours, optimiser=replace(muon, decay=0.01))),
        Row("optimiser", "AdamW, with a rate that falls as a cosine",
            change_stage(ours, optimiser=adamw.optimiser, schedule=adamw.schedule)),
        Row("architecture", "the course's model", replace(ours, model=course.model)),
    )  # fmt: skip


def build_added() -> tuple[Row, ...]:
    """One thing put into the course's recipe, where ROWS begin."""
    course, ours = begin(), birthplaces.knowledge()
    stage = ours.stage("pretrain")
    spans: Any = stage.mix[0].objective
    return (
        Row("optimiser", "Muon, with a rate that falls linearly to zero",
            change_stage(course, optimiser=stage.optimiser, schedule=stage.schedule)),
        Row("architecture", "our model", replace(course, model=ours.model)),
        Row("salient", "salient spans", change_spans(course, salient=spans.salient)),
        Row("windows", "windows behind the name", change_spans(course, windows=spans.windows)),
        Row("mixing", "questions in every batch; no finetuning",
            replace(mix_questions(course, stage.mix[1].share), data=course.data)),
    )  # fmt: skip


ROWS = build_rows()
WITHOUT = build_without()
ADDED = build_added()
