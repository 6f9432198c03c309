"""Counted randomness: integers as a pure function of where they are used.

The generator is Philox4x32-10 (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as
easy as 1, 2, 3", 2011). A draw is addressed by (seed, stream, stage, step, row, draw), so
nothing has to be stored to resume, rows can be made in any order, and a replay is exact.

Everything is int64 arithmetic that numpy and torch spell alike, so the same lines give the
same integers from numpy arrays, torch tensors on a CPU and torch tensors on a GPU. A 32 x 32
bit product may not fit a signed 64-bit integer: it wraps, which keeps all 64 bits, and since
`>>` on int64 copies the sign bit, the high word is masked after every shift.
"""

from collections.abc import Sequence
from enum import IntEnum
from typing import Any

MASK32 = 0xFFFFFFFF
_MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
_WEYL = (0x9E3779B9, 0xBB67AE85)
_ROUNDS = 10

Array = Any  # an int64 numpy array or torch tensor


class Stream(IntEnum):
    """Independent uses of one seed; numbers are part of the run format, never reused."""

    WORLD = 0
    ORDER = 1
    SPAN = 2
    QUESTION = 3
    INITIAL = 4
    DROPOUT = 5
    SAMPLING = 6
    BOOTSTRAP = 7
    TABLE = 8
    WORDS = 9
    EDITS = 10
    OMISSIONS = 11


def philox(counter: Sequence[Array | int], key: Sequence[int]) -> tuple[Array, Array, Array, Array]:
    """Four 32-bit words (held in int64) for a counter of four words and a key of two.

    The first counter word must be an array; the others may be arrays that broadcast with it
    or plain integers.
    """
    c0, c1, c2, c3 = counter
    zero = c0 & 0
    c1, c2, c3 = zero + c1, zero + c2, zero + c3
    k0, k1 = int(key[0]) & MASK32, int(key[1]) & MASK32
    for _ in range(_ROUNDS):
        p0 = c0 * _MULTIPLIERS[0]
        p1 = c2 * _MULTIPLIERS[1]
        c0, c1, c2, c3 = (
            ((p1 >> 32) & MASK32) ^ c1 ^ k0,
            p1 & MASK32,
            ((p0 >> 32) & MASK32) ^ c3 ^ k1,
            p0 & MASK32,
        )
        k0, k1 = (k0 + _WEYL[0]) & MASK32, (k1 + _WEYL[1]) & MASK32
    return c0, c1, c2, c3


def draws(
    count: int, *, seed: int, stream: Stream, stage: int, step: Array | int, row: Array
) -> list[Array]:
    """`count` arrays of 32-bit integers, one for each draw of each (step, row).

    Draw d is word d % 4 of the block whose counter is (d // 4, row, step, stage).
    """
    if not 0 <= seed <= MASK32:
        raise ValueError(f"seed must be between 0 and {MASK32}, found {seed}")
    words: list[Array] = []
    for block in range(-(-count // 4)):
        words += philox(((row & 0) + block, row, step, stage), (seed, int(stream)))
    return words[:count]


def below(word: Array, bound: Array | int) -> Array:
    """An integer in [0, bound) from a 32-bit word: the high half of word x bound (< 2**31)."""
    return (word * bound) >> 32


def chance(word: Array, probability: float) -> Array:
    """True with the given probability, decided between integers, never floats."""
    return word < round(probability * 2**32)
