"""Character models of one long text: the homework's GRU, and a GPT beside it.

The text is tiny Shakespeare with `--data`, a generated one without. All train on its first nine
tenths and are scored on every character of the last. Those called `-gpu` are larger, with settings
of their own: on a CPU the GRU takes hours, the GPT a day.
"""

from msgspec.structs import replace

from wherefrom.core.recipe import ModelEntry, Recipe, Schedule, Share, Stage, Task
from wherefrom.data.character_text import CharactersConfig
from wherefrom.experiments.recipes.birthplaces_recipe import MODERN
from wherefrom.models.gru import GRUConfig
from wherefrom.objectives.windows import WindowsConfig
from wherefrom.training.optimisers import AdamWConfig, MuonConfig

UNCLIPPED = 1e9  # a norm that no gradient reaches


def _tasks(*models: str) -> tuple[Task, ...]:
    return (
        Task("held-out", measure="perplexity", predictors=models),
        Task("samples", measure="samples", predictors=models),
    )


def gru() -> Recipe:
    """The homework to the letter, and its network in batches with a rate that falls."""
    homework = Stage(
        name="homework",
        mix=(Share("text", WindowsConfig(length=400)),),
        optimiser=AdamWConfig(rate=0.005, decay=0.0, beta2=0.999),  # without decay, Adam
        schedule=Schedule(shape="constant", warmup=0.0),
        steps=2000,
        batch=1,
        clip=UNCLIPPED,
    )
    better = replace(
        homework,
        name="better",
        mix=(Share("text", WindowsConfig(length=100)),),
        optimiser=AdamWConfig(rate=0.01, decay=0.01, beta2=0.99),
        schedule=Schedule(),
        batch=32,
        clip=1.0,
    )
    return Recipe(
        name="shakespeare-gru",
        summary="the homework's character GRU, and the same network trained well",
        data=CharactersConfig(),
        model=GRUConfig(),
        stages=(homework, better),
        models=(ModelEntry("homework", "homework"), ModelEntry("better", "better")),
        primary="better",
        tasks=_tasks("homework", "better"),
    )


def gru_gpu() -> Recipe:
    """Wide layers against which dropout is needed: it reads the same text fifty times."""
    return Recipe(
        name="shakespeare-gru-gpu",
        summary="a wide character GRU, for a GPU; hours on a CPU",
        data=CharactersConfig(),
        model=GRUConfig(n_embd=128, n_hidden=640, n_layer=2, dropout=0.5),
        stages=(
            Stage(
                name="train",
                mix=(Share("text", WindowsConfig(length=128)),),
                optimiser=AdamWConfig(rate=2e-3, decay=0.05, beta2=0.99),
                schedule=Schedule(warmup=0.02),
                steps=3000,
                batch=128,
                arithmetic="tf32",  # steps that are not captured know no bf16
            ),
        ),
        models=(ModelEntry("gru", "train"),),
        primary="gru",
        tasks=_tasks("gru"),
    )


def gpt() -> Recipe:
    """A narrow GPT that reads n-grams, for minutes on two CPU cores."""
    return Recipe(
        name="shakespeare-gpt",
        summary="a small character GPT, for minutes on a CPU",
        data=CharactersConfig(),
        model=replace(MODERN, n_layer=3, n_head=4, n_embd=96, qk_norm=False, ngrams=4),
        stages=(
            Stage(
                name="train",
                mix=(Share("text", WindowsConfig()),),
                optimiser=AdamWConfig(rate=4e-3, decay=0.1),
                schedule=Schedule(),
                steps=800,
                batch=16,
            ),
        ),
        models=(ModelEntry("gpt", "train"),),
        primary="gpt",
        # Blocks are as nanoGPT reads: side by side, so that a character has half as many before
        # it on average.
        tasks=(
            *_tasks("gpt"),
            Task("blocks", measure="perplexity", predictors=("gpt",), overlap=0.0),
        ),
    )


def gpt_gpu() -> Recipe:
    """The size of nanoGPT's model, 6 layers of 384 and windows of 256, with our own parts."""
    recipe = gpt()
    (stage,) = recipe.stages
    return replace(
        recipe,
        name="shakespeare-gpt-gpu",
        summary="a character GPT of nanoGPT's size, for a GPU; a day on a CPU",
        model=replace(
            MODERN,
            block_size=256,
            n_layer=6,
            n_head=6,
            n_embd=384,
            embd_pdrop=0.3,
            resid_pdrop=0.3,
            attn_pdrop=0.3,
        ),
        stages=(
            replace(
                stage,
                optimiser=MuonConfig(rate=0.02, adam_rate=3e-3, decay=0.1),
                schedule=Schedule(warmup=0.02),
                steps=2000,
                batch=64,
                arithmetic="bf16",
            ),
        ),
    )
