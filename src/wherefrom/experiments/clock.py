"""A rate that follows the clock: how high it is depends on the share of the minutes that is gone.

Nobody has to know beforehand how many steps a machine takes in a minute, or that others will use
it, too. The factor of each chunk of steps is kept beside its loss (metrics.jsonl), and whoever
trains the stage again replays the list, which gives the same bits.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from time import monotonic

from msgspec import structs

from wherefrom.core.recipe import Recipe, Stage
from wherefrom.runs.folder import RunFolder
from wherefrom.training.optimisers import factor
from wherefrom.training.rank_group import agree

SPARE = 0.04  # share of the minutes that is kept back
LEAST = 1 / 3  # share of the minutes that the training has, whatever follows it
CONTROL = 0.05  # share of the minutes that the model that does not read has at most
_FINE = 100_000  # parts of the schedule


@dataclass(frozen=True)
class Clock:
    """When a run began, the seconds that it has, and how many of them follow the training.

    `began` is a time of `monotonic`.
    """

    began: float
    seconds: float
    following: float = 0.0

    @property
    def ends(self) -> float:
        """When the training has to be finished."""
        return self.began + (1 - SPARE) * self.seconds - self.following

    def pace(self, stage: Stage, recipe: Recipe, follow: Callable[[], float]) -> "Pace":
        """What a stage keeps to that begins now; `follow` takes a new sample of what follows.

        The primary model comes last and has what is left; no other has more than a little.
        """
        now = monotonic()
        if stage != recipe.chain()[-1]:
            return Pace(stage, now + CONTROL * self.seconds)
        least = now + LEAST * self.seconds
        # In the middle the model knows how to end its answers, which then take less time.
        return Pace(
            stage,
            max(self.ends, least),
            lambda: max(replace(self, following=follow()).ends, least),
        )


def replay(folder: RunFolder, recipe: Recipe) -> Recipe:
    """The recipe of a trained run with the factors that its stages had, to train it again."""

    def with_rates(stage: Stage) -> Stage:
        rows = (row for row in folder.read_metrics(stage.name) if "factor" in row)
        return structs.replace(stage, rates=tuple((row["step"], row["factor"]) for row in rows))

    return structs.replace(recipe, stages=tuple(map(with_rates, recipe.stages)))


class Pace:
    """Says before each chunk of a stage's steps what the factor on its rate is.

    `stage.steps` are the most that are taken. In the middle of its time the stage `ends` anew.
    """

    def __init__(self, stage: Stage, ends: float, again: Callable[[], float] | None = None) -> None:
        self.stage, self.ends, self.again = stage, ends, again

    def __call__(self, step: int, chunk: int, seconds: float) -> tuple[int, float]:
        """About how many steps there will be in all, and the factor of the next `chunk` of them.

        `step` steps took `seconds`. If there is no time for half a chunk, there will be no more.
        """
        share = agree(self._share(step, seconds))
        if self.again and share > 0.5:
            self.ends, self.again = self.again(), None
            share = agree(self._share(step, seconds))
        each = share / step if step else 2 / self.stage.steps
        steps = step if step and share + each * chunk / 2 >= 1 else round(1 / each)
        middle = min(share + each * chunk / 2, 1.0)
        found = factor(self.stage.schedule, round(middle * _FINE), _FINE)
        return min(max(steps, step), self.stage.steps), round(found, 6)

    def _share(self, step: int, seconds: float) -> float:
        """The share of its time, or of its steps if these are sooner over, that is gone."""
        left = max(self.ends - monotonic(), 1e-9)
        return max(seconds / (seconds + left), step / self.stage.steps)
