"""Is the risk bound kept, and what does it cost in coverage?

    python benchmarks/bound.py [--people 600] [--times 1000] [--json FILE]

Calibration people are drawn again and again, with replacement, from a population whose risk is
known exactly. Each time the curve is fitted on a part of them and a threshold certified on the
others: a certified risk above alpha is a broken promise. The program draws from populations whose
every answer has a known probability of being right. `trust_results.py --bound` draws from raw
answers: a run's calibration and held-out people together are the population then.

The promise is about all draws: at most a share delta of them may end in a broken promise. A user
who holds a certificate asks another question: of the draws that gave one, how many are broken?
Nothing bounds that share: where hardly any draw can be certified, most of those that are may be
lucky. It is reported beside the other one (`above_given`).

Beside it stands conformal risk control (Angelopoulos, Bates, Fisch, Lei and Schuster 2024): on the
same certifying people, the loosest threshold with (wrong + 1) / (n + 1) <= alpha. It bounds another
risk, the share of all questions that are answered and wrong (`mean_loss`), and only its mean over
the draws.
"""

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from program import launch

from wherefrom.answering.features import FEATURES
from wherefrom.answering.risk_bound import FITTING, fit_bounds, gated_probability
from wherefrom.core.answer_table import FeatureTable
from wherefrom.core.files import write_json
from wherefrom.core.sample_size import ALPHA, DELTA
from wherefrom.evaluation.intervals import wilson
from wherefrom.show.terminal.result_tables import Section, Table, draw

RULES = ("certified", "uncertified", "conformal")
KNOWN = "known"  # whether the model knows the name: the feature of a gate that is given
Draw = tuple[FeatureTable, np.ndarray]  # features, right
Rule = Callable[[FeatureTable], np.ndarray]  # features to which are answered


@dataclass(frozen=True)
class Population:
    """Kinds of people, one a row, all as likely, and how likely each is to be answered rightly."""

    features: FeatureTable
    chance: np.ndarray
    calibration: int  # people that are drawn to calibrate

    def draw(self, generator: np.random.Generator) -> Draw:
        chosen = generator.integers(len(self.chance), size=self.calibration)
        right = generator.random(self.calibration) < self.chance[chosen]
        return self.features.rows(chosen), right

    def judge(self, rule: Rule) -> tuple[float, float | None]:
        """The exact coverage of a rule, and its exact risk if it answers anybody."""
        given = rule(self.features)
        risk = float(1 - self.chance[given].mean()) if given.any() else None
        return float(given.mean()), risk


def synthetic(people: int) -> dict[str, Population]:
    """People with text and people without; how much the features say differs between the
    populations, and in none of them is the truth quite logistic."""
    generator = np.random.default_rng(0)
    with_text = generator.random(4_000) < 0.55
    familiar = np.where(with_text, 0.0, -5.0) + generator.normal(size=with_text.size)
    sure = generator.normal(size=with_text.size)

    def curve(shift: float) -> np.ndarray:
        return np.where(with_text, 0.995 / (1 + np.exp(-shift - 2 * sure)), 0.03)

    chances = {
        "good": curve(4.5),
        "mediocre": curve(2.5),
        "just too wrong": np.full(with_text.size, 0.8999),  # any certificate is a broken promise
        "misleading": np.where(sure > 1, 0.88, curve(2.5)),  # surest, and not the best
    }
    features = FeatureTable({"familiar": familiar, "sure": sure})
    return {name: Population(features, chance, people) for name, chance in chances.items()}


def read_population(rows: Sequence[Mapping[str, Any]]) -> Population:
    """A model's calibration and held-out people, and the features of confidence (`replay.py`)."""
    columns = {name: np.array([row["features"][name] for row in rows]) for name in FEATURES}
    # A run without a gate knows every name.
    columns[KNOWN] = np.array([float(row["name_known"] is not False) for row in rows])
    right = np.array([row["right"] for row in rows], dtype=np.float64)
    calibration = sum(row["split"] == "calibration" for row in rows)
    return Population(FeatureTable(columns), right, calibration)


class KnownNames:
    """A name gate as the run has it: it is not fitted again."""

    leaks = None

    def opens(self, features: FeatureTable) -> np.ndarray:
        return features[KNOWN] > 0.5


def fit_rules(people: Draw, alpha: float, delta: float) -> dict[str, Rule]:
    """The rules, certified and not; the people come in a random order already."""
    features, right = people
    fit = np.arange(len(right)) < FITTING * len(right)
    names = tuple(name for name in features.columns if name != KNOWN)
    gate: Any = KnownNames() if KNOWN in features.columns else None
    sides = {"": (np.flatnonzero(fit), np.flatnonzero(~fit))}
    bound = fit_bounds(features, right, names, sides, alpha, delta, gate)

    def score(x: FeatureTable) -> np.ndarray:
        return gated_probability(bound.common, gate, x)

    loose = control_risk(score(features.rows(~fit)), np.asarray(right, dtype=bool)[~fit], alpha)
    return {
        "certified": lambda x: bound.certified.of("").answers(score(x)),
        "uncertified": lambda x: bound.uncertified.of("").answers(score(x)),
        "conformal": lambda x: score(x) > loose,
    }


def control_risk(score: np.ndarray, right: np.ndarray, alpha: float) -> float:
    """The score above which answers are given, by conformal risk control."""
    order = np.argsort(-score, kind="stable")
    above = (np.cumsum(~right[order]) + 1) / (score.size + 1) > alpha
    return float(score[order][np.argmax(above)]) if above.any() else 0.0


def measure(
    population: Population, times: int, alpha: float, delta: float, seed: int
) -> dict[str, Any]:
    """What each rule does over all draws."""
    generator = np.random.default_rng(seed)
    drawn: dict[str, list[tuple[float, float | None]]] = {rule: [] for rule in RULES}
    for _ in range(times):
        for name, rule in fit_rules(population.draw(generator), alpha, delta).items():
            drawn[name].append(population.judge(rule))
    return {name: _summarise(cases, alpha) for name, cases in drawn.items()}


def _summarise(cases: list[tuple[float, float | None]], alpha: float) -> dict[str, Any]:
    """Of the coverage and risk of each draw; a draw that answers nobody has no risk."""
    times, risks = len(cases), [risk for _, risk in cases if risk is not None]
    above = sum(risk > alpha for risk in risks)
    return {
        "times": times, "answers_anybody": len(risks) / times, "above": above / times,
        "above_interval": list(wilson(above, times)),
        "above_given": above / len(risks) if risks else None,
        "above_given_interval": list(wilson(above, len(risks))) if risks else None,
        "mean_coverage": float(np.mean([coverage for coverage, _ in cases])),
        "mean_risk": float(np.mean(risks)) if risks else None,
        "mean_loss": float(np.mean([coverage * (risk or 0.0) for coverage, risk in cases])),
    }  # fmt: skip


def table(models: Mapping[str, Mapping[str, Any]], alpha: float) -> Table:
    """One row a model; the last two columns are of the threshold without a promise."""
    above = f"risk above {alpha:g}"
    columns = (
        "answers anybody", "coverage", above, "95 % interval", "given a certificate",
        "uncertified", above,
    )  # fmt: skip
    rows = tuple((name, *_cells(found)) for name, found in models.items())
    return Table(columns, (Section("", rows),))


def _cells(found: Mapping[str, Any]) -> tuple[str, ...]:
    ours, other = found["certified"], found["uncertified"]
    low, high = ours["above_interval"]
    return (
        f"{100 * ours['answers_anybody']:.1f} %", f"{100 * ours['mean_coverage']:.1f} %",
        f"{100 * ours['above']:.1f} %", f"[{100 * low:.1f}, {100 * high:.1f}]",
        "-" if ours["above_given"] is None else f"{100 * ours['above_given']:.1f} %",
        f"{100 * other['mean_coverage']:.1f} %", f"{100 * other['above']:.1f} %",
    )  # fmt: skip


def pool(models: Mapping[str, Mapping[str, Any]], rule: str) -> dict[str, Any]:
    """Means over the models; the models differ, so this has no interval of its own."""
    each = [found[rule] for found in models.values()]
    names = ("above", "answers_anybody", "mean_coverage", "mean_loss")
    means = {name: float(np.mean([model[name] for model in each])) for name in names}
    given = [model["above_given"] for model in each if model["above_given"] is not None]
    certified = means["answers_anybody"]
    return means | {
        "worst_above": max(model["above"] for model in each),
        # Of all draws of all models that gave a certificate.
        "above_given": means["above"] / certified if certified else None,
        "worst_above_given": max(given, default=None),
    }


def main(arguments: list[str] | None = None) -> dict[str, Any]:
    options = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    options.add_argument("--people", type=int, default=600, help="of a calibration set")
    options.add_argument("--times", type=int, default=1000, help="draws of each population")
    options.add_argument("--json", type=Path, help="write the figures there too")
    given = options.parse_args(arguments)
    models = {
        name: measure(population, given.times, ALPHA, DELTA, seed)
        for seed, (name, population) in enumerate(synthetic(given.people).items())
    }
    result = {
        "alpha": ALPHA, "delta": DELTA, "times": given.times,
        "all": {rule: pool(models, rule) for rule in RULES}, "models": models,
    }  # fmt: skip
    draw(table(models, ALPHA))
    if given.json:
        write_json(given.json, result)
    return result


if __name__ == "__main__":
    launch(main)
