"""Are the people who are asked about like the calibration people?

Confidence, thresholds and risk bounds hold for people like those that they were set on. Nobody can
check that in full, since what matters is how often the answers are right. But some things can be
compared without knowing that: how familiar the names are, how long names and questions are, and how
many of the right answers never occur among the answers that were trained on. If one of them
differs by more than chance would explain, the promises are about other people.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from wherefrom.answering.familiarity import FAMILIARITY
from wherefrom.answering.feature_table import FeatureTable
from wherefrom.core.contracts import Dataset
from wherefrom.core.forms import ParsedQuestion
from wherefrom.evaluation.two_samples import compare_distributions, compare_shares

LEVEL = 0.05  # of a warning although there is no difference, over all measures together
LEAST = 20  # people; about fewer, nothing can be said
NEW_ANSWERS = "answers new to training"
_LENGTHS = ("length of the name", "length of the question")
_NAMES = {"familiarity": "familiarity of the name", "least_familiar": "least familiar letter"}


@dataclass(frozen=True)
class People:
    """What is compared: numbers of each question, and whether its right answer is new.

    `new` is NaN where the right answer is not known.
    """

    numbers: Mapping[str, np.ndarray]
    new: np.ndarray

    def __len__(self) -> int:
        return len(self.new)


@dataclass(frozen=True)
class Contrast:
    """A measure's mean, or its share, among both; `differs` is corrected for several measures."""

    calibration: float
    asked: float
    p_value: float
    differs: bool


@dataclass(frozen=True)
class PopulationCheck:
    """The calibration people (`calibration` of them) compared with the people asked about."""

    calibration: int
    asked: int
    measures: Mapping[str, Contrast]

    @property
    def warning(self) -> str | None:
        """One sentence if they differ; None if nothing was found."""
        found = [f"{name} {_show(name, c)}" for name, c in self.measures.items() if c.differs]
        if not found:
            return None
        return (
            f"the {self.asked} people asked about differ from the {self.calibration} calibration "
            f"people ({'; '.join(found)}): confidence and risk bounds are set for people like the "
            "calibration people and may not hold here"
        )


def describe_people(
    questions: Sequence[ParsedQuestion],
    familiarity: FeatureTable,
    answers: Sequence[str | None],
    dataset: Dataset,
) -> People:
    """What is compared of some questions; `answers` are right ones, None where none is known."""
    trained = {(q.relation, q.answer) for q in dataset.asked}
    numbers = {
        _LENGTHS[0]: np.array([len(q.subject) for q in questions], dtype=np.float64),
        _LENGTHS[1]: np.array([len(q.text) for q in questions], dtype=np.float64),
        **{_NAMES[name]: familiarity[name] for name in FAMILIARITY},
    }
    new = [
        np.nan if answer is None else float((q.relation, answer) not in trained)
        for q, answer in zip(questions, answers, strict=True)
    ]
    return People(numbers, np.array(new))


def check_population(calibration: People, asked: People) -> PopulationCheck | None:
    """Compare two sets of people, each measure at a share of the level; None if one is too small.

    The measures go together, so dividing the level among them is stricter than needed.
    """
    if min(len(calibration), len(asked)) < LEAST:
        return None
    found: dict[str, tuple[float, float, float]] = {}
    for name, numbers in calibration.numbers.items():
        other = asked.numbers[name]
        p_value = compare_distributions(numbers, other)
        found[name] = float(numbers.mean()), float(other.mean()), p_value
    known = [people.new[~np.isnan(people.new)] for people in (calibration, asked)]
    if min(map(len, known)) >= LEAST:
        counts = [(int(new.sum()), len(new)) for new in known]
        p_value = compare_shares(*counts[0], *counts[1])
        found[NEW_ANSWERS] = float(known[0].mean()), float(known[1].mean()), p_value
    level = LEVEL / len(found)
    measures = {name: Contrast(*each, each[-1] <= level) for name, each in found.items()}
    return PopulationCheck(len(calibration), len(asked), measures)


def _show(name: str, contrast: Contrast) -> str:
    one, other = contrast.asked, contrast.calibration
    if name == NEW_ANSWERS:
        return f"{100 * one:.1f} % instead of {100 * other:.1f} %"
    return f"{one:.1f} instead of {other:.1f} on average"
