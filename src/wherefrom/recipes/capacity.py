"""`capacity`: how many facts fit into how many parameters, and which of them can be asked for."""

from collections.abc import Iterator
from dataclasses import dataclass

from wherefrom.core.recipe import Arm, Capacity, ModelEntry, Recipe, Schedule, Share, Stage, Task
from wherefrom.data.biographies import BiographiesConfig
from wherefrom.data.random_strings import RandomStringsConfig
from wherefrom.models.gpt import GPTConfig
from wherefrom.objectives.answers import AnswersConfig
from wherefrom.objectives.spans import NextCharacterConfig
from wherefrom.training.optimisers import MuonConfig

NAME = "capacity"
SUMMARY = "how many facts fit into how many parameters, and which can be asked for"
STORAGE, EXTRACTION, TAUGHT = "storage", "extraction", "taught"
TEXT, QUESTIONS = "text", "questions"
_BLOCK = 96  # the longest biography, and a question with its answer
_ROUNDS = 20  # how often each question is trained on


def capacity() -> Capacity:
    """The small form, for a CPU: ten minutes on two cores."""
    widths = (8, 16, 24, 32, 40)
    return Capacity(
        name=NAME,
        summary=SUMMARY,
        arms=(
            Arm("people-200", items=200, exposures=100, widths=widths),
            Arm("one-wording", items=200, exposures=200, widths=(40,), questions=0.5),
            Arm("five-wordings", items=200, exposures=200, widths=(40,), wordings=5, questions=0.5),
        ),
    )


def capacity_gpu() -> Capacity:
    """The full form, for a GPU: 25 minutes on an H200."""
    small, large = (16, 24, 32, 48, 64), (64, 96, 128, 192, 256)
    return Capacity(
        name=f"{NAME}-gpu",
        summary=f"{SUMMARY}, at sizes for a GPU",
        arms=(
            Arm("people-1000", exposures=100, widths=small, batch=16, seeds=3),
            Arm("people-10000", items=10_000, exposures=100, widths=large, batch=128, seeds=3),
            Arm("people-1000-long", exposures=1000, widths=small, batch=64, seeds=3),
            Arm("strings-1000-long", text="strings", exposures=1000, widths=small, batch=64),
            Arm("one-wording", exposures=1000, widths=(128,), batch=64, questions=0.5, seeds=3),
            Arm(
                "five-wordings",
                exposures=1000,
                widths=(128,),
                batch=64,
                wordings=5,
                questions=0.5,
                seeds=3,
            ),
        ),
    )


@dataclass(frozen=True)
class PlannedRun:
    """A run of a study: its arm, its width, and its recipe; the name is that of its folder."""

    name: str
    arm: Arm
    width: int
    recipe: Recipe


def plan_runs(study: Capacity) -> Iterator[PlannedRun]:
    """The runs of a study; those whose models have one shape follow each other."""
    planned = [
        (arm, width, study.seed + nth)
        for arm in study.arms
        for width in arm.widths
        for nth in range(arm.seeds)
    ]
    shape = {(a.name, w): (count_steps(a), a.batch, a.questions, w) for a, w, _ in planned}
    groups = dict.fromkeys(shape[a.name, w] for a, w, _ in planned)
    for group in groups:
        for arm, width, seed in planned:
            if shape[arm.name, width] == group:
                name = f"{arm.name}-width-{width}-seed-{seed}"
                yield PlannedRun(name, arm, width, make_recipe(study, arm, width, seed))


def count_steps(arm: Arm) -> int:
    return max(1, round(arm.items * arm.exposures / arm.batch))


def make_recipe(study: Capacity, arm: Arm, width: int, seed: int) -> Recipe:
    """A GPT of two layers that reads the text, and then questions if the arm has them.

    Nothing but storing is asked of it: no dropout, no decay, every character weighs the same.
    """
    data, asked = RandomStringsConfig(strings=arm.items), 0
    if arm.text == "biographies":
        asked = round(arm.items * arm.questions)
        data = BiographiesConfig(people=arm.items, wordings=arm.wordings, asked=asked)
    stages = [_stage(TEXT, NextCharacterConfig(), count_steps(arm), arm.batch)]
    models = [ModelEntry(TEXT, TEXT)]
    tasks = [Task(STORAGE, measure="storage", predictors=(TEXT,))]
    if asked:
        steps = max(1, _ROUNDS * 4 * asked // arm.batch)
        stages.append(_stage(QUESTIONS, AnswersConfig(), steps, arm.batch, TEXT))
        models.append(ModelEntry(QUESTIONS, QUESTIONS))
        tasks += [
            Task(EXTRACTION, predictors=(QUESTIONS,), beams=1),
            Task(TAUGHT, split="asked", predictors=(QUESTIONS,), beams=1),
        ]
    return Recipe(
        name=NAME,
        summary=SUMMARY,
        data=data,
        model=GPTConfig(
            block_size=_BLOCK,
            n_layer=2,
            n_head=min(8, width // 8),
            n_embd=width,
            attention="rope",
            norm="rms",
            activation="relu2",
            bias=False,
            embd_pdrop=0.0,
            resid_pdrop=0.0,
            attn_pdrop=0.0,
            zero_residual=True,
        ),
        stages=tuple(stages),
        models=tuple(models),
        primary=models[-1].name,
        tasks=tuple(tasks),
        seed=seed,
        device=study.device,
        threads=study.threads,
    )


def _stage(
    name: str,
    objective: NextCharacterConfig | AnswersConfig,
    steps: int,
    batch: int,
    start_from: str | None = None,
) -> Stage:
    return Stage(
        name=name,
        mix=(Share(name, objective),),
        optimiser=MuonConfig(rate=0.02, adam_rate=4e-3, decay=0.0),
        schedule=Schedule(),
        steps=steps,
        batch=batch,
        start_from=start_from,
    )
