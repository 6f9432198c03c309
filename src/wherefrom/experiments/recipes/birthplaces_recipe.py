"""The course's birthplaces: its own recipe to the letter, and what can be taught beyond it."""

from msgspec.structs import replace

from wherefrom.core.contracts import EVERY_SUPPORT
from wherefrom.core.recipe import ModelEntry, Recipe, Schedule, Share, Stage, Task
from wherefrom.data.birthplaces import BirthplacesConfig
from wherefrom.models.gpt import GPTConfig
from wherefrom.objectives.question_rows import AnswersConfig
from wherefrom.objectives.span_corruption import SpanCorruptionConfig
from wherefrom.training.optimisers import AdamWConfig, MuonConfig

EPOCH = 23  # steps: 2,937 documents in batches of 128
BASELINES = ("london", "nearest_name")

MODERN = GPTConfig(
    attention="rope",
    norm="rms",
    activation="relu2",
    bias=False,
    qk_norm=True,
    embd_pdrop=0.0,
    resid_pdrop=0.0,
    attn_pdrop=0.0,
    zero_residual=True,
)


def _tasks(*models: str, beams: int) -> tuple[Task, ...]:
    return (
        Task(
            "dev",
            support=EVERY_SUPPORT,
            predictors=(*BASELINES, *models),
            beams=beams,
            place_aware=True,
        ),
        Task(
            "test",
            measure="predictions",
            split="unanswered",
            support=("unknown",),
            predictors=models,
            beams=beams,
        ),
    )


def course() -> Recipe:
    """Every hyperparameter and quirk of the course; `model.attention` chooses the variant.

    No shuffling, padding counted by a rate that comes back, decay on norms, names that lose
    their accents: each is a named policy here.
    """
    falling = Schedule(shape="course", floor=0.1)

    def adamw(rate: float) -> AdamWConfig:
        return AdamWConfig(rate=rate, decay=0.1, decayed="all but bias")

    questions = Stage(
        name="finetune_only",
        mix=(Share("questions", AnswersConfig()),),
        optimiser=adamw(6e-4),
        schedule=falling,
        steps=75 * 8,
        batch=256,
        order="file",
        arithmetic="tf32",  # bf16 diverges at this rate
    )
    pretrain = replace(
        questions,
        name="pretrain",
        mix=(Share("spans", SpanCorruptionConfig()),),
        optimiser=adamw(6e-3),
        steps=650 * EPOCH,
        batch=128,
    )
    finetune = replace(questions, name="finetune", steps=10 * 8, start_from="pretrain")
    return Recipe(
        name="birthplaces-course",
        summary="the course's assignment to the letter: pretrain on spans, finetune, answer",
        data=BirthplacesConfig(letters="ascii"),
        model=GPTConfig(bottleneck_dim=64),
        stages=(questions, pretrain, finetune),
        models=(
            ModelEntry("without_pretraining", "finetune_only"),
            ModelEntry("with_pretraining", "finetune"),
        ),
        primary="with_pretraining",
        tasks=_tasks("without_pretraining", "with_pretraining", beams=1),
    )


def knowledge() -> Recipe:
    """One model of the course's size that knows four times as much.

    Windows behind the name make the name carry the fact, salient spans put the loss where facts
    are, and the questions are part of every batch, so that nothing is finetuned away. What is
    asked so from the beginning is learnt with Muon far better than with AdamW.
    """
    spans = SpanCorruptionConfig(windows=0.5, salient=0.5, answer_like=0.9)
    return Recipe(
        name="birthplaces-knowledge",
        summary="the course's text and questions, taught far better; for a GPU",
        data=BirthplacesConfig(),
        model=MODERN,
        stages=(
            Stage(
                name="pretrain",
                mix=(Share("spans", spans, 0.8), Share("questions", AnswersConfig(), 0.2)),
                optimiser=MuonConfig(rate=0.02, adam_rate=3e-3, decay=0.1),
                schedule=Schedule(warmup=0.007),
                steps=900 * EPOCH,
                batch=128,
                arithmetic="bf16",
            ),
        ),
        models=(ModelEntry("model", "pretrain"),),
        primary="model",
        tasks=_tasks("model", beams=4),
    )


def calibrated() -> Recipe:
    """The knowledge recipe with 400 questions kept back, on which the policy is fitted."""
    recipe = knowledge()
    return replace(
        recipe,
        name="birthplaces-calibrated",
        summary="the same, with 400 questions kept back to set when it says 'I don't know'",
        data=replace(recipe.data, calibration=400),
        abstain=True,
    )


def laptop() -> Recipe:
    """What two CPU cores can teach in minutes: a narrow model that reads n-grams.

    Every row is a name and a short stretch of its line with one phrase moved behind it, mostly
    one that is the answer to somebody's question: there is no time for the rest of the text.
    """
    spans = SpanCorruptionConfig(
        windows=1.0, salient=1.0, beside_subject=0.9, answer_like=0.9, background=0.1, longest=0.4
    )
    recipe = knowledge()
    return replace(
        recipe,
        name="birthplaces-laptop",
        summary="the same for two CPU cores: minutes instead of hours",
        model=replace(
            MODERN,
            n_layer=2,
            n_embd=64,
            qk_norm=False,
            embd_pdrop=0.1,
            ngrams=4,
            ngram_buckets=8192,
        ),
        stages=(
            Stage(
                name="pretrain",
                mix=(
                    Share("spans", spans, 0.85),
                    Share("questions", AnswersConfig(), 0.15, start=0.3),
                ),
                optimiser=AdamWConfig(rate=4e-3, decay=0.1),
                schedule=Schedule(),
                steps=8_000,
                batch=32,
            ),
        ),
    )
