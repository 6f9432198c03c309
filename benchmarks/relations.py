"""How several relations are best calibrated, and which threshold keeps its precision.

Simulated relations of four kinds, whose true probabilities are known:

    guess   a majority guess: right for 81 %, and no feature says when
    known   right for about 77 %, and the features say when
    hard    right for about 20 %, and the features say something
    half    35 % of the answers are recalled and right for 97 %, of the others 8 % are

The first table has the log loss of calibrations beyond that of the true probabilities; the second
has, for thresholds set for 90 %, the share answered and the share right among answered.

    python benchmarks/relations.py [--draws N]
"""

import argparse
from collections.abc import Callable, Mapping

import numpy as np

from wherefrom.answering.abstention import EVEN_ODDS, choose_threshold
from wherefrom.answering.calibration import LogisticCalibration, fit_by_relation
from wherefrom.answering.feature_table import FeatureTable
from wherefrom.evaluation.logistic import sigmoid

NAMES = ("log_probability", "margin", "familiarity", "least_familiar")
SIZES = (20, 50, 100, 200, 600)
TEST, TARGET = 1000, 0.9
FIXED = 1e6  # a penalty that leaves no difference between relations

Drawn = tuple[np.ndarray, np.ndarray, np.ndarray]  # features, true probabilities, outcomes
Curves = Mapping[str, LogisticCalibration]


def draw(kind: str, n: int, generator: np.random.Generator) -> Drawn:
    z = generator.normal(size=(n, 4))
    if kind == "guess":
        x, p = z * (0.3, 0.5, 1, 1) + (-0.2, 2, 0, 0), np.full(n, 0.81)
    elif kind == "known":
        x = z * (1, 1.5, 1, 1) + (-0.8, 2, 0, 0)
        p = sigmoid(2.0 + 2.0 * z[:, 0] + z[:, 1] + 0.5 * z[:, 2])
    elif kind == "hard":
        x, p = z + np.array((-2.5, 1, 0, 0)), sigmoid(-2 + 1.5 * z[:, 0] + 0.5 * z[:, 2])
    else:
        recalled = generator.random(n) < 0.35
        centre = np.where(recalled[:, None], (-0.3, 4, 0.3, 0.3), (-2, 0.8, -0.1, -0.1))
        x, p = z * (0.8, 1, 1, 1) + centre, np.where(recalled, 0.97, 0.08)
    return x, p, generator.random(n) < p


KINDS = ("guess", "known", "hard", "half")


def fit_pooled(x: np.ndarray, right: np.ndarray, parts: Mapping[str, np.ndarray]) -> Curves:
    return dict.fromkeys(parts, LogisticCalibration.fit(table(x), right, NAMES))


def fit_own(x: np.ndarray, right: np.ndarray, parts: Mapping[str, np.ndarray]) -> Curves:
    return {
        name: LogisticCalibration.fit(table(x[at]), right[at], NAMES) for name, at in parts.items()
    }


def fit_intercepts(x: np.ndarray, right: np.ndarray, parts: Mapping[str, np.ndarray]) -> Curves:
    return fit_by_relation(table(x), right, NAMES, parts, own_weight=FIXED)


def fit_partially(x: np.ndarray, right: np.ndarray, parts: Mapping[str, np.ndarray]) -> Curves:
    return fit_by_relation(table(x), right, NAMES, parts)


CALIBRATIONS: dict[str, Callable[..., Curves]] = {
    "one curve for all": fit_pooled,
    "a curve for each": fit_own,
    "one with intercepts": fit_intercepts,
    "partially pooled": fit_partially,
}
RULES = {"observed": None, "doubt 0.5": 0.5, "doubt 0.2": 0.2, "doubt 0.1": 0.1, "doubt 0.05": 0.05}


def table(x: np.ndarray) -> FeatureTable:
    return FeatureTable.from_matrix(x, NAMES)


def log_loss(p: np.ndarray, right: np.ndarray) -> float:
    return float(-np.log(np.clip(np.where(right, p, 1 - p), 1e-6, 1)).mean())


def simulate(n: int, draws: int, seed: int = 0) -> None:
    """Print both tables for n calibration questions of each relation."""
    generator = np.random.default_rng(seed)
    excess = {name: np.zeros(len(KINDS)) for name in CALIBRATIONS}
    given = {rule: np.zeros((len(KINDS), 2)) for rule in ("one for all", *RULES)}
    passed = {rule: np.zeros(len(KINDS)) for rule in given}
    parts = {kind: np.arange(i * n, (i + 1) * n) for i, kind in enumerate(KINDS)}
    for _ in range(draws):
        x, _, right = map(np.concatenate, zip(*(draw(k, n, generator) for k in KINDS), strict=True))
        tests = {kind: draw(kind, TEST, generator) for kind in KINDS}
        fitted = {name: fit(x, right, parts) for name, fit in CALIBRATIONS.items()}
        pooled = fitted["one curve for all"]["guess"].probability(table(x))
        common = choose_threshold(pooled, right, TARGET, EVEN_ODDS)
        for i, (kind, (new, true, outcome)) in enumerate(tests.items()):
            for name, curves in fitted.items():
                p = curves[kind].probability(table(new))
                excess[name][i] += (log_loss(p, outcome) - log_loss(true, outcome)) / draws
            own = fitted["partially pooled"][kind]
            score = own.probability(table(x[parts[kind]]))
            chosen = {
                rule: choose_threshold(score, right[parts[kind]], TARGET, EVEN_ODDS, doubt)
                for rule, doubt in RULES.items()
            }
            answered = {
                rule: threshold.answers(own.probability(table(new)))
                for rule, threshold in chosen.items()
            }
            one = fitted["one curve for all"][kind]
            answered["one for all"] = common.answers(one.probability(table(new)))
            for rule, mask in answered.items():
                given[rule][i] += (mask.sum(), true[mask].sum())
                passed[rule][i] += mask.any() / draws
    print(f"\n{n} calibration questions of each relation, {draws} draws")
    print(f"{'log loss beyond the best':26}" + "".join(f"{kind:>18}" for kind in KINDS))
    for name, losses in excess.items():
        print(f"{name:26}" + "".join(f"{loss:18.3f}" for loss in losses))
    print("answered, right among them, draws that answer anything")
    for rule, counts in given.items():
        cells = (
            f"{100 * a / draws / TEST:4.0f} % {100 * r / max(a, 1):4.0f} % {share:5.2f}"
            for (a, r), share in zip(counts, passed[rule], strict=True)
        )
        print(f"{rule:26}" + "".join(f"{cell:>18}" for cell in cells))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=60)
    arguments = parser.parse_args()
    for n in SIZES:
        simulate(n, arguments.draws)


if __name__ == "__main__":
    main()
