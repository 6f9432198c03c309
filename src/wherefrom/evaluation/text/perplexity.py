"""Perplexity in honest units, where the loss comes from, and why two texts differ.

A perplexity is per target, and a word is not a character: what can be compared between models is
the total loss per character of the text as it was given, with what a model does not express
charged as `readings.py` says. Steps that change the text first are reported in both units for the
same reason.
"""

import math
from collections.abc import Collection, Container, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from wherefrom.core.contracts import Document
from wherefrom.core.errors import MissingInput
from wherefrom.core.words import UNKNOWN
from wherefrom.evaluation.evaluator import perplexity
from wherefrom.evaluation.text.preprocess import DROP_UNSEEN, preprocess
from wherefrom.evaluation.text.readings import CharacterReader, Reader, Reading

UNSEEN, UNKNOWN_CLASS = "never seen in training", "unknown"
_LARGEST = 700  # nats whose exponential is a float
_WINDOW = 60  # characters: too many to be in two texts by chance
_SHORTEST = 20  # characters of a text that say anything about where it comes from
_WINDOWS = 1000  # of a text that are looked up


@dataclass(frozen=True)
class Training:
    """What a model was trained on: its characters, and its text as one line.

    Of a word model, which has never seen a character, every one counts as seen.
    """

    seen: Container[str]
    text: str

    @classmethod
    def of(cls, documents: Sequence[Document], unit: str) -> "Training":
        texts = [document.text for document in documents]
        seen = frozenset().union(*map(frozenset, texts)) if unit == "character" else _Everything()
        return cls(seen, one_line(" ".join(texts)))


@dataclass(frozen=True)
class _Readable:
    """The characters of which a model reads nothing that it never saw in training.

    An accented letter is one of them where the model reads the plain letter in its place.
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
    """Chains of preprocessing steps and temperatures to be reported besides."""

    chains: tuple[tuple[str, ...], ...] = ()
    temperatures: tuple[float, ...] = ()

    def fitting(self, reader: Reader) -> "Wanted":
        """What of it can be reported: a model of words has seen no characters to drop others by."""
        if isinstance(reader, CharacterReader):
            return self
        return replace(self, chains=tuple(c for c in self.chains if DROP_UNSEEN not in c))


def measure_text(
    reader: Reader, text: str, training: Training | None, wanted: Wanted | None = None
) -> dict[str, Any]:
    """All that is reported about one model and one text; `training` may not be at hand."""
    wanted = (wanted or Wanted()).fitting(reader)
    seen = training.seen if training else _Everything()
    kept = _keeps(reader, training, wanted)
    reading = reader.read(text)
    found = measure(reading, len(text), seen)
    if training:
        found["verbatim"] = find_verbatim(reading.form, training.text)
    found["preprocessed"] = [_measure_chain(reader, text, c, kept) for c in wanted.chains]
    found["temperatures"] = [
        {"temperature": t, "perplexity": _perplexity(reader.at(t).read(text))}
        for t in wanted.temperatures
    ]
    return found


def _keeps(reader: Reader, training: Training | None, wanted: Wanted) -> Container[str]:
    """The characters that are left when unseen ones are dropped; refuses where nobody knows."""
    if isinstance(reader, CharacterReader) and training:
        return _Readable(reader, training.seen)
    if not any(DROP_UNSEEN in steps for steps in wanted.chains):
        return _Everything()
    raise MissingInput(
        f"--preprocess {DROP_UNSEEN}: expected the text that the model was trained on, found "
        "it gone or changed; put the file back, or leave the step out"
    )


def measure(reading: Reading, characters: int, seen: Container[str]) -> dict[str, Any]:
    """A reading's scores, and its losses by class of target.

    `charged` is with what the model's own loss leaves out: per target, and per character.
    """
    losses, everything = reading.nats[reading.scored], reading.nats + reading.charge
    score = perplexity(losses, {"characters": characters})
    per_character = float(losses.sum()) / characters
    charged = float(everything.sum())
    return score.as_json() | {
        "nats_per_character": per_character,
        "bits_per_character": per_character / math.log(2),
        "unknown_share": float(reading.unknown.mean()),
        "charged": {
            "perplexity": _exp(charged / len(reading.pieces)),
            "nats_per_character": charged / characters,
            "bits_per_character": charged / characters / math.log(2),
        },
        "classes": _classes(reading, seen),
    }


def class_of(piece: str) -> str:
    """Of a character or a word; a word is of the class of its first letter, if it has one."""
    if not piece:
        return "sentence end"
    if piece.isspace():
        return "line end" if piece == "\n" else "space"
    if letter := next((c for c in piece if c.isalpha()), ""):
        return "lower case" if letter == letter.lower() else "capitals"
    return "digits" if any(c.isdigit() for c in piece) else "punctuation"


def explain_gap(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, float]:
    """What each class adds to the second text's loss per target over the first's, in nats.

    The parts add up to the difference: a class's part is how much of the whole loss per target
    it carries in the one text, less what it carries in the other.
    """

    def carried(found: Mapping[str, Any], name: str) -> float:
        part = found["classes"].get(name)
        return part["share_of_loss"] * found["nats_per_target"] if part else 0.0

    names = dict.fromkeys([*first["classes"], *second["classes"]])
    parts = {name: carried(second, name) - carried(first, name) for name in names}
    return dict(sorted(parts.items(), key=lambda part: -abs(part[1])))


def explain_gaps(texts: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, float]]:
    """Every text against the first of them."""
    (_, first), *others = texts.items()
    return {name: explain_gap(first, found) for name, found in others}


def find_verbatim(form: str, training: str) -> dict[str, int]:
    """How many stretches of a text, in the training text's own form, stand in it as they are.

    A text that is shorter than one is looked up whole; one of a few characters, or mostly of
    unknown words, has no stretch that could tell.
    """
    line = one_line(form)
    size = min(_WINDOW, max(len(line), _SHORTEST))
    starts: Collection[int] = range(0, len(line) - size + 1, size)
    if len(starts) > _WINDOWS:
        starts = [int(i) for i in np.linspace(0, len(line) - size, _WINDOWS)]
    stretches = [line[i : i + size] for i in starts]
    telling = [s for s in stretches if 2 * len(UNKNOWN) * s.count(UNKNOWN) < size]
    return {"found": sum(s in training for s in telling), "stretches": len(telling)}


def one_line(text: str) -> str:
    return " ".join(text.split())


def _measure_chain(
    reader: Reader, text: str, steps: tuple[str, ...], kept: Container[str]
) -> dict[str, Any]:
    """Per character that the model was shown, and per character of the text as it was given.

    What a step loses looks like a gain in both; `charged` pays for that and for what is unknown.
    """
    after = preprocess(text, steps, kept)
    reading = reader.read(after.text)
    nats = float(reading.nats.sum())
    everything = nats + float(reading.charge.sum()) + after.undo
    return {
        "steps": list(steps),
        "changed": after.changed,
        "undo_nats": after.undo,
        "characters_seen": len(after.text),
        "perplexity": _perplexity(reading),
        "unknown_share": float(reading.unknown.mean()),
        "per_character_seen": math.exp(nats / len(after.text)),
        "per_original_character": math.exp(nats / len(text)),
        "charged_per_original_character": math.exp(everything / len(text)),
    }


def _exp(nats: float) -> float | None:
    """None where no float is so large: a whole line spelled out can cost thousands of nats."""
    return math.exp(nats) if nats < _LARGEST else None


def _perplexity(reading: Reading) -> float:
    return math.exp(float(reading.nats[reading.scored].mean()))


def _classes(reading: Reading, seen: Container[str]) -> dict[str, dict[str, float]]:
    """Targets and losses of every class, those that carry most first; `nats` are the model's."""
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
        str(name): {
            "targets": int(counts[i]),
            "share": float(counts[i] / counts.sum()),
            "nats_per_target": float(nats[i] / counts[i]),
            "share_of_loss": float(nats[i] / total),
        }
        for i, name in enumerate(order)
        if counts[i]
    }
    return dict(sorted(found.items(), key=lambda entry: -entry[1]["share_of_loss"]))
