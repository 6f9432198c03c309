"""`bigram`: the homework's word model as it was set, and the same network trained well.

Both have the same frozen inputs and the same 50 hidden units. The homework takes 40,000 steps of
50 bigrams each from parameters that begin too large. The better one begins in Glorot's range and
takes every step on all bigrams at once, since they are but a table of counts. `bigram-tiny` has
hand-written gradients through the same loop, on a generated text.
"""

from wherefrom.core.recipe import ModelEntry, Recipe, Schedule, Share, Stage, Task
from wherefrom.data.tiny_text import TinyTextConfig
from wherefrom.data.treebank import TreebankConfig
from wherefrom.models.bigram import BigramConfig
from wherefrom.objectives.bigrams import BigramsConfig
from wherefrom.training.numpy_learner import SGDConfig
from wherefrom.training.optimisers import AdamWConfig

UNCLIPPED = 1e9  # a norm that no gradient reaches


def bigram() -> Recipe:
    homework = Stage(
        name="homework",
        mix=(Share("bigrams", BigramsConfig()),),
        optimiser=SGDConfig(rate=0.3, halve_every=20_000),
        schedule=Schedule(shape="constant", warmup=0.0),
        steps=40_000,
        batch=50,
        clip=UNCLIPPED,
    )
    # Rate, decay and steps were chosen on the last tenth of the training text, never on dev.
    better = Stage(
        name="better",
        mix=(Share("bigrams", BigramsConfig(table=True)),),
        optimiser=AdamWConfig(rate=0.03, decay=0.3, beta2=0.95),
        schedule=Schedule(warmup=0.05),
        steps=400,
        batch=1,  # every step has all bigrams
        clip=UNCLIPPED,
    )
    return Recipe(
        name="bigram",
        summary="the homework's bigram network in numpy, the same trained well, and plain counts",
        data=TreebankConfig(),
        model=BigramConfig(hidden=50, width=50, initial=("normal", "glorot")),
        stages=(homework, better),
        models=(ModelEntry("homework", "homework"), ModelEntry("better", "better")),
        primary="better",
        tasks=(
            Task(
                name="held-out",
                measure="perplexity",
                predictors=("unigram", "counts", "homework", "better"),
            ),
        ),
    )


def bigram_tiny() -> Recipe:
    return Recipe(
        name="bigram-tiny",
        summary="a one-hidden-layer bigram network in numpy on a generated text",
        data=TinyTextConfig(),
        model=BigramConfig(),
        stages=(
            Stage(
                name="train",
                mix=(Share("bigrams", BigramsConfig()),),
                optimiser=SGDConfig(),
                schedule=Schedule(),
                steps=2000,
                batch=128,
            ),
        ),
        models=(ModelEntry("network", "train"),),
        primary="network",
        tasks=(Task(name="held-out", measure="perplexity", predictors=("unigram", "network")),),
    )
