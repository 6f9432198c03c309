"""How many calibration questions a threshold takes; known before anything is trained."""

import math
from bisect import bisect_left

PRECISION = 0.9  # the share of the given answers that a threshold should have right
ALPHA, DELTA = 0.1, 0.1  # the risk that a bound keeps, and the probability that it fails
DOUBT = 0.1  # the probability of luck that is accepted where a threshold is said to keep a risk


def least_answers(alpha: float, delta: float = DOUBT, wrong: int = 0) -> int:
    """The fewest answers, with this many wrong, that would be this unlikely at a risk of alpha."""
    # Every wrong one takes at least one more.
    least = math.ceil(math.log(delta) / math.log1p(-alpha)) + wrong
    if not wrong:
        return least
    from scipy.special import bdtr

    most = 2 * least
    while bdtr(wrong, most, alpha) > delta:
        most *= 2
    # The more answers there are, the less likely it is that so few of them are wrong.
    numbers = range(least, most + 1)
    return numbers[bisect_left(numbers, -delta, key=lambda n: -bdtr(wrong, n, alpha))]


def say_least(alpha: float, delta: float = DOUBT) -> str:
    """The same in words: it depends on how many answers are wrong."""
    without, one, two = (least_answers(alpha, delta, wrong) for wrong in range(3))
    return f"at least {without} answers if all are right, {one} with one wrong, {two} with two"
