"""What is reported about one model and one text; `perplexity.py` computes it."""

from collections.abc import Mapping
from dataclasses import dataclass

from wherefrom.evaluation.intervals import Interval
from wherefrom.evaluation.text.verbatim import Verbatim


@dataclass(frozen=True)
class Charged:
    """The loss together with the price of what the model does not express (`charges.py`).

    `perplexity` is None where no float is large enough: a line that is spelt out whole can cost
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

    The three perplexities are per character that the model was shown, per character of the text
    as it was given, and per such a character with what the steps lose and what is unknown paid
    for. The first two get better by losing text; the last does not.
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

    `n` targets are scored: characters, or words and sentence ends. `characters` are those of the
    text as it was given. The interval is a 95 % one of the perplexity. `verbatim` is None where
    the training text is not at hand.
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
    classes: Mapping[str, TargetClass]  # those that carry most of the loss first
    verbatim: Verbatim | None = None
    preprocessed: tuple[MeasuredChain, ...] = ()
    temperatures: tuple[MeasuredTemperature, ...] = ()
