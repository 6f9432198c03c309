"""From the course's recipe to ours, one change a row, at equal steps.

Each row keeps the changes of the rows before it. Dev is what they are compared on, by means of
three seeds: exploratory, since settings were never chosen on it but it has been looked at.
"""

from dataclasses import replace
from typing import Any

from wherefrom.core.recipe import ModelEntry, Recipe, Schedule, Share
from wherefrom.objectives.answers import AnswersConfig
from wherefrom.recipes import birthplaces
from wherefrom.training.optimisers import AdamWConfig


def change_stage(recipe: Recipe, **fields: Any) -> Recipe:
    """The recipe with fields of its pretraining replaced."""
    stages = tuple(replace(s, **fields) if s.name == "pretrain" else s for s in recipe.stages)
    return replace(recipe, stages=stages)


def change_spans(recipe: Recipe, **fields: Any) -> Recipe:
    first, *rest = recipe.stage("pretrain").mix
    spans = replace(first, objective=replace(first.objective, **fields))
    return change_stage(recipe, mix=(spans, *rest))


def _rows() -> dict[str, Recipe]:
    ours = birthplaces.knowledge().stage("pretrain")
    spans: Any = ours.mix[0].objective
    faithful = birthplaces.course()
    steps = faithful.stage("pretrain").steps
    faithful = replace(
        faithful, stages=faithful.stages[1:], models=faithful.models[1:],
        tasks=tuple(replace(t, predictors=("with_pretraining",)) for t in faithful.tasks),
    )  # fmt: skip
    rows = {"bf16": change_stage(faithful, arithmetic="bf16")}
    last = rows["bf16"]

    def add(name: str, recipe: Recipe) -> Recipe:
        rows[name] = recipe
        return recipe

    decent = AdamWConfig(rate=1e-3, decay=0.1)
    falling = Schedule(shape="cosine", warmup=ours.schedule.warmup)
    last = add(
        "one cosine from 1e-3, shuffled",
        change_stage(last, optimiser=decent, schedule=falling, order="shuffled"),
    )
    last = add("architecture", replace(last, model=birthplaces.MODERN))
    last = add("optimiser", change_stage(last, optimiser=ours.optimiser, schedule=ours.schedule))
    last = add("windows behind the name", change_spans(last, windows=spans.windows))
    last = add(
        "salient spans",
        change_spans(
            last,
            salient=spans.salient,
            beside_subject=spans.beside_subject,
            background=spans.background,
            truncate=spans.truncate,
            longest=spans.longest,
        ),
    )
    first = replace(last.stage("pretrain").mix[0], share=ours.mix[0].share)
    mixed = change_stage(
        last, mix=(first, Share("questions", AnswersConfig(), ours.mix[1].share)), steps=steps
    )
    mixed = replace(
        mixed, data=replace(mixed.data, letters="all"), stages=mixed.stages[:1],
        models=(ModelEntry("with_pretraining", "pretrain"),),
    )  # fmt: skip
    last = add("questions mixed in, no finetuning", mixed)
    weak = replace(ours.optimiser, decay=0.01)
    add("that with decay 0.01", change_stage(last, optimiser=weak))
    return rows


ROWS = _rows()
