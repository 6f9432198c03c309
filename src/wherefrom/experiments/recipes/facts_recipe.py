"""`facts`: the user's own text and questions, any relation.

Two settings, one for a CPU and one for a GPU. `experiments/plan.py` chooses between them, from the
text and the machine.
"""

from msgspec.structs import replace

from wherefrom.core.contracts import WITH_TEXT
from wherefrom.core.recipe import ModelEntry, Recipe, Schedule, Share, Stage, Task
from wherefrom.data.facts import FactsConfig
from wherefrom.evaluation.baselines import OPEN_BOOK
from wherefrom.experiments.recipes.birthplaces_recipe import MODERN
from wherefrom.objectives.question_rows import AnswersConfig
from wherefrom.objectives.span_corruption import SpanCorruptionConfig
from wherefrom.training.optimisers import MuonConfig

NOTES, NOTED = "notes", 0.6  # the share of the rows that teach notes, before a plan sets it
# Of the loss on names: the name gate knows names by it. It slows the learning of answers a little,
# so names are taught where notes are shown often enough for a second wording.
NAMED = 0.1
READ = "pretrain"  # the stage that reads the text
QUESTIONS_ONLY = "questions_only"  # the one that does not
# What is compared: a model that read the text, one that saw the questions only, and no model;
# where notes are taken, what the reader answers at once.
MODELS = (ModelEntry("without_pretraining", QUESTIONS_ONLY), ModelEntry("with_pretraining", READ))
BASELINES = ("majority", "nearest_name")
PREDICTORS = (*BASELINES, *(model.name for model in MODELS))
_WITH_NOTES = (*BASELINES, MODELS[0].name, OPEN_BOOK, MODELS[1].name)
_SUMMARY = "your own text and questions: --corpus FILE.txt --questions FILE.tsv"


def facts() -> Recipe:
    return small()


def without_notes(recipe: Recipe) -> Recipe:
    """The recipe for a model that learns from the text and the questions alone."""
    return replace(
        recipe,
        notes=False,
        wordings=True,
        stages=tuple(map(_drop_notes, recipe.stages)),
        tasks=tuple(replace(task, predictors=PREDICTORS) for task in recipe.tasks),
    )


def share_out(read: Stage, noted: float, wordings: int) -> Stage:
    """The stage with another share of rows that teach notes, in `wordings` kinds of wordings.

    The text has what is left.
    """
    spans, notes, questions = read.mix
    names = NAMED if wordings > 1 else 0.0
    given = AnswersConfig(reads="notes", wordings=wordings, names=names)
    mix = (
        replace(spans, share=1 - noted - questions.share),
        replace(notes, share=noted, objective=given),
        replace(questions, objective=AnswersConfig(names=names)),
    )
    return replace(read, mix=mix)


def _drop_notes(stage: Stage) -> Stage:
    """The stage with its notes' rows given to the text, which has the first share."""
    if not any(share.name == NOTES for share in stage.mix):
        return stage
    first, notes, questions = stage.mix
    questions = replace(questions, objective=AnswersConfig())
    return replace(stage, mix=(replace(first, share=first.share + notes.share), questions))


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
TABLES = replace(MUON, adam_rate=6e-3)  # where most weights are those of n-grams
SLOWER = MuonConfig(rate=0.01, adam_rate=1.5e-3, decay=0.1)  # for models wider than 256


def small(batch: int = 64) -> Recipe:
    """What a CPU can teach in minutes, and a GPU where there are notes: one narrow layer, n-grams.

    Five letters nearly tell a name, so there is little left for further layers to find out: in the
    same time a second one, or shorter n-grams, learnt half as much (docs/research/LOG.md).
    """
    model = replace(
        MODERN,
        block_size=192,
        n_layer=1,
        n_head=4,
        n_embd=96,
        ngrams=5,
        ngram_buckets=8192,
    )
    read = Stage(
        name=READ,
        mix=_mix(0.1),
        optimiser=TABLES,
        schedule=Schedule(),
        steps=3000,
        batch=batch,
        buckets=2,
        packed=True,
    )
    return _recipe(model, read)


def large(width: int = 256) -> Recipe:
    """What a GPU can teach without notes, or from many of them.

    It is the model of `birthplaces-knowledge`, wider for a large text.
    """
    read = Stage(
        name=READ,
        mix=_mix(0.15),
        optimiser=MUON if width <= 256 else SLOWER,
        schedule=Schedule(warmup=0.007),
        steps=12_000,
        batch=128,
        arithmetic="bf16",
    )
    return _recipe(replace(MODERN, block_size=192, n_embd=width), read)


def _mix(questions: float) -> tuple[Share, ...]:
    """The text, which takes the rows that are left; what the reader noted of it; the questions."""
    return (
        Share("spans", SPANS, 1 - NOTED - questions),
        Share(NOTES, AnswersConfig(reads="notes", names=NAMED), NOTED),
        Share("questions", AnswersConfig(names=NAMED), questions),
    )


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
        tasks=(Task(name="answers", support=WITH_TEXT, predictors=_WITH_NOTES),),
        abstain=True,
        notes=True,
        watch=60,
    )
