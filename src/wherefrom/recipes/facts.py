"""`facts`: the user's own text and questions, any relation.

Two settings, one for a CPU and one for a GPU. `experiments/planning.py` chooses between them and
sets how long they train, from the text and the machine.
"""

from dataclasses import replace

from wherefrom.core.contracts import WITH_TEXT
from wherefrom.core.recipe import ModelEntry, Recipe, Schedule, Share, Stage, Task
from wherefrom.data.facts import FactsConfig
from wherefrom.objectives.answers import AnswersConfig
from wherefrom.objectives.spans import SpanCorruptionConfig
from wherefrom.recipes.birthplaces import MODERN
from wherefrom.training.optimisers import MuonConfig

READ, READ_AGAIN = "pretrain", "pretrain_{}"  # the stages that read the text
QUESTIONS_ONLY = "questions_only"  # the one that does not
# What is compared: a model that read the text, one that saw the questions only, and no model.
MODELS = (ModelEntry("without_pretraining", QUESTIONS_ONLY), ModelEntry("with_pretraining", READ))
PREDICTORS = ("majority", "nearest_name", *(model.name for model in MODELS))
_SUMMARY = "your own text and questions: --corpus FILE.txt --questions FILE.tsv"


def facts() -> Recipe:
    return small()


# Every row is a subject's name, a few words of what the text says of it, and one phrase moved
# behind them, nearly always one that looks like an answer: that is what is learnt from.
SPANS = SpanCorruptionConfig(
    windows=1.0,
    salient=1.0,
    beside_subject=0.9,
    answer_like=0.9,
    background=0.1,
    longest=0.5,
    long_texts="window",
    reads="passages",
)
MUON = MuonConfig(rate=0.02, adam_rate=3e-3, decay=0.1)
SLOWER = MuonConfig(rate=0.01, adam_rate=1.5e-3, decay=0.1)  # for models wider than 256


def small() -> Recipe:
    """What a CPU can teach in minutes: two narrow layers that read n-grams."""
    model = replace(
        MODERN,
        block_size=192,
        n_layer=2,
        n_head=4,
        n_embd=128,
        embd_pdrop=0.05,
        ngrams=3,
        ngram_buckets=8192,
    )
    read = Stage(
        name=READ,
        mix=(Share("spans", SPANS, 0.9), Share("questions", AnswersConfig(), 0.1)),
        optimiser=MUON,
        schedule=Schedule(),
        steps=3000,
        batch=64,
        buckets=2,
        packed=True,
    )
    return _recipe(model, read)


def large(width: int = 256) -> Recipe:
    """What a GPU can teach: the model of `birthplaces-knowledge`, wider for a large text."""
    read = Stage(
        name=READ,
        mix=(Share("spans", SPANS, 0.85), Share("questions", AnswersConfig(), 0.15)),
        optimiser=MUON if width <= 256 else SLOWER,
        schedule=Schedule(warmup=0.007),
        steps=12_000,
        batch=128,
        arithmetic="bf16",
    )
    return _recipe(replace(MODERN, block_size=192, n_embd=width), read)


def _recipe(model: object, read: Stage) -> Recipe:
    questions = replace(
        read, name=QUESTIONS_ONLY, mix=(Share("questions", AnswersConfig()),), steps=300, batch=16
    )
    return Recipe(
        name="facts",
        summary=_SUMMARY,
        data=FactsConfig(),
        model=model,
        stages=(read, questions),
        models=MODELS,
        primary="with_pretraining",
        tasks=(Task(name="answers", support=WITH_TEXT, predictors=PREDICTORS),),
        abstain=True,
        wordings=True,
        watch=60,
    )


def read_again(recipe: Recipe, steps: int) -> Recipe:
    """The recipe with one stage more, which goes on reading from where the last one ended."""
    (last,) = (m.stage for m in recipe.models if m.name == recipe.primary)
    before = recipe.stage(last)
    count = sum(stage.name.startswith(READ) for stage in recipe.stages)
    more = replace(before, name=READ_AGAIN.format(count + 1), steps=steps, start_from=last)
    models = tuple(
        replace(m, stage=more.name) if m.name == recipe.primary else m for m in recipe.models
    )
    return replace(recipe, stages=(*recipe.stages, more), models=models)
