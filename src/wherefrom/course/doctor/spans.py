"""Checks of a CharCorruptionDataset: the pieces of an example, and statistics over many.

For every rule over many draws, the chance that a right data set breaks it is below `FALSE_ALARM`.
"""

import math
import statistics
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import torch

from wherefrom.course.doctor.findings import Finding, NoTelling
from wherefrom.course.doctor.submission import Submission

PAD, MASK = "\u25a1", "\u2047"
SHORTEST = 4
FALSE_ALARM = 1e-6

# A document as long as the course's are on average, in which no two characters follow each other
# twice, so that a piece has only one place in it; then documents shorter than the course's limit,
# but not shorter than any of its own (38 characters). One has a letter that ASCII lacks, as many
# of the course's have.
_ASCII = "".join(map(chr, range(33, 127)))
LONG = "".join(_ASCII[i * step % len(_ASCII)] for step in (1, 3) for i in range(94))[:141]
DOCUMENTS = (
    LONG,
    "Zoë P. Lund. Born in Oslo, Lund painted.",
    "Bo Falk left Rome in 1900 for Vienna, and wrote of it.",
    "abcdefghijklmnopqrstuvwxyz, 0123456789.",
)
TEXT = "\n".join(DOCUMENTS)

SMALL_BLOCK, BLOCK = 30, 128
# With each of the small block's lengths, 23 at most, at least a quarter as likely as if all were
# equally likely, P(some length is missing) <= 23 (1 - 1/92)^2000 = 8e-9.
DRAWS = 2000
_SIGMAS = 5.0  # of the mean share: two-sided 5.7e-7
_QUARTER = (0.21, 0.29)
_ENOUGH = 32  # characters: in longer texts, rounding a quarter down hardly matters


class Examples(Protocol):
    """A student's data set; what an example is remains to be checked."""

    def __len__(self) -> int: ...
    def __getitem__(self, index: int, /) -> object: ...


class CharacterExamples(Examples, Protocol):
    """A data set that has a vocabulary: the CharCorruptionDataset."""

    itos: Mapping[int, str]
    stoi: Mapping[str, int]
    vocab_size: int


@dataclass(frozen=True)
class Pieces:
    """What one example is made of; `closed` says whether a mask follows the span."""

    prefix: str
    suffix: str
    span: str
    closed: bool

    @property
    def text(self) -> str:
        return self.prefix + self.span + self.suffix

    def __len__(self) -> int:
        return len(self.prefix) + len(self.span) + len(self.suffix)


def dataset(submission: Submission, block: int) -> CharacterExamples:
    """The submission's data set over `TEXT`."""
    make = submission.CharCorruptionDataset
    return submission.once(("dataset", block), lambda: make(TEXT, block))


def draw(data: Examples, index: int) -> tuple[list[int], list[int]]:
    """One example as two lists, after its form was checked."""
    item = data[index]
    if not isinstance(item, tuple | list) or len(item) != 2:
        raise Finding("form", f"an example should be a pair x, y and is {_kind(item)}")
    for name, part in zip("xy", item, strict=True):
        if not isinstance(part, torch.Tensor) or part.dtype != torch.long:
            raise Finding("form", f"{name} should be a tensor of torch.long and is {_kind(part)}")
    x, y = item
    if x.ndim != 1 or x.shape != y.shape:
        shapes = f"{tuple(x.shape)} and {tuple(y.shape)}"
        raise Finding("form", f"x and y should be as long as each other and are {shapes}")
    return x.tolist(), y.tolist()


def many(submission: Submission, block: int) -> list[Pieces]:
    """Draws of the long document."""
    data = dataset(submission, block)
    return submission.once(
        ("pieces", block), lambda: [pieces(draw(data, 0)[0], data) for _ in range(DRAWS)]
    )


def characters(ids: Sequence[int], data: CharacterExamples) -> str:
    return "".join(data.itos[i] for i in ids)


def pieces(x: Sequence[int], data: CharacterExamples) -> Pieces:
    """The pieces of an example, read from x: y adds only one last character, which is padding."""
    text = characters(x, data).rstrip(PAD)
    if PAD in text:
        raise Finding("layout", "padding stands before the end of an example")
    parts = text.split(MASK)
    if len(parts) == 3:
        return Pieces(*parts, closed=False)
    if len(parts) == 4 and not parts[3]:
        return Pieces(*parts[:3], closed=True)
    found = f"{len(parts) - 1} masks" + (", the last not at the end" if len(parts) == 4 else "")
    raise Finding("layout", f"expected prefix, suffix and span, each with a mask, found {found}")


def every_document(
    submission: Submission, times: int
) -> Iterator[tuple[int, int, list[int], list[int]]]:
    """Block, number, x and y of each document several times, in small blocks and the course's."""
    for block in (SMALL_BLOCK, BLOCK):
        for index in [*range(len(DOCUMENTS))] * times:
            yield block, index, *draw(dataset(submission, block), index)


def pieces_of_all(submission: Submission) -> Iterator[tuple[int, Pieces]]:
    """The number of a document and the pieces of an example of it."""
    for block, index, x, _ in every_document(submission, 8):
        yield index, pieces(x, dataset(submission, block))


def check_size(submission: Submission) -> str | None:
    note = None
    for block, _, x, _ in every_document(submission, 1):
        found, allowed = len(x), submission.year.sizes(block)
        if found not in allowed:
            text = f"x and y should have {allowed[0]} characters at block_size {block}"
            raise Finding("size", f"{text} and have {found}")
        if found != allowed[0]:
            note = f"x and y have {found} characters, not {allowed[0]}: the hand-out says both"
            if submission.year.variant == "synthesizer":
                note += f"; the synthesizer reads {allowed[0]} at most"
    return note


def check_shift(submission: Submission) -> None:
    """y is x moved on by one character."""
    for _, _, x, y in every_document(submission, 8):
        if x[1:] != y[:-1]:
            by = next((k for k in (0, 2, 3, -1) if _shifted(x, y, k)), None)
            how = {None: "something else", 0: "x itself", -1: "x one character back"}
            said = how.get(by, f"x moved by {by}")
            raise Finding("wrong shift", f"y should be x moved on by one character and is {said}")


def check_masks(submission: Submission) -> str | None:
    """Two masks, and in most years a third one that closes the span."""
    closed = {found.closed for _, found in pieces_of_all(submission)}
    if len(closed) == 2:
        raise Finding("layout", "a mask follows the span in some examples and not in others")
    if closed == {submission.year.third_mask}:
        return None
    if submission.year.third_mask:
        raise Finding("no third mask", "no mask follows the span: two masks, not three")
    return "a mask follows the span, as in the hand-out's examples and not in its template"


def check_rebuilt(submission: Submission) -> str | None:
    """The pieces of example i give the beginning of document i."""
    spans: list[str] = []
    for index, found in pieces_of_all(submission):
        if not DOCUMENTS[index].startswith(found.text):
            text = f"the pieces of example {index} do not give its document back"
            raise Finding("rebuild", f"{text}: {found.text[:40]!r}")
        spans.append(found.span)
    if not any(spans):
        raise Finding("empty span", "no example has a span at all")
    # No hand-out forbids it: a quarter of four characters may well be rounded down to nothing.
    empty = spans.count("")
    return f"{empty} spans are empty, which no hand-out forbids" if empty else None


def check_truncation(submission: Submission) -> str:
    """Every length from 4 to the year's share of the block occurs, and no other."""
    for block in (SMALL_BLOCK, BLOCK):
        lengths = {len(p) for p in many(submission, block)}
        most = submission.year.longest_text(block)
        at = f"at block_size {block}"
        if len(lengths) == 1:
            text = f"every example is cut to {lengths.pop()} characters {at}"
            raise Finding("fixed truncation", f"{text}: the length should be random")
        if min(lengths) < SHORTEST or max(lengths) > most:
            text = f"lengths run from {min(lengths)} to {max(lengths)} {at}"
            raise Finding("truncation range", f"{text}, expected {SHORTEST} to {most}")
        missing = sorted(set(range(SHORTEST, most + 1)) - lengths)
        if missing and block == SMALL_BLOCK:
            text = f"in {DRAWS} draws {at} no text had {_some(missing)} characters"
            raise Finding("truncation range", f"{text}, expected all from {SHORTEST} to {most}")
    return f"every length in {DRAWS} draws; false alarm < {FALSE_ALARM:g}"


def check_spans(submission: Submission) -> str:
    """The span has a random length, a quarter of the text on average, and a random place."""
    found = many(submission, BLOCK)
    shares = [len(p.span) / len(p) for p in found if len(p) >= _ENOUGH]
    if not shares:  # the texts are cut too short: check_truncation reports that
        raise NoTelling(f"no text of {_ENOUGH} characters came up")
    mean = statistics.fmean(shares)
    error = statistics.pstdev(shares) / math.sqrt(len(shares))
    if mean + _SIGMAS * error < _QUARTER[0] or mean - _SIGMAS * error > _QUARTER[1]:
        raise Finding("span length", f"spans take {mean:.0%} of the text on average, not 25 %")
    by_length: defaultdict[int, set[int]] = defaultdict(set)
    for p in found:
        by_length[len(p)].add(len(p.span))
    if all(len(spans) == 1 for spans in by_length.values()):
        raise Finding("fixed span", "texts of one length always lose spans of the same length")
    room = [(len(p.prefix), len(p) - len(p.span)) for p in found if len(p) > len(p.span) + 1]
    early = sum(2 * start < free for start, free in room)
    if not 0 < early < len(room):
        side = "first" if early else "second"
        raise Finding("fixed place", f"the span always begins in the {side} half")
    return f"spans take {mean:.1%} of the text on average"


def check_end(submission: Submission) -> None:
    """Past the last document: IndexError, as Python's own `for` needs it."""
    data = dataset(submission, SMALL_BLOCK)
    count = len(DOCUMENTS)
    if len(data) != count:
        raise Finding("length", f"len() gives {len(data)} for {count} documents")
    draw(data, count - 1)
    try:
        data[count]
    except IndexError:
        return
    raise Finding("past the end", "an index past the end raises no IndexError")


def check_vocabulary(submission: Submission) -> None:
    data = dataset(submission, SMALL_BLOCK)
    draw(data, 0)
    expected = [PAD, MASK, *sorted(set(TEXT))]
    if len(data.itos) != len(expected) or data.vocab_size != len(expected):
        text = f"{data.vocab_size} symbols, expected {len(expected)}"
        raise Finding("vocabulary size", text)
    for i, symbol in enumerate(expected):
        if data.itos[i] != symbol or data.stoi[symbol] != i:
            found = f"symbol {i} is {data.itos[i]!r}, expected {symbol!r}"
            order = "pad, mask, then the characters of the text in order"
            raise Finding("wrong vocabulary order", f"{found}: {order}")


def _shifted(x: list[int], y: list[int], by: int) -> bool:
    return x[:by] == y[-by:] if by < 0 else x[by:] == y[: len(x) - by]


def _some(numbers: Sequence[int]) -> str:
    shown = ", ".join(map(str, numbers[:5]))
    return shown + (f" (and {len(numbers) - 5} more)" if len(numbers) > 5 else "")


def _kind(value: object) -> str:
    return f"torch {value.dtype}" if isinstance(value, torch.Tensor) else type(value).__name__
