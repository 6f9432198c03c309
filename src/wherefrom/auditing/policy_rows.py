"""An answering policy and the answers it was fitted on, as a run folder has them.

The thresholds, and what is reported about held-out people, are computed again from them.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from wherefrom.answering.abstention import (
    Threshold,
    Thresholds,
    apply,
    refused,
)
from wherefrom.answering.calibration import LogisticCalibration
from wherefrom.answering.feature_table import FeatureTable
from wherefrom.core.config import from_json
from wherefrom.core.contracts import Dataset, Question
from wherefrom.evaluation.relations import group

_SUPPORTS = {"none": "refused_without_text", "omitted": "refused_omitted"}


@dataclass(frozen=True)
class PolicyRows:
    policy: Mapping[str, Any]
    rows: Mapping[str, Mapping[str, Any]]  # by the question
    dataset: Dataset

    @classmethod
    def of(cls, policy: Any, rows: Sequence[Any], dataset: Dataset) -> "PolicyRows":
        return cls(dict(policy), {row["question"]: row for row in rows}, dataset)

    @property
    def relations(self) -> dict[str, Any]:
        found: Any = self.policy.get("relations")
        return dict(found or {})

    @property
    def thresholds(self) -> Threshold | Thresholds:
        common = from_json(Threshold, self.policy["threshold"], "threshold")
        each = {
            name: from_json(Threshold, part["threshold"], f"relations.{name}.threshold")
            for name, part in self.relations.items()
        }
        return Thresholds(common, each) if each else common

    def wrong_threshold(self) -> str:
        """What a stored threshold says of calibration questions that their rows do not give."""
        people = self._kept("calibration")
        if not people:
            return ""
        score, right = self._score(people), self._right(people)
        thresholds, relations = self.thresholds, [q.relation for q in people]
        if isinstance(thresholds, Threshold):
            return _differs("threshold", thresholds, score, right)
        for relation, places in group(relations).items():
            if relation in thresholds.by_relation:
                own, where = thresholds.of(relation), f"relations.{relation}.threshold"
                if wrong := _differs(where, own, score[places], right[places]):
                    return wrong
        return ""

    def reported(self) -> dict[str, dict[str, Any]]:
        """The results about held-out people, by name."""
        found: dict[str, Any] = {}
        for support in ("stated", "omitted", "none"):
            people = self._kept("held-out", support)
            if not people:
                continue
            score, relations = self._score(people), [q.relation for q in people]
            if support == "stated":
                found |= apply(self.thresholds, score, self._right(people), relations)
            else:
                found[_SUPPORTS[support]] = refused(self.thresholds, score, relations)
        return {name: each.as_json() for name, each in found.items()}

    def _kept(self, split: str, *support: str) -> list[Question]:
        wanted = support or ("stated", "omitted", "none")
        return [q for q in self.dataset.select(split, wanted) if q.text in self.rows]

    def _right(self, people: Sequence[Question]) -> np.ndarray:
        return np.array([q.accepts(self.rows[q.text]["answer"]) for q in people], dtype=bool)

    def _score(self, people: Sequence[Question]) -> np.ndarray:
        """The calibrated probability, or 0 for a name that the gate does not know."""
        features = self._features(people)
        score = np.zeros(len(people))
        parts = self.relations
        for relation, places in group([q.relation for q in people]).items():
            curve = (
                parts[relation]["calibration"] if relation in parts else self.policy["calibration"]
            )
            score[places] = _curve(curve).probability(features.rows(places))
        if (names := self.policy.get("names")) is not None:
            known = _curve(names["curve"]).probability(features) >= names["least"]
            score = np.where(known, score, 0.0)
        return score

    def _features(self, people: Sequence[Question]) -> FeatureTable:
        rows = [self.rows[q.text]["features"] for q in people]
        return FeatureTable({n: np.array([float(row[n]) for row in rows]) for n in rows[0]})


def _curve(data: Any) -> LogisticCalibration:
    return from_json(LogisticCalibration, data, "curve")


def _differs(where: str, kept: Threshold, score: np.ndarray, right: np.ndarray) -> str:
    """The first value of a threshold that the rows do not give."""
    given = kept.answers(score)
    precision = float(right[given].mean()) if given.any() else None
    found = {"n": score.size, "answered_share": float(given.mean()), "precision": precision}
    for name, value in found.items():
        stored = getattr(kept, name)
        same = stored == value if value is None or stored is None else math.isclose(stored, value)
        if not same:
            return f"{where}.{name}: expected {value}, which the answers give, found {stored}"
    return ""
