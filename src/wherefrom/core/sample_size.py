"""How many calibration questions a threshold takes; known before anything is trained."""

import math

PRECISION = 0.9  # the share of the given answers that a threshold should have right
ALPHA, DELTA = 0.1, 0.1  # the risk that a bound keeps, and the probability that it fails
DOUBT = 0.1  # the probability of luck that is accepted where a threshold is said to keep a risk


def least_answers(alpha: float, delta: float = DOUBT) -> int:
    """The fewest answers, all of them right, that would be this unlikely at a risk of alpha."""
    return math.ceil(math.log(delta) / math.log1p(-alpha))
