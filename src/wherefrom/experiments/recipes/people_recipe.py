"""`people`: teach a small model facts about generated people and ask it closed-book."""

from msgspec.structs import replace

from wherefrom.core.recipe import Recipe, Schedule, Share, Stage, Task
from wherefrom.data.people import PeopleConfig
from wherefrom.experiments.recipes.birthplaces_recipe import MODERN
from wherefrom.experiments.recipes.facts_recipe import MODELS, PREDICTORS, QUESTIONS_ONLY, READ
from wherefrom.objectives.question_rows import AnswersConfig
from wherefrom.objectives.span_corruption import NextCharacterConfig, SpanCorruptionConfig
from wherefrom.training.optimisers import AdamWConfig


def people_omitted() -> Recipe:
    """`people` with more people whose text omits the answer, half of them in no omission row.

    What the model does with the others is no measure of people that it was not trained on.
    """
    usual = people()
    return replace(
        usual,
        name="people-omitted",
        summary="people, to measure what it answers about people whose text omits the answer",
        data=replace(usual.data, omitted=50),
        withhold_omitted=True,
    )


def people() -> Recipe:
    """One narrow layer that reads n-grams.

    Facts weigh ten times what names and wording do, and the questions come late: earlier, the
    model learns them by heart instead of learning to look the person up. One row in sixteen teaches
    it not to be sure of what the text does not say.
    """
    spans = SpanCorruptionConfig(
        windows=0.3,
        salient=1.0,
        beside_subject=0.9,
        answer_like=0.9,
        background=0.1,
        truncate=False,
        longest=1.0,
    )
    text = NextCharacterConfig(windows=0.3, background=0.1)
    omissions = replace(spans, reads="omissions", beside_subject=1.0, weight=0.3, background=0.0)
    optimiser = AdamWConfig(rate=4e-3, decay=0.1)
    return Recipe(
        name="people",
        summary="generated people: facts from text, asked closed-book",
        data=PeopleConfig(masked=40),
        model=replace(MODERN, n_layer=1, n_embd=64, qk_norm=False, embd_pdrop=0.1, ngrams=5),
        stages=(
            Stage(
                name=READ,
                mix=(
                    Share("spans", spans, 0.5175),
                    Share("text", text, 0.30),
                    Share("questions", AnswersConfig(), 0.12, start=0.55),
                    Share("omissions", omissions, 0.0625),
                ),
                optimiser=optimiser,
                schedule=Schedule(),
                steps=2000,
                batch=16,
                packed=True,
            ),
            Stage(
                name=QUESTIONS_ONLY,
                mix=(Share("questions", AnswersConfig()),),
                optimiser=optimiser,
                schedule=Schedule(),
                steps=300,
                batch=16,
            ),
        ),
        models=MODELS,
        primary="with_pretraining",
        tasks=(Task(name="birthplace", predictors=PREDICTORS),),
        abstain=True,
        wordings=True,
    )
