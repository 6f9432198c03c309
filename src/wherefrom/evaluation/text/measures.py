"""What is reported about one model and one text; `perplexity.py` computes it."""

from collections.abc import Mapping
from dataclasses import dataclass

from wherefrom.evaluation.intervals import Interval
from wherefrom.evaluation.text.verbatim import Verbatim


@dataclass(frozen=True)
class Charged:
    """The loss together with the price of what the model does not express (`charges.py`).

    `perplexity` is None if it is too large for a float: a line that is spelt out whole can cost
    thousands of nats.
    """

    perplexity: float | None
    nats_per_character: float
    bits_per_character: float


@dataclass(frozen=True)
class TargetClass:
    """The targets of one class, such as digits: how many, and how much of the loss they carry."""

    targets: int
    share: float  # of the targets
    nats_per_target: float
    share_of_loss: float


@dataclass(frozen=True)
class MeasuredChain:
    """A text after a chain of preprocessing steps.

    The three perplexities are per character that the model read, per character of the original
    text, and per original character with a charge for what the steps lost and what is unknown.
    Losing text improves the first two, but not the last.
    """

    steps: tuple[str, ...]
    changed: int  # characters
    undo_nats: float  # the price of saying what the steps changed
    characters_seen: int
    perplexity: float
    unknown_share: float
    per_character_seen: float
    per_original_character: float
    charged_per_original_character: float


@dataclass(frozen=True)
class MeasuredTemperature:
    """The perplexity with the logits divided by a temperature: a diagnosis, not a score."""

    temperature: float
    perplexity: float


@dataclass(frozen=True)
class MeasuredText:
    """The scores of one model on one text.

    `n` targets are scored: characters, or words and sentence ends. `characters` is the length of
    the original text. The interval is the 95 % interval of the perplexity. `verbatim` is None if
    the training text is missing.
    """

    perplexity: float
    interval: Interval
    n: int
    nats_per_target: float
    bits_per_target: float
    characters: int
    nats_per_character: float
    bits_per_character: float
    unknown_share: float
    charged: Charged
    classes: Mapping[str, TargetClass]  # the class with the largest share of the loss first
    verbatim: Verbatim | None = None
    preprocessed: tuple[MeasuredChain, ...] = ()
    temperatures: tuple[MeasuredTemperature, ...] = ()
