"""What the fields of a config may hold: names that are safe in a path, and numbers with bounds.

A bound refuses what no run could do with: a number that is not finite, a length that would take
years. It stands in the message, so that nobody has to look for it.
"""

from collections.abc import Collection
from numbers import Integral, Real
from typing import Any

from wherefrom.core.config import check

MOST_STEPS = 10**9  # a year at 30 steps a second
MOST_ROWS = 2**20
MOST_UNITS = 2**16  # of a layer: one square matrix of them has 4 billion weights
MOST_LAYERS = 1000
MOST_SYMBOLS = 2**24  # of a vocabulary, and rows of any table of vectors
MOST_QUESTIONS = 10**9
LONGEST_QUESTION = 500  # characters, with its answer: a longer row slows down all others
LARGEST_RATE = 1e30  # a weight in float32 ends at 3e38
_LONGEST_NAME = 100  # characters: two names and a suffix must fit into a file's name
_SEPARATORS = "/\\"


def check_name(config: Any, field: str) -> None:
    """Names of recipes, stages, models and tasks become names of files and folders."""
    fits = is_name(getattr(config, field))
    wanted = (
        f"a name of 1 to {_LONGEST_NAME} characters without / or \\, '..', control characters, "
        "and a dot or a space at its ends, since files are called by it"
    )
    check(fits, type(config).__name__, field, getattr(config, field), wanted)


def is_name(value: object) -> bool:
    """Whether a text can be a file's name as it stands, and leads nowhere else."""
    if not isinstance(value, str) or not 0 < len(value) <= _LONGEST_NAME:
        return False
    bare = value == value.strip(" .") and ".." not in value
    return bare and value.isprintable() and not any(c in value for c in _SEPARATORS)


def check_choice(config: Any, field: str, known: Collection[str]) -> None:
    """One of a few words."""
    value = getattr(config, field)
    check(value in known, type(config).__name__, field, value, f"one of {known}")


def check_whole(config: Any, field: str, least: int, most: int, meaning: str = "") -> None:
    """A whole number within bounds; `meaning` says what one of them means, or why it is there."""
    value = getattr(config, field)
    wanted = f"a whole number from {least:,} to {most:,}{meaning and f' ({meaning})'}"
    check(_is_whole(value) and least <= value <= most, type(config).__name__, field, value, wanted)


def check_vocabulary(config: Any) -> None:
    """How many symbols a model knows: 0 stands for those of the run's vocabulary."""
    meaning = "0: the vocabulary's; a model of one symbol has nothing to choose"
    check_whole(config, "vocab_size", 0, MOST_SYMBOLS, meaning)
    check(config.vocab_size != 1, type(config).__name__, "vocab_size", 1, "0, or at least 2")


def check_number(config: Any, field: str, least: float, most: float, meaning: str = "") -> None:
    """A number within bounds, both of them allowed; NaN is within none."""
    value = getattr(config, field)
    wanted = f"a number from {least:g} to {most:g}{meaning and f' ({meaning})'}"
    check(_is_real(value) and least <= value <= most, type(config).__name__, field, value, wanted)


def check_positive(config: Any, field: str, most: float, meaning: str = "") -> None:
    """A number above 0, up to a bound."""
    value = getattr(config, field)
    wanted = f"a number above 0, at most {most:g}{meaning and f' ({meaning})'}"
    check(_is_real(value) and 0 < value <= most, type(config).__name__, field, value, wanted)


def check_share(config: Any, field: str, least: float = 0.0) -> None:
    """A share that is never all: from `least`, below 1."""
    value = getattr(config, field)
    wanted = f"a share from {least:g}, below 1"
    check(_is_real(value) and least <= value < 1, type(config).__name__, field, value, wanted)


def _is_whole(value: object) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)


def _is_real(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)
