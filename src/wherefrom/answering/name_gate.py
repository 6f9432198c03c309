"""The name gate: does the model know the name at all?

Calibration people may all have text. A curve fitted on them never meets a name that the model has
not read, and trusts it with an answer about nobody. So decoys (names that nobody bears, made of
the parts of known ones) are set beside the calibration people who have text, and a name counts as
unknown where it is less familiar than those people's names are.
"""

from dataclasses import dataclass

import numpy as np

from wherefrom.answering.calibration import LogisticCalibration
from wherefrom.answering.familiarity import FAMILIARITY
from wherefrom.answering.feature_table import FeatureTable
from wherefrom.core.errors import BadData

LOST = 0.02  # of the people with text at most this share may be taken for unknown
_EDGE = 1e-9  # no probability is nearer to 0 or 1 when odds are taken of it
_ENOUGH = 0.995  # share of the decoys after which no more need be refused


@dataclass(frozen=True)
class NameGate:
    """Open where the curve's probability that the name was read is at least `least`."""

    curve: LogisticCalibration
    least: float

    def __post_init__(self) -> None:
        if self.curve.features != FAMILIARITY:
            raise BadData(
                f"names: expected the features {FAMILIARITY}, found {self.curve.features}"
            )
        if not np.isfinite(self.least):
            raise BadData(f"names: expected a finite least value, found {self.least}")

    def opens(self, features: FeatureTable) -> np.ndarray:
        return self.curve.probability(features) >= self.least

    def probability(self, features: FeatureTable) -> np.ndarray:
        """That each name was read: the curve, its odds scaled so that the gate opens at even."""
        p_N = np.clip(self.curve.probability(features), _EDGE, 1 - _EDGE)
        least = np.clip(self.least, _EDGE, 1 - _EDGE)
        odds_N = p_N / (1 - p_N) * ((1 - least) / least)
        return odds_N / (1 + odds_N)


def fit_name_gate(known: FeatureTable, decoys: FeatureTable) -> NameGate:
    """Tell calibration people who have text from decoys, by their familiarity.

    The gate closes no further than needed: half-way between the most familiar of nearly all
    decoys and the people above it. Where the two overlap, few people may be lost.
    """
    both = np.vstack((known.matrix(FAMILIARITY), decoys.matrix(FAMILIARITY)))
    read = np.repeat((True, False), (len(known), len(decoys)))
    curve = LogisticCalibration.fit(FeatureTable.from_matrix(both, FAMILIARITY), read, FAMILIARITY)
    people, unknown = curve.probability(known), curve.probability(decoys)
    most = float(np.quantile(unknown, _ENOUGH, method="lower"))
    above = people[people > most]
    enough = (most + float(above.min())) / 2 if above.size else 1.0
    return NameGate(curve, min(enough, float(np.quantile(people, LOST, method="lower"))))
