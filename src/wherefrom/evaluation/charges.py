"""What it costs to say what a model did not: plain codes that anybody could undo, in nats."""

import math
from collections.abc import Sequence

BYTE = math.log(256)


def where(count: int, length: int) -> float:
    """Which `count` of so many characters are meant, when how many is known."""
    share = count / max(length, 1)
    if share in (0, 1):
        return 0.0
    return -length * (share * math.log(share) + (1 - share) * math.log(1 - share))


def left_out(characters: Sequence[str], length: int) -> list[float]:
    """For each character that was taken out of a text of that length: where, and which."""
    each = where(len(characters), length) / max(len(characters), 1)
    return [each + BYTE * len(c.encode()) for c in characters]
