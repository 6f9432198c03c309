"""Does the model know the name at all?

Calibration people may all have text. A curve fitted on them never meets a name that the model has
not read, and trusts it with an answer about nobody. So names that nobody bears, made of the parts
of known ones, are set beside the calibration people who have text, and a name is taken for
unknown where it is less familiar than those people's names are.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from wherefrom.answering.calibration import LogisticCalibration
from wherefrom.core.errors import BadData

FAMILIARITY = ("familiarity", "least_familiar")
LOST = 0.02  # of the people with text at most this share may be taken for unknown
_EDGE = 1e-9  # no probability is nearer to 0 or 1 when odds are taken of it
_ENOUGH = 0.995  # of the nonexistent names, after which no more need be refused


@dataclass(frozen=True)
class NameGate:
    """Open where the curve's probability that the name was read is at least `least`."""

    curve: LogisticCalibration
    least: float

    def opens(self, familiarity_N2: np.ndarray) -> np.ndarray:
        return self.curve.probability(familiarity_N2) >= self.least

    def probability(self, familiarity_N2: np.ndarray) -> np.ndarray:
        """That each name was read: the curve, its odds scaled so that the gate opens at evens."""
        p_N = np.clip(self.curve.probability(familiarity_N2), _EDGE, 1 - _EDGE)
        least = np.clip(self.least, _EDGE, 1 - _EDGE)
        odds_N = p_N / (1 - p_N) * ((1 - least) / least)
        return odds_N / (1 + odds_N)

    def as_json(self) -> dict[str, Any]:
        return {"curve": self.curve.as_json(), "least": self.least}

    @classmethod
    def from_json(cls, data: Any) -> "NameGate":
        if not isinstance(data, Mapping) or not isinstance(data.get("curve"), Mapping):
            raise BadData("names: expected a curve and its least value, found something else")
        curve = LogisticCalibration.from_json(data["curve"])
        if curve.features != FAMILIARITY:
            raise BadData(f"names: expected the features {FAMILIARITY}, found {curve.features}")
        try:
            return cls(curve, float(data["least"]))
        except (KeyError, TypeError, ValueError) as error:
            raise BadData(f"names: expected the least value, found: {error}") from None


def learn_gate(known_N2: np.ndarray, strangers_M2: np.ndarray) -> NameGate:
    """Told apart on calibration people who have text and on nonexistent names.

    The gate closes no further than needed: half-way between the most familiar of nearly all
    nonexistent names and the people above it. Where the two overlap, few people may be lost.
    """
    features = np.vstack((known_N2, strangers_M2))
    read = np.repeat((True, False), (len(known_N2), len(strangers_M2)))
    curve = LogisticCalibration.fit(features, read, FAMILIARITY)
    known, unknown = curve.probability(known_N2), curve.probability(strangers_M2)
    most = float(np.quantile(unknown, _ENOUGH, method="lower"))
    above = known[known > most]
    enough = (most + float(above.min())) / 2 if above.size else 1.0
    return NameGate(curve, min(enough, float(np.quantile(known, LOST, method="lower"))))
