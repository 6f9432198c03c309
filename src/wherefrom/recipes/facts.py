"""`facts`: the user's own text and questions, any relation."""

from dataclasses import replace

from wherefrom.core.contracts import WITH_TEXT
from wherefrom.core.recipe import Recipe, Task
from wherefrom.data.facts import FactsConfig
from wherefrom.objectives.spans import NextCharacterConfig, SpanCorruptionConfig
from wherefrom.recipes.people import people


def facts() -> Recipe:
    """The recipe of `people`, which suits short texts, over files of the user's own.

    Texts of any length are read in windows, so that no fact is out of reach.
    """
    recipe = people()
    read, *others = recipe.stages
    mix = []
    for share in read.mix:
        objective = share.objective
        if isinstance(objective, SpanCorruptionConfig):
            objective = replace(objective, long_texts="window")
        elif isinstance(objective, NextCharacterConfig):
            objective = replace(objective, windows=0.5)
        mix.append(replace(share, objective=objective))
    predictors = recipe.tasks[0].predictors
    return replace(
        recipe,
        name="facts",
        summary="your own text and questions: --corpus FILE.txt --questions FILE.tsv",
        data=FactsConfig(),
        stages=(replace(read, mix=tuple(mix)), *others),
        tasks=(Task(name="answers", support=WITH_TEXT, predictors=predictors),),
    )
