"""What a result measures.

A result is a dict as a run writes it: the measured value under its measure's name, its interval,
and the number of items that it rests on. Tables and figures read results by the same rules.
"""

from collections.abc import Mapping
from typing import Any

PERPLEXITY, BITS = "perplexity", "bits_per_character"
CHECKS = "checks_held"  # of a demonstration
BY_RELATION = "by_relation"  # the same result for each relation, where there are several
WHY_NOT = "why_not"  # why nothing is answered, in words
UNVERIFIED = "unverified"  # why answers are given as unverified, in words
NOT_SHOWN = "no threshold was shown to keep the risk"  # what the word means (docs/TRUST.md)
POOLED = "pooled"  # whether the threshold was shown for several relations together
MEASURES = ("accuracy", "answered_share", "precision", "refused_share", PERPLEXITY, BITS, CHECKS)
UNITS = {"characters": "character", "bigrams": "word"}  # a field that only such a text's result has


def measured(result: Mapping[str, Any]) -> tuple[str, float]:
    """The measure and the value of a result; of an unlisted measure, the first field."""
    found = next((name for name in MEASURES if name in result), None) or next(iter(result))
    return found, float(result[found])


def is_share(measure: str) -> bool:
    """Whether the measure is a share, from 0 to 1 and better when larger."""
    return measure not in (PERPLEXITY, BITS)


def unit_of(result: Mapping[str, Any]) -> str | None:
    """What a perplexity is per: a character, a word, or None where the result does not say."""
    return next((unit for field, unit in UNITS.items() if field in result), None)
