"""A recipe: one frozen value that says everything about an experiment.

The concrete data sets, objectives, models and optimisers are configs of other rooms; each has
a `kind`, and `runs` knows the class of every kind.
"""

from typing import Any

from wherefrom.core.bounds import (
    MOST_ROWS,
    MOST_STEPS,
    check_choice,
    check_name,
    check_number,
    check_positive,
    check_share,
    check_whole,
)
from wherefrom.core.config import Config, TaggedConfig, check
from wherefrom.core.contracts import EVERY_SUPPORT
from wherefrom.core.sample_size import PRECISION

MOST_BEAMS = 512  # rows that a decoder has at a time
MOST_THREADS = 1024
DAY = 86_400.0  # seconds
LONGEST_NORM = 1e30  # of a gradient: beyond any that is finite in float32


class Schedule(Config, frozen=True):
    """The factor on every base rate: linear warm-up, then a named shape down to `floor`.

    `course` is the course's own: it counts tokens, padding included, falls by a cosine over 200
    epochs of the pretraining text, and past their end the cosine comes back. It warms up in
    one step, whatever `warmup` says.
    """

    shape: str = "linear"  # constant, linear, cosine, course
    warmup: float = 0.03  # share of the steps
    floor: float = 0.0

    def __post_init__(self) -> None:
        check_choice(self, "shape", ("constant", "linear", "cosine", "course"))
        check(0 <= self.warmup <= 1, "Schedule", "warmup", self.warmup, "a share from 0 to 1")
        check(0 <= self.floor <= 1, "Schedule", "floor", self.floor, "a factor from 0 to 1")


class Share(Config, frozen=True):
    """One objective's part of every batch, from a share of the training on; 0 leaves it out."""

    name: str
    objective: Any
    share: float = 1.0
    start: float = 0.0

    def __post_init__(self) -> None:
        check_name(self, "name")
        check(0 <= self.share <= 1, "Share", "share", self.share, "a share from 0 to 1")
        check_share(self, "start")


class Stage(Config, frozen=True):
    """One call of the training loop."""

    name: str
    mix: tuple[Share, ...]
    optimiser: Any
    schedule: Schedule
    steps: int
    batch: int
    start_from: str | None = None  # the stage whose weights this one continues from
    buckets: int = 1  # pieces of a step's rows, which are sorted by length (CPU)
    packed: bool = False  # rows go through the model without their padding on a CPU, too
    clip: float = 1.0
    order: str = "shuffled"  # file: every epoch in the text's own order, as the course does
    arithmetic: str = "fp32"  # tf32, bf16: on a GPU that has them; a CPU computes in fp32
    checkpoint_seconds: float = 20.0
    variant: Any = None  # what its model has otherwise than the recipe's
    probe: str | None = None  # the task that is evaluated after every epoch
    # The factors on the rate of a stage that followed a clock, each with the step that it ends at.
    rates: tuple[tuple[int, float], ...] = ()

    def __post_init__(self) -> None:
        check_name(self, "name")
        used = [share for share in self.mix if share.share]
        found = [share.name for share in self.mix]
        check(bool(used), "Stage", "mix", found, "at least one objective with a share above 0")
        check_whole(self, "steps", 1, MOST_STEPS, "a year at 30 steps a second")
        check_whole(self, "batch", 1, MOST_ROWS)
        check(1 <= self.buckets <= self.batch, "Stage", "buckets", self.buckets, "1 to the batch")
        check_positive(self, "clip", LONGEST_NORM, "a norm")
        seconds = "0: after every chunk of steps; a day at most, or a stop would lose more"
        check_number(self, "checkpoint_seconds", 0, DAY, seconds)
        check_choice(self, "order", ("shuffled", "file"))
        check_choice(self, "arithmetic", ("fp32", "tf32", "bf16"))
        first = f"that the first objective ('{used[0].name}') starts at 0, since it takes all rows"
        check(used[0].start == 0, "Stage", "mix", f"start={used[0].start:g}", first)


class ModelEntry(Config, frozen=True):
    """A model that the run keeps: the weights after a stage."""

    name: str
    stage: str

    def __post_init__(self) -> None:
        check_name(self, "name")


SPLITS = ("asked", "calibration", "held-out", "masked", "unanswered")
SUPPORTS = (*EVERY_SUPPORT, "unknown")


class Task(Config, frozen=True):
    """What is reported: questions of a split (or a text) put to some predictors.

    The answers of `unanswered` questions are not known: they are answered, not scored. `samples`
    are written into the run folder, with the curve of the loss, and not scored either.
    """

    name: str
    measure: str = "accuracy"  # accuracy, perplexity, predictions, samples
    split: str = "held-out"  # asked, calibration, held-out, unanswered
    support: tuple[str, ...] = ("stated",)  # stated, omitted, none, unknown
    predictors: tuple[str, ...] = ()
    beams: int = 4  # of the search for an answer; 1: greedy, as the course answers
    overlap: float = 0.5  # of the windows in which a language model reads a long text
    place_aware: bool = False  # also a match that takes Paris for France, and kinds of mistakes
    brief: bool = False  # predictions name the questions, long texts, by their subjects

    def __post_init__(self) -> None:
        check_name(self, "name")
        check_choice(self, "measure", ("accuracy", "perplexity", "predictions", "samples"))
        check_choice(self, "split", SPLITS)
        check(set(self.support) <= set(SUPPORTS), "Task", "support", self.support, f"{SUPPORTS}")
        check_whole(self, "beams", 1, MOST_BEAMS, "rows that are decoded at once")
        check_share(self, "overlap")


class Recipe(Config, frozen=True):
    """What is trained from which data, what is kept of it and what is reported; see the fields."""

    name: str
    summary: str
    data: Any
    model: Any
    stages: tuple[Stage, ...]
    models: tuple[ModelEntry, ...]
    primary: str
    tasks: tuple[Task, ...]
    seed: int = 0
    device: str = "auto"
    threads: int = 0  # 0: all cores
    watch: int = 0  # calibration questions that are asked now and then while it trains
    abstain: bool = False  # set a threshold on calibration people and report what it does
    precision: float = PRECISION  # of the answers given, which the threshold must reach there
    wordings: bool = False  # the primary model is asked in the text's own wordings, too
    withhold_omitted: bool = False  # no omission rows for half of the silent names, to measure them
    notes: bool = False  # the reader takes notes of the text first; stages may teach from them

    def __post_init__(self) -> None:
        stages, models = [s.name for s in self.stages], [m.name for m in self.models]
        _check_place(self)
        for field in ("stages", "models", "tasks"):
            _check_once(field, [each.name for each in getattr(self, field)])
        check_whole(self, "watch", 0, MOST_ROWS, "0: none")
        fits = 0 < self.precision <= 1
        check(fits, "Recipe", "precision", self.precision, "a share above 0, at most 1")
        for i, stage in enumerate(self.stages):
            check(
                stage.start_from is None or stage.start_from in stages[:i],
                "Stage",
                "start_from",
                stage.start_from,
                f"a stage before it {stages[:i]}",
            )
        tasks = [task.name for task in self.tasks]
        for stage in self.stages:
            known = stage.probe is None or stage.probe in tasks
            check(known, "Stage", "probe", stage.probe, f"one of {tasks}")
        for model in self.models:
            check(model.stage in stages, "ModelEntry", "stage", model.stage, f"one of {stages}")
        check_choice(self, "primary", models)

    def stage(self, name: str) -> Stage:
        return next(s for s in self.stages if s.name == name)

    def chain(self, model: str = "") -> list[Stage]:
        """The stages that a model (default: the primary one) went through, the first one first."""
        name: str | None = next(m.stage for m in self.models if m.name == (model or self.primary))
        found: list[Stage] = []
        while name is not None:
            found.append(self.stage(name))
            name = found[-1].start_from
        return found[::-1]

    @property
    def names_taught(self) -> bool:
        """Whether the primary model learns names in questions, as the text alone teaches few."""
        shares = (share for stage in self.chain() for share in stage.mix)
        return any(getattr(share.objective, "names", 0) for share in shares)


class Demonstrations(TaggedConfig, frozen=True, tag="demonstrations"):
    """A recipe that trains nothing: claims that are computed, checked and drawn.

    It has what every recipe has; they run in numpy, whatever `device` says.
    """

    name: str
    summary: str
    seed: int = 0
    device: str = "auto"
    threads: int = 0

    def __post_init__(self) -> None:
        _check_place(self)


Experiment = Recipe | Demonstrations  # what a name of the catalogue stands for


def _check_place(recipe: Experiment) -> None:
    """What every recipe has: its name, and where it runs."""
    check_name(recipe, "name")
    check_whole(recipe, "seed", 0, 2**32 - 1)
    check_choice(recipe, "device", ("auto", "cpu", "cuda"))
    check_whole(recipe, "threads", 0, MOST_THREADS, "0: one for each core")


def _check_once(field: str, names: list[str]) -> None:
    """Two entries of one name would write into one folder, and a TOML file has each name once."""
    twice = next((name for name in names if names.count(name) > 1), None)
    check(twice is None, "Recipe", field, twice, "names that all differ")
