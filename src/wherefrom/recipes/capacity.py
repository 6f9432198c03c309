"""`capacity`: how many facts fit into how many parameters, and which of them can be asked for."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import sqrt
from typing import Any

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
MODEL = "model"
_BLOCK = 96  # the longest biography, and a question with its answer
_ASKING, _START = 0.25, 0.5  # the share of rows that are questions, from a share of the steps on
_ADAM = 0.032  # AdamW's rate of a table of one column: wider ones take smaller steps


def capacity() -> Capacity:
    """The small form, for a CPU: five minutes on two cores."""
    widths: tuple[int, ...] = (8, 16, 24, 32, 40)
    asking: dict[str, Any] = {"exposures": 600, "widths": (40,), "batch": 32}
    return Capacity(
        name=NAME,
        summary=SUMMARY,
        arms=(
            Arm("people-200", items=200, exposures=100, widths=widths, batch=16),
            Arm("strings-100", "strings", items=100, exposures=300, widths=widths[:3], batch=16),
            Arm("one-wording", items=100, questions=0.5, **asking),
            Arm("five-wordings", items=100, questions=0.5, wordings=5, **asking),
        ),
    )


def capacity_gpu() -> Capacity:
    """The full form, for a GPU."""
    small, large = (16, 24, 32, 48, 64), (64, 96, 128, 192, 256)
    long: dict[str, Any] = {"exposures": 1000, "batch": 64}
    asking: dict[str, Any] = long | {"widths": (128,), "questions": 0.5, "seeds": 3}
    return Capacity(
        name=f"{NAME}-gpu",
        summary=f"{SUMMARY}, at sizes for a GPU",
        arms=(
            Arm("people-1000", exposures=100, widths=small, batch=16, seeds=3),
            Arm("people-10000", items=10_000, exposures=100, widths=large, batch=128, seeds=3),
            Arm("people-1000-long", widths=small, seeds=3, **long),
            Arm("strings-1000-long", "strings", widths=small, **long),
            Arm("one-wording", **asking),
            Arm("five-wordings", wordings=5, **asking),
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
    """As many steps as show every item so often, with the rows that questions take."""
    rows = arm.batch * (1 - _ASKING * (1 - _START)) if arm.questions else arm.batch
    return max(1, round(arm.items * arm.exposures / rows))


def make_recipe(study: Capacity, arm: Arm, width: int, seed: int) -> Recipe:
    """A GPT of two layers that reads the text, and questions later on if the arm has them.

    Nothing but storing is asked of it: no dropout, no decay, every character weighs the same.
    """
    data, asked = RandomStringsConfig(strings=arm.items), 0
    if arm.text == "biographies":
        asked = round(arm.items * arm.questions)
        data = BiographiesConfig(people=arm.items, wordings=arm.wordings, asked=asked)
    mix = [Share("text", NextCharacterConfig())]
    tasks = [Task(STORAGE, measure="storage", predictors=(MODEL,))]
    if asked:
        mix = [
            replace(mix[0], share=1 - _ASKING),
            Share("questions", AnswersConfig(), _ASKING, start=_START),
        ]
        tasks += [
            Task(EXTRACTION, predictors=(MODEL,), beams=1),
            Task(TAUGHT, split="asked", predictors=(MODEL,), beams=1),
        ]
    stage = Stage(
        name="text",
        mix=tuple(mix),
        optimiser=MuonConfig(rate=0.01, adam_rate=_ADAM / sqrt(width), decay=0.0),
        schedule=Schedule(),
        steps=count_steps(arm),
        batch=arm.batch,
        packed=True,
        arithmetic="tf32",
    )
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
        stages=(stage,),
        models=(ModelEntry(MODEL, stage.name),),
        primary=MODEL,
        tasks=tuple(tasks),
        seed=seed,
        device=study.device,
        threads=study.threads,
    )
