"""Are the people who are asked about like the calibration people?

Confidence, thresholds and risk bounds hold for people like those that they were set on. Nobody can
check that in full, since what matters is how often the answers are right. But some things can be
compared without knowing that: how familiar the names are, how long names and questions are, how
many of the right answers never occur among the answers that were trained on, and how many of the
people have a text that states an answer. If one of them differs by more than chance would explain,
the promises are about other people.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from wherefrom.answering.features import FAMILIARITY
from wherefrom.answering.inspector import Inspector
from wherefrom.core.answer_table import FeatureTable
from wherefrom.core.forms import ParsedQuestion
from wherefrom.evaluation.two_samples import compare_distributions, compare_shares

LEVEL = 0.05  # of a warning although there is no difference, over all measures together
LEAST = 20  # people; about fewer, nothing can be said
NEW_ANSWERS = "answers new to training"
STATED = "text states an answer"
_LENGTHS = ("length of the name", "length of the question")
_NAMES = {"familiarity": "familiarity of the name", "least_familiar": "least familiar letter"}


@dataclass(frozen=True)
class People:
    """What is compared: numbers of each question, and whether it has each of some properties.

    A property is NaN where it is not known.
    """

    numbers: Mapping[str, np.ndarray]
    properties: Mapping[str, np.ndarray]

    def __len__(self) -> int:
        return len(next(iter(self.numbers.values())))


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
            f"people ({'; '.join(found)}): confidence and risk bounds hold for people like the "
            "calibration people, and need not hold for these"
        )


def describe_people(
    inspector: Inspector,
    questions: Sequence[ParsedQuestion],
    familiarity: FeatureTable | None = None,
    answers: Sequence[str | None] | None = None,
) -> People:
    """What is compared of some questions; `answers` are right ones, None where none is known.

    Without `answers`, what the text states stands for them.
    """
    if familiarity is None:
        familiarity = inspector.model.familiarity([q.subject for q in questions])
    verdicts = [inspector.judge_answer(question, "") for question in questions]
    if answers is None:
        answers = [verdict and verdict.stated for verdict in verdicts]
    trained = {(q.relation, q.answer) for q in inspector.opened.dataset.asked}
    numbers = {
        _LENGTHS[0]: np.array([len(q.subject) for q in questions], dtype=np.float64),
        _LENGTHS[1]: np.array([len(q.text) for q in questions], dtype=np.float64),
        **{_NAMES[name]: familiarity[name] for name in FAMILIARITY},
    }
    new = [
        np.nan if answer is None else float((q.relation, answer) not in trained)
        for q, answer in zip(questions, answers, strict=True)
    ]
    states = [np.nan if v is None else float(v.stated is not None) for v in verdicts]
    return People(numbers, {NEW_ANSWERS: np.array(new), STATED: np.array(states)})


def check_batch(inspector: Inspector, asked: Sequence[ParsedQuestion]) -> PopulationCheck | None:
    """The calibration people against the people of some questions; None if either are too few."""
    model = inspector.model
    people = inspector.opened.calibration_people
    readable = [question for question in asked if not model.unseen(question)]
    if min(len(people), len(readable)) < LEAST:
        return None
    known = [parsed for q in people if (parsed := model.try_parse(q.text))]
    return check_population(describe_people(inspector, known), describe_people(inspector, readable))


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
    for name, has in calibration.properties.items():
        known = [each[~np.isnan(each)] for each in (has, asked.properties[name])]
        if min(map(len, known)) >= LEAST:
            counts = [(int(each.sum()), len(each)) for each in known]
            p_value = compare_shares(*counts[0], *counts[1])
            found[name] = float(known[0].mean()), float(known[1].mean()), p_value
    level = LEVEL / len(found)
    measures = {name: Contrast(*each, each[-1] <= level) for name, each in found.items()}
    return PopulationCheck(len(calibration), len(asked), measures)


def _show(name: str, contrast: Contrast) -> str:
    one, other = contrast.asked, contrast.calibration
    if name in (NEW_ANSWERS, STATED):
        return f"{100 * one:.1f} % instead of {100 * other:.1f} %"
    return f"{one:.1f} instead of {other:.1f} on average"
