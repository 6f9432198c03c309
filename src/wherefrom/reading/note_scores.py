"""The score of a note: the chance that its value is right, given the reader's own probability.

Learnt from asked subjects, each read by a reader that did not learn from it, and from the same
texts without the sentences that state the answer.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

SURE = 0.9  # from this score on a note is sure: its odds are 9 : 1
_NEWTON_STEPS = 50
_PRIOR = 0.3  # as much as a third of a line says
_FLATTEST = 0.1  # the least slope: a likelier value must stay the surer one
_SILENCED = 0.15  # how often a text without its stating sentences counts: few texts are like that
_CLOSEST = 1e-6  # probabilities are kept this far from 0 and 1 where their odds are taken
_MOST_WRONG = 0.05  # of the sure notes
_MOST_ALARMS = 0.05  # of the silenced texts: these have a sure note though they state nothing
_SURE_ODDS, _LEAST_ODDS = np.log(9.0), np.log(3.0)  # a value of less than 3 : 1 is never sure


class Choice(NamedTuple):
    """The value that a reader chose in a text: its probability, and whether it is right.

    The text counts `weight` times. `silenced`: its stating sentences were cut out.
    """

    probability: float
    right: bool
    weight: float = 1.0
    silenced: bool = False


@dataclass(frozen=True)
class Calibration:
    """The chance that a value is right, from the probability that the model gives to it.

    A straight line between the logarithms of the odds (Platt 1999), which keeps their order.
    """

    slope: float = 1.0
    shift: float = 0.0

    @classmethod
    def fit(cls, choices: Iterable[Choice]) -> "Calibration":
        """The likeliest line, moved so that sure notes are rightly called so.

        The prior is that the probabilities are good as they are.
        """
        columns = np.array([*choices], dtype=float).reshape(-1, 4).T
        p_L, right_L, weight_L, silenced_L = columns
        x_L, silenced_L = _log_odds(p_L), silenced_L > 0
        weight_L = np.where(silenced_L, _SILENCED, np.where(weight_L > 0, weight_L, 1.0))
        slope, shift = 1.0, 0.0
        for _ in range(_NEWTON_STEPS):
            p_L = _sigmoid(slope * x_L + shift)
            error_L, curve_L = weight_L * (p_L - right_L), weight_L * p_L * (1 - p_L)
            by_slope = float((error_L * x_L).sum()) + _PRIOR * (slope - 1)
            by_shift = float(error_L.sum()) + _PRIOR * shift
            twice_slope = float((curve_L * x_L**2).sum()) + _PRIOR
            both, twice_shift = float((curve_L * x_L).sum()), float(curve_L.sum()) + _PRIOR
            size = twice_slope * twice_shift - both**2
            # Where all is certain there is no curvature, and a whole step would lead far away.
            slope -= _clip((twice_shift * by_slope - both * by_shift) / size)
            shift -= _clip((twice_slope * by_shift - both * by_slope) / size)
        line = cls(round(max(slope, _FLATTEST), 4), round(shift, 4))
        return line._place(x_L[~silenced_L], right_L[~silenced_L], x_L[silenced_L])

    def _place(self, x_L: np.ndarray, right_L: np.ndarray, silenced_S: np.ndarray) -> "Calibration":
        """The line moved up until the lowest value that may be sure is, or down for silenced texts.

        Of the values from the lowest one on few are wrong, and few silenced texts have such a one.
        """
        order_L = np.argsort(-x_L, kind="stable")
        x_L, right_L = x_L[order_L], right_L[order_L]
        n_L = np.searchsorted(-x_L, -x_L, side="right")  # values at least as likely
        wrong_L = np.cumsum(1 - right_L)[n_L - 1]
        loud = np.sort(silenced_S)[::-1][int(_MOST_ALARMS * silenced_S.size) :]
        loudest = loud.max(initial=-np.inf)  # not to be sure: enough silenced texts have more
        # Two more of each kind (Agresti and Coull 1998): a few right values say little.
        sound_L = (x_L > loudest) & ((wrong_L + 2) / (n_L + 4) <= _MOST_WRONG)
        lowest = x_L[sound_L].min(initial=np.inf)
        up = _SURE_ODDS - max(self._at(lowest), _LEAST_ODDS) + _CLOSEST
        down = _SURE_ODDS - self._at(loudest) - _CLOSEST
        return replace(self, shift=self.shift + float(up if up > 0 else min(down, 0.0)))

    def _at(self, x: Any) -> Any:
        """The logarithm of the odds that a value is right, from the model's."""
        return self.slope * x + self.shift

    def apply(self, probability: float) -> float:
        return float(_sigmoid(self._at(_log_odds(np.array(probability)))))


def _clip(step: float) -> float:
    return min(max(step, -0.5), 0.5)


def _log_odds(p: np.ndarray) -> np.ndarray:
    p = np.clip(p, _CLOSEST, 1 - _CLOSEST)
    return np.log(p / (1 - p))


def _sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-np.clip(x, -50, 50)))
