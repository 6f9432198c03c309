"""`bigram-tiny`: a numpy network with hand-written gradients through the same loop."""

from wherefrom.core.recipe import ModelEntry, Recipe, Schedule, Share, Stage, Task
from wherefrom.data.tiny_text import TinyTextConfig
from wherefrom.models.bigram import BigramConfig
from wherefrom.objectives.bigrams import BigramsConfig
from wherefrom.training.numpy_learner import SGDConfig


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
