"""Our confidence against the usual scores of uncertainty, on a model that is often wrong.

    wherefrom run birthplaces-calibrated --data birthplaces --set stages.pretrain.steps=3000
    python benchmarks/replay.py RUN --samples 10 --tier 0 --file RAW
    python benchmarks/trust_results.py     # where RAW is its file UNDER

- *sequence probability* of the answer, and *length-normalised*: the mean over its characters;
- *entropy* over sampled answers, equal ones counted together (discrete semantic entropy);
- *self-consistency*: how many of the sampled answers are the answer.

Each score is also refitted: a logistic curve over it alone, on the questions that ours is fitted
on. Both splits are scored, each by what was fitted on the other. A curve keeps the order, so AURC
and PRR stay, and the Brier score shows the rest. PRR is the prediction-rejection ratio: 0 for a
random order, 1 for a perfect one. Intervals are paired bootstraps over questions; a difference
above 0 is in our favour.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from replay import Replay

from wherefrom.answering.calibration import fit_calibration
from wherefrom.core.answer_table import FeatureTable
from wherefrom.evaluation.selective import compare_areas, risk_coverage

OURS = "ours"
SPLITS = ("calibration", "held-out")


def score_answers(rows: Sequence[Mapping[str, Any]]) -> dict[str, np.ndarray]:
    """The scores of the field, each larger for surer answers."""
    log = np.array([row["features"]["log_probability"] for row in rows])
    length = np.array([len(row["answer"]) + 1 for row in rows])  # the closing mask is chosen too
    drawn = [Counter(map(_normalise, row["samples"])) for row in rows]
    same = [count[_normalise(row["answer"])] for row, count in zip(rows, drawn, strict=True)]
    return {
        "sequence probability": log,
        "length-normalised": log / length,
        "entropy of samples": -np.array([_entropy(count) for count in drawn]),
        "self-consistency": np.array(same) / [max(count.total(), 1) for count in drawn],
    }


def _normalise(text: str) -> str:
    return " ".join(text.casefold().split())


def _entropy(count: Counter[str]) -> float:
    share = np.array(list(count.values())) / count.total()
    return float(-(share * np.log(share)).sum())


def compare(found: Replay) -> dict[str, Any]:
    """Every score on all questions of a run.

    Calibration questions are scored by what was fitted on held-out ones, and the other way round.
    """
    ours, right = list[np.ndarray](), list[np.ndarray]()
    scores, refitted = dict[str, list[np.ndarray]](), dict[str, list[np.ndarray]]()
    for fitting, testing in (SPLITS, SPLITS[::-1]):
        rows = {split: [r for r in found.parts["answer"] if r["split"] == split]
                for split in SPLITS}  # fmt: skip
        outcome = {split: np.array([r["right"] for r in each]) for split, each in rows.items()}
        asked = [found.try_parse(q.text) for q in found.questions(testing)]
        table = found.answer(asked)
        ours.append(found.fit(fitting).confidence(table.features, table.relations))
        right.append(outcome[testing])
        before, after = score_answers(rows[fitting]), score_answers(rows[testing])
        for name, score in after.items():
            curve = fit_calibration(FeatureTable({name: before[name]}), outcome[fitting], (name,))
            scores.setdefault(name, []).append(score)
            refitted.setdefault(name, []).append(curve.probability(FeatureTable({name: score})))
    sure, good = np.concatenate(ours), np.concatenate(right)
    table = {OURS: _measure(sure, sure, sure, good)}
    for name, each in scores.items():
        again = np.concatenate(refitted[name])
        table[name] = _measure(np.concatenate(each), again, sure, good)
    return {"n": good.size, "wrong": int((~good).sum()), "scores": table}


def _measure(
    score: np.ndarray, refitted: np.ndarray, ours: np.ndarray, right: np.ndarray
) -> dict[str, Any]:
    curve, overall = risk_coverage(score, right), float((~right).mean())
    found: dict[str, Any] = {
        "aurc": curve.area,
        "prr": (overall - curve.area) / (overall - curve.least_area),
        "brier": float(((refitted - right) ** 2).mean()),
    }
    if score is not ours:
        apart = compare_areas(score, ours, right)
        span = overall - curve.least_area
        found["aurc_gain"] = {"share": apart.difference, "interval": apart.interval}
        found["prr_gain"] = {
            "share": apart.difference / span, "interval": [end / span for end in apart.interval]
        }  # fmt: skip
    return found
