"""Perplexity in comparable units, where the loss comes from, and why two texts differ.

A perplexity is per target, and a word is not a character. What can be compared between models is
the total loss per character of the original text, together with a charge for what a model cannot
express (`readings.py`). If steps change the text first, the result is reported in both units for
the same reason.
"""

import math
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from wherefrom.core.contracts import Document
from wherefrom.core.errors import MissingInput
from wherefrom.evaluation.evaluator import exponentiate, perplexity
from wherefrom.evaluation.intervals import Interval
from wherefrom.evaluation.text.preprocess import DROP_UNSEEN, preprocess
from wherefrom.evaluation.text.readings import CharacterReader, Reader, Reading
from wherefrom.evaluation.text.verbatim import Verbatim, find_verbatim, one_line

UNSEEN, UNKNOWN_CLASS = "never seen in training", "unknown"
_LARGEST = 700  # nats; the exponential of more is too large for a float


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


@dataclass(frozen=True)
class Training:
    """What a model was trained on: the characters of the training text, and the text as one line.

    For a word model, every character counts as seen.
    """

    seen: Container[str]
    text: str

    @classmethod
    def of(cls, documents: Sequence[Document], unit: str) -> "Training":
        texts = [document.text for document in documents]
        seen = (
            frozenset[str]().union(*map(frozenset, texts)) if unit == "character" else _Everything()
        )
        return cls(seen, one_line(" ".join(texts)))


@dataclass(frozen=True)
class _Readable:
    """The characters that a model reads as characters of its training text.

    An accented letter counts if the model reads it as a plain letter that it saw in training.
    """

    reader: CharacterReader
    seen: Container[str]

    def __contains__(self, character: str) -> bool:
        form = self.reader.write(character)
        return bool(form) and all(c in self.seen for c in form)


class _Everything:
    def __contains__(self, item: object) -> bool:
        return True


@dataclass(frozen=True)
class Wanted:
    """The chains of preprocessing steps and the temperatures that were asked for."""

    chains: tuple[tuple[str, ...], ...] = ()
    temperatures: tuple[float, ...] = ()

    def fitting(self, reader: Reader) -> "Wanted":
        """The part that this reader can report: a word model has no unseen characters to drop."""
        if isinstance(reader, CharacterReader):
            return self
        return replace(self, chains=tuple(c for c in self.chains if DROP_UNSEEN not in c))


def measure_text(
    reader: Reader, text: str, training: Training | None, wanted: Wanted | None = None
) -> MeasuredText:
    """Measure one text by one model; `training` is None if the training text is missing."""
    wanted = (wanted or Wanted()).fitting(reader)
    seen = training.seen if training else _Everything()
    kept = _keeps(reader, training, wanted)
    reading = reader.read(text)
    verbatim = None
    if training:
        verbatim = find_verbatim(reading.form, training.text, reader.unknown_word)
    return replace(
        measure(reading, len(text), seen),
        verbatim=verbatim,
        preprocessed=tuple(_measure_chain(reader, text, c, kept) for c in wanted.chains),
        temperatures=tuple(
            MeasuredTemperature(t, _perplexity(reader.at(t).read(text)))
            for t in wanted.temperatures
        ),
    )


def _keeps(reader: Reader, training: Training | None, wanted: Wanted) -> Container[str]:
    """The characters that `drop-unseen` keeps; an error if they are needed but not known."""
    if isinstance(reader, CharacterReader) and training:
        return _Readable(reader, training.seen)
    if not any(DROP_UNSEEN in steps for steps in wanted.chains):
        return _Everything()
    raise MissingInput(
        f"preprocess {DROP_UNSEEN}: expected the text that the model was trained on, found "
        "that it is missing or has changed; put the file back, or leave the step out"
    )


def measure(reading: Reading, characters: int, seen: Container[str]) -> MeasuredText:
    """A reading's scores, and its losses by class of target.

    `characters` is the length of the original text, `seen` are the training text's characters.
    """
    losses, everything = reading.nats[reading.scored], reading.nats + reading.charge
    score = perplexity(losses, {})
    per_character = float(losses.sum()) / characters
    charged = float(everything.sum())
    return MeasuredText(
        perplexity=score.value,
        interval=score.interval,
        n=score.n,
        nats_per_target=score.details["nats_per_target"],
        bits_per_target=score.details["bits_per_target"],
        characters=characters,
        nats_per_character=per_character,
        bits_per_character=per_character / math.log(2),
        unknown_share=float(reading.unknown.mean()),
        charged=Charged(
            perplexity=_exp(charged / len(reading.pieces)),
            nats_per_character=charged / characters,
            bits_per_character=charged / characters / math.log(2),
        ),
        classes=_classes(reading, seen),
    )


def class_of(piece: str) -> str:
    """The class of a character or a word; the first letter of a word decides its class."""
    if not piece:
        return "sentence end"
    if piece.isspace():
        return "line end" if piece == "\n" else "space"
    if letter := next((c for c in piece if c.isalpha()), ""):
        return "lower case" if letter == letter.lower() else "capitals"
    return "digits" if any(c.isdigit() for c in piece) else "punctuation"


def explain_gap(first: MeasuredText, second: MeasuredText) -> dict[str, float]:
    """How much each class contributes to the difference in loss per target, in nats.

    The difference is the second text's loss minus the first's. A class contributes its loss per
    target of the second text minus its loss per target of the first, so the contributions add up.
    """

    def carried(found: MeasuredText, name: str) -> float:
        part = found.classes.get(name)
        return part.share_of_loss * found.nats_per_target if part else 0.0

    names = dict.fromkeys([*first.classes, *second.classes])
    parts = {name: carried(second, name) - carried(first, name) for name in names}
    return dict(sorted(parts.items(), key=lambda part: -abs(part[1])))


def explain_gaps(texts: Mapping[str, MeasuredText]) -> dict[str, dict[str, float]]:
    """Explain the difference of every other text to the first."""
    (_, first), *others = texts.items()
    return {name: explain_gap(first, found) for name, found in others}


def _measure_chain(
    reader: Reader, text: str, steps: tuple[str, ...], kept: Container[str]
) -> MeasuredChain:
    after = preprocess(text, steps, kept)
    reading = reader.read(after.text)
    nats = float(reading.nats.sum())
    everything = nats + float(reading.charge.sum()) + after.undo
    return MeasuredChain(
        steps=steps,
        changed=after.changed,
        undo_nats=after.undo,
        characters_seen=len(after.text),
        perplexity=_perplexity(reading),
        unknown_share=float(reading.unknown.mean()),
        per_character_seen=exponentiate(nats / len(after.text)),
        per_original_character=exponentiate(nats / len(text)),
        charged_per_original_character=exponentiate(everything / len(text)),
    )


def _exp(nats: float) -> float | None:
    return math.exp(nats) if nats < _LARGEST else None


def _perplexity(reading: Reading) -> float:
    return exponentiate(float(reading.nats[reading.scored].mean()))


def _classes(reading: Reading, seen: Container[str]) -> dict[str, TargetClass]:
    """The classes of targets, the one with the largest share of the model's own loss first."""
    kinds = {
        piece: UNSEEN if len(piece) == 1 and piece not in seen else class_of(piece)
        for piece in set(reading.pieces)
    }
    names = [
        UNKNOWN_CLASS if unknown else kinds[piece]
        for piece, unknown in zip(reading.pieces, reading.unknown, strict=True)
    ]
    order, number = np.unique(names, return_inverse=True)
    scored = reading.scored
    counts = np.bincount(number[scored], minlength=len(order))
    nats = np.bincount(number[scored], reading.nats[scored], len(order))
    total = nats.sum() or 1.0
    found = {
        str(name): TargetClass(
            targets=int(counts[i]),
            share=float(counts[i] / counts.sum()),
            nats_per_target=float(nats[i] / counts[i]),
            share_of_loss=float(nats[i] / total),
        )
        for i, name in enumerate(order)
        if counts[i]
    }
    return dict(sorted(found.items(), key=lambda entry: -entry[1].share_of_loss))
