"""What a study of capacity found: bits per parameter, and facts stored against facts extracted."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from wherefrom.core.measures import BITS_PER_PARAMETER
from wherefrom.core.recipe import Arm, Capacity
from wherefrom.data.biographies import NAME
from wherefrom.evaluation.intervals import Interval, bootstrap_mean, mean_interval, wilson
from wherefrom.recipes.capacity import EXTRACTION, MODEL, TAUGHT, PlannedRun
from wherefrom.runs.folder import RunFolder, versions

FEW_SEEDS = 3  # fewer say too little of their spread, and the interval is over the people


@dataclass(frozen=True)
class RunFinding:
    """One run of a study; `answered` has each held-out person's share of right answers."""

    arm: Arm
    width: int
    storage: dict[str, Any]
    seconds: float
    answered: tuple[float, ...] = ()
    taught: float = 0.0  # share of right answers about the people who were asked about


@dataclass(frozen=True)
class Filling:
    """A model size of an arm, over its seeds: how many bits it holds.

    The interval is over seeds if there are three or more, else over people. `storable` are the
    bits of the text that any model could hold; `facts` is the share of the facts' bits that is
    stored, `names` that of the names' (of strings, all is in `facts`).
    """

    arm: str
    text: str
    items: int
    exposures: int
    wordings: int
    width: int
    parameters: int
    embeddings: int
    seeds: int
    bits_per_parameter: float
    interval: Interval
    stored: float
    storable: float
    facts: float
    names: float | None
    seconds: float

    @property
    def bits_beside_embeddings(self) -> float:
        """Bits per parameter if embeddings and the output table are not counted."""
        return self.stored / (self.parameters - self.embeddings)

    @property
    def share(self) -> float:
        return self.stored / self.storable


@dataclass(frozen=True)
class Extraction:
    """Questions about people whose own were not asked, against what is stored of them.

    `people` are held out in all seeds together; the interval is over people, or over seeds if
    there are three or more. `stored` is the share of the bits of their facts that is stored;
    `taught` the share of right answers about the people who were asked about.
    """

    arm: str
    items: int
    exposures: int
    wordings: int
    parameters: int
    seeds: int
    people: int
    accuracy: float
    interval: Interval
    stored: float
    taught: float


@dataclass(frozen=True)
class CapacityFindings:
    """Everything that a study found, and the machine that it was run on."""

    format_version: ClassVar[int] = 1
    name: str
    seed: int
    device: str
    seconds: float
    versions: dict[str, str]
    fillings: tuple[Filling, ...]
    extractions: tuple[Extraction, ...]

    @classmethod
    def of(
        cls, study: Capacity, runs: Sequence[RunFinding], device: str, seconds: float
    ) -> "CapacityFindings":
        groups: dict[tuple[str, int], list[RunFinding]] = {}
        for run in runs:
            groups.setdefault((run.arm.name, run.width), []).append(run)
        places = [(arm, width) for arm in study.arms for width in arm.widths]
        own = [groups[arm.name, width] for arm, width in places]
        return cls(
            name=study.name,
            seed=study.seed,
            device=device,
            seconds=seconds,
            versions={name: str(value) for name, value in versions().items()},
            fillings=tuple(_fill(some) for some in own if not some[0].answered),
            extractions=tuple(_extract(some) for some in own if some[0].answered),
        )

    def results(self) -> dict[str, Any]:
        """The figures as a run writes its results."""
        found: dict[str, Any] = {}
        for row in self.fillings:
            found[f"{row.arm}, {row.parameters:,} parameters"] = {
                BITS_PER_PARAMETER: row.bits_per_parameter,
                "interval": list(row.interval),
                "n": row.items * row.seeds,
            }
        for row in self.extractions:
            found[f"{row.arm}, {row.parameters:,} parameters, held-out people"] = {
                "accuracy": row.accuracy,
                "interval": list(row.interval),
                "n": row.people,
            }
        return found


def find_run(run: PlannedRun, folder: RunFolder) -> RunFinding:
    """What a finished run found."""
    status = folder.read_status()
    results = status["results"]
    answered: tuple[float, ...] = ()
    taught = 0.0
    if run.arm.questions:
        people: dict[str, list[bool]] = {}
        for prediction in folder.read_predictions(MODEL, EXTRACTION):
            people.setdefault(prediction.subject, []).append(prediction.correct)
        answered = tuple(sum(right) / len(right) for right in people.values())
        taught = float(results[f"{TAUGHT}.{MODEL}"]["accuracy"])
    storage = next(row for row in results.values() if BITS_PER_PARAMETER in row)
    return RunFinding(run.arm, run.width, storage, status["seconds"], answered, taught)


def _fill(runs: Sequence[RunFinding]) -> Filling:
    arm, first = runs[0].arm, runs[0].storage
    values = [float(run.storage[BITS_PER_PARAMETER]) for run in runs]
    ends = [run.storage["interval"] for run in runs]
    names = None if NAME not in first["parts"] else _share(runs, [NAME])
    return Filling(
        arm=arm.name,
        text=arm.text,
        items=arm.items,
        exposures=arm.exposures,
        wordings=arm.wordings,
        width=runs[0].width,
        parameters=first["parameters"],
        embeddings=first["embeddings"],
        seeds=len(runs),
        bits_per_parameter=_mean(values),
        interval=_interval(values, ends),
        stored=_mean(run.storage["stored"] for run in runs),
        storable=_mean(run.storage["storable"] for run in runs),
        facts=_share(runs, [name for name in first["parts"] if name != NAME]),
        names=names,
        seconds=round(sum(run.seconds for run in runs), 2),
    )


def _extract(runs: Sequence[RunFinding]) -> Extraction:
    arm, first = runs[0].arm, runs[0].storage
    values = [_mean(run.answered) for run in runs]
    people = [share for run in runs for share in run.answered]
    low, high = _interval(values, [cluster_interval(people)])
    return Extraction(
        arm=arm.name,
        items=arm.items,
        exposures=arm.exposures,
        wordings=arm.wordings,
        parameters=first["parameters"],
        seeds=len(runs),
        people=len(people),
        accuracy=_mean(values),
        interval=(max(low, 0.0), min(high, 1.0)),
        stored=_share(runs, [name for name in first["parts"] if name != NAME]),
        taught=_mean(run.taught for run in runs),
    )


def cluster_interval(shares: Sequence[float]) -> Interval:
    """The interval of a mean of people's shares; where they are all the same, as of one answer
    each, since drawing among equal values would leave it no width."""
    if len(set(shares)) > 1:
        return bootstrap_mean(shares)
    return wilson(round(sum(shares)), len(shares))


def _share(runs: Sequence[RunFinding], parts: Sequence[str]) -> float:
    """The share of the storable bits of some parts that is stored."""
    rows = [run.storage["parts"][name] for run in runs for name in parts]
    return sum(row["stored"] for row in rows) / sum(row["storable"] for row in rows)


def _interval(values: Sequence[float], own: Sequence[Sequence[float]]) -> Interval:
    """Over seeds if there are enough of them, else the mean of the ends over people."""
    if len(values) >= FEW_SEEDS:
        return mean_interval(values)
    low, high = np.mean(np.array(own, dtype=np.float64), axis=0)
    return float(low), float(high)


def _mean(values: Iterable[float]) -> float:
    return float(np.mean(list(values)))
