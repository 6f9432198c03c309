"""`sentiment`: a deep averaging network on film reviews, and the homework's study of it.

Every setting of the study is a stage of its own. It has one thing otherwise than the first
`trainable` model: word dropout in its objective, or depth or activation in the variant of the
model; `epochs` trains longer and is looked at after every epoch. Settings are compared on the
validation reviews alone; test reviews are put to the three `trainable` models, which differ in
nothing but their draws, and to one with frozen vectors.
"""

from typing import Any

from wherefrom.core.recipe import ModelEntry, Recipe, Schedule, Share, Stage, Task
from wherefrom.data.reviews import ReviewsConfig
from wherefrom.models.dan import DANConfig, DANVariant
from wherefrom.objectives.word_bags import BagsConfig
from wherefrom.training.optimisers import AdamWConfig

SEEDS = 3
WORD_DROPOUT = 0.3
EPOCH, BATCH = 80, 282  # 80 steps of 282 are an epoch of nine tenths of IMDB's 25,000 reviews


def sentiment() -> Recipe:
    trainable = tuple(_stage(f"trainable-{i + 1}") for i in range(SEEDS))
    frozen = _stage("frozen", variant=DANVariant(frozen=True), epochs=10, word_dropout=0.0)
    studied = (
        *(_stage(f"dropout-{round(100 * p)}", word_dropout=p) for p in (0.0, 0.1, 0.5, 0.7)),
        *(_stage(f"depth-{n}", variant=DANVariant(depth=n)) for n in (0, 2, 3)),
        *(
            _stage(f"activation-{name}", variant=DANVariant(activation=name))
            for name in ("tanh", "sigmoid", "gelu")
        ),
        _stage("epochs", epochs=10, shape="constant", probe="validation"),
    )
    stages = (*trainable, frozen, *studied)
    reported = ("majority", *(s.name for s in (*trainable, frozen)))
    return Recipe(
        name="sentiment",
        summary="a deep averaging network on film reviews: word dropout, depth, activations",
        data=ReviewsConfig(),
        model=DANConfig(),
        stages=stages,
        models=tuple(ModelEntry(s.name, s.name) for s in stages),
        primary="trainable-1",
        tasks=(
            Task(name="test", predictors=reported, brief=True),
            Task(
                name="validation",
                split="calibration",
                predictors=tuple(s.name for s in stages),
                brief=True,
            ),
        ),
        threads=1,  # a step is too short for a second one to pay
    )


def _stage(
    name: str,
    *,
    word_dropout: float = WORD_DROPOUT,
    variant: DANVariant | None = None,
    epochs: int = 3,
    shape: str = "linear",
    probe: str | None = None,
) -> Stage:
    objective: Any = BagsConfig(word_dropout=word_dropout)
    return Stage(
        name=name,
        mix=(Share("reviews", objective),),
        optimiser=AdamWConfig(rate=0.02, decay=0.0, beta2=0.999),
        schedule=Schedule(shape=shape, warmup=0.05),
        steps=epochs * EPOCH,
        batch=BATCH,
        variant=variant,
        probe=probe,
    )
