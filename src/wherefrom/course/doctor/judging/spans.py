"""Judges a CharCorruptionDataset by what it gave for documents that were made up for it.

For every rule over many draws, the chance that a right data set breaks it is below `FALSE_ALARM`.
"""

import random
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import Any, NamedTuple

from wherefrom.course.doctor.exercises import Request
from wherefrom.course.doctor.findings import UNJUDGED, Finding, NoTelling, attempt, expect
from wherefrom.course.doctor.judging.claims import Claim, Claims

PAD, MASK = "\u25a1", "\u2047"
SHORTEST = 4
FALSE_ALARM = 1e-6

_ASCII = "".join(map(chr, range(33, 127)))
SMALL_BLOCK, BLOCK = 32, 128  # of both, every year's share for the text is a whole number
BLOCKS = (SMALL_BLOCK, BLOCK)
# With each of the small block's lengths, 25 at most, at least a quarter as likely as if all were
# equally likely, P(some length is missing) <= 25 (1 - 1/100)^2000 = 5e-8.
DRAWS, TIMES = 2000, 8
_ORDER = [*list(range(4)) * TIMES, *[0] * DRAWS]  # the documents that are drawn
_QUARTER = (0.2, 0.3)  # of the mean share, which is known to 0.2 %
_ENOUGH = 32  # characters: in longer texts, rounding a quarter down hardly matters
# A span begins in each quarter of the places that it fits into with a chance of 1/4: P(one of them
# gets less than a tenth of 1,000 draws or more) < 4 exp(-1000 x 0.15^2 x 2).
_LEAST = 0.1
_ROOM = 12  # places: with fewer, quarters are too unequal


class Example(NamedTuple):
    """Which document, x and y, and what they show by the submission's own symbols.

    The text is x, and y's last character behind it, unless y is not x moved on.
    """

    document: int
    x: list[int]
    y: list[int]
    text: str

    @property
    def length(self) -> int:
        """Characters that are neither mask nor pad, wherever they stand."""
        return sum(c not in (PAD, MASK) for c in self.text)


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


def documents(draw: int) -> tuple[str, ...]:
    """Four documents, others for every draw.

    The first is as long as the course's are on average, and no two characters follow each other
    twice in it, so that a piece has only one place. The others are shorter than the course's limit,
    but not shorter than any of its own (38 characters); one has a letter that ASCII lacks, as many
    of the course's have.
    """
    dice = Random(draw)
    letters = dice.sample(_ASCII, len(_ASCII))
    long = "".join(letters[i * step % len(letters)] for step in (1, 3) for i in range(94))[:141]
    name = "".join(dice.sample("abcdefghijklmno", 7)).title()
    return (
        long,
        f"Zoë P. {name}. Born in Oslo, {name} painted.",
        f"Bo {name} left Rome in {dice.randint(1000, 1999)} for Vienna, and wrote of it.",
        "".join(dice.sample("abcdefghijklmnopqrstuvwxyz", 26)) + ", 0123456789.",
    )


def requests(draw: int) -> list[Request]:
    common = {"text": "\n".join(documents(draw)), "draws": _ORDER}
    return [Request(f"spans{block}", "spans", common | {"block": block}) for block in BLOCKS]


# -- what was drawn --------------------------------------------------------------------------------


def examples(claim: Claim) -> list[tuple[list[int], list[int]]]:
    """x and y of every example that was drawn before anything went wrong; one at least."""
    found = [(list(x), list(y)) for x, y in claim.value("examples", list)]
    if not found:
        raise claim.complaint() or Finding("form", "no examples came back")
    return found


def draws_as(claims: Claims, data: Any, block: int) -> bool:
    """Whether the examples are the very ones that another data set draws after the same seed."""
    random.seed(block)
    try:
        return all((e.x, e.y) == tuple(p.tolist() for p in data[e.document])
                   for e in drawn(claims, block))  # fmt: skip
    except (Finding, *UNJUDGED):
        return False


@lru_cache(maxsize=len(BLOCKS))
def drawn(claims: Claims, block: int) -> list[Example]:
    """Every example; all were drawn. x and y that are exchanged are `check_shift`'s to report."""
    claim = claims[f"spans{block}"]
    found, own = examples(claim), symbols_of(claim, "\n".join(documents(claims.draw)))
    if len(found) < len(_ORDER):
        raise claim.complaint() or Finding("form", f"{len(found)} examples came back")
    pairs = ((y, x) if y[1:] == x[:-1] else (x, y) for x, y in found)
    return [
        Example(i, x, y, characters([*x, *y[-1:]] if x[1:] == y[:-1] else x, own))
        for i, (x, y) in zip(_ORDER, pairs, strict=False)
    ]


def symbols_of(claim: Claim, text: str) -> dict[int, str]:
    """The submission's own symbols: a wrong order of them costs its own test alone."""
    try:
        return {int(i): str(c)[:1] for i, c in claim.value("itos", list)}
    except (TypeError, ValueError, Finding):
        return dict(enumerate(vocabulary(text)))


def vocabulary(text: str) -> list[str]:
    return [PAD, MASK, *sorted(set(text))]


def characters(ids: Sequence[int], symbols: Mapping[int, str]) -> str:
    return "".join(symbols.get(i, "\0") for i in ids)


def pieces(text: str) -> Pieces:
    """The pieces of an example."""
    text = text.rstrip(PAD)
    expect(PAD not in text, "layout", "padding stands before the end of an example")
    parts = text.split(MASK)
    if len(parts) == 3:
        return Pieces(*parts, closed=False)
    if len(parts) == 4 and not parts[3]:
        return Pieces(*parts[:3], closed=True)
    found = f"{len(parts) - 1} masks" + (", the last not at the end" if len(parts) == 4 else "")
    found += ": padded with the mask" if text.endswith(MASK * max(2, len(parts) - 3)) else ""
    raise Finding("layout", f"expected prefix, suffix and span, each with a mask, found {found}")


@lru_cache(maxsize=1)
def pieces_of_all(claims: Claims) -> list[tuple[int, Pieces]]:
    """Document and pieces, in small blocks and the course's."""
    return [(e.document, pieces(e.text)) for block in BLOCKS for e in drawn(claims, block)]


# -- judgements ------------------------------------------------------------------------------------


def check_size(claims: Claims) -> str | None:
    """x and y are CPU tensors of torch.long, as long as each other and as the hand-out says."""
    note = None
    for block in BLOCKS:
        claim, allowed = claims[f"spans{block}"], claims.year.sizes(block)
        for kind in map(str, claim.value("kinds", list)):
            said = f"{kind[:1]} should be a tensor of torch.long in one dimension and is {kind[2:]}"
            expect(kind[2:] == "torch.int64 of 1 dimensions", "form", said)
        said = f"x and y should have {allowed[0]} characters at block_size {block} and have"
        # A text that is too long, which check_truncation reports, leaves no room for this size.
        most = claims.year.longest_text(block)
        fitting = (e for e in drawn(claims, block) if e.length <= most)
        for length, other in dict.fromkeys((len(e.x), len(e.y)) for e in fitting):
            fits = length == other and length in allowed
            expect(fits, "size", f"{said} {length} and {other}")
            if length != allowed[0]:
                note = f"x and y have {length} characters, not {allowed[0]}: the hand-out says both"
    return note


def check_shift(claims: Claims) -> None:
    """y is x moved on by one character."""
    for block in BLOCKS:
        for x, y in examples(claims[f"spans{block}"]):
            moved = {"x itself": x == y, "x moved by 2": x[2:] == y[:-2]}
            moved |= {"x moved back: x and y are exchanged": y[1:] == x[:-1]}
            moved |= {"something else": True}
            how = next(words for words, fits in moved.items() if fits)
            said = f"y should be x moved on by one character and is {how}"
            expect(x[1:] == y[:-1], "wrong shift", said)


def check_masks(claims: Claims) -> str | None:
    """Two masks, and in most years a third one that closes the span."""
    closed = {found.closed for _, found in pieces_of_all(claims)}
    said = "a mask follows the span in some examples and not in others"
    expect(len(closed) == 1, "layout", said)
    said = "nothing follows the second mask: the one between suffix and span is missing"
    spans = any(found.closed or found.span for _, found in pieces_of_all(claims))
    expect(spans, "no second mask", said)
    if closed == {claims.year.third_mask}:
        return None
    missing = "no mask follows the span: two masks, not three"
    expect(not claims.year.third_mask, "no third mask", missing)
    return "a mask follows the span, as in the hand-out's examples and not in its template"


def check_rebuilt(claims: Claims) -> None:
    """The pieces of example i give the beginning of document i.

    A span may be empty: a quarter of four characters may well be rounded down to nothing.
    """
    known = documents(claims.draw)
    for index, found in pieces_of_all(claims):
        if not known[index].startswith(found.text):
            moved = known[index].startswith(found.prefix + found.suffix + found.span)
            why = ": span and suffix are exchanged" if moved and found.suffix else ""
            why = ": the text is cut out of its middle" if found.text in known[index] else why
            slip = "" if why else _slip(known[index], found)
            text = f"the pieces of example {index} do not give its document back{why}{slip}"
            raise Finding("off by one" if slip else "rebuild", f"{text}: {found.text[:40]!r}")
    spans = any(found.span for _, found in pieces_of_all(claims))
    expect(spans, "empty span", "no example has a span at all")


def _slip(known: str, found: Pieces) -> str:
    """Whether one character is lost or doubled before or after the span."""
    for where, at in ("before", len(found.prefix)), ("after", len(found.prefix + found.span)):
        start, end = found.text[:at], found.text[at:]
        if known.startswith(start + end[1:]):
            return f": a character is doubled {where} the span"
        if known.startswith(start) and known[at + 1 :].startswith(end):
            return f": a character is lost {where} the span"
    return ""


def check_truncation(claims: Claims) -> str:
    """Every length from 4 to the year's share of the block occurs, and no other.

    A character that a slice loses or doubles, which check_rebuilt reports, costs nothing here.
    """
    off = attempt(check_rebuilt, claims).mistake == "off by one"
    for block in BLOCKS:
        lengths = {e.length for e in drawn(claims, block) if e.document == 0}
        least, longest, most = min(lengths), max(lengths), claims.year.longest_text(block)
        at = f"at block_size {block}"
        said = f"every example is cut to {longest} characters {at}: the length should be random"
        expect(len(lengths) > 1, "fixed truncation", said)
        said = f"lengths run from {least} to {longest} {at}, expected {SHORTEST} to {most}"
        expect(least >= SHORTEST - off and longest <= most + off, "truncation range", said)
        missing = sorted(set(range(SHORTEST + off, most + 1 - off)) - lengths)
        said = f"in {DRAWS} draws {at} no text had {', '.join(map(str, missing[:5]))} characters"
        every = f"expected all from {SHORTEST} to {most}"
        expect(not missing or block == BLOCK, "truncation range", f"{said}, {every}")
    return f"every length in {DRAWS} draws; false alarm < {FALSE_ALARM:g}"


def check_spans(claims: Claims) -> str:
    """The span has a random length, a quarter of the text on average, and may begin anywhere."""
    found = [pieces(_unpadded(e.text)) for e in drawn(claims, BLOCK) if e.document == 0]
    shares = [len(p.span) / len(p.text) for p in found if len(p.text) >= _ENOUGH]
    if not shares:  # the texts are cut too short: check_truncation reports that
        raise NoTelling(f"no text of {_ENOUGH} characters came up")
    mean = statistics.fmean(shares)
    said = f"spans take {mean:.0%} of the text on average, not 25 %"
    expect(_QUARTER[0] <= mean <= _QUARTER[1], "span length", said)
    lengths = {(len(p.text), len(p.span)) for p in found}
    varied = len(lengths) > len({text for text, _ in lengths})
    expect(varied, "fixed span", "texts of one length always lose spans of the same length")
    quarters = [0, 0, 0, 0]  # of the places where the span fits: how many spans begin there
    for p in found:
        room = len(p.prefix + p.suffix) + 1
        if room >= _ROOM:
            quarters[4 * len(p.prefix) // room] += 1
    total, least = sum(quarters), min(quarters)
    where = ("first", "second", "third", "last")[quarters.index(least)]
    said = f"of {total} spans {', '.join(map(str, quarters))} begin in the quarters of the text"
    what = f"the {where} quarter is hardly ever reached; a span may begin wherever it fits"
    expect(total < 1000 or least >= _LEAST * total, "fixed place", f"{said}: {what}")
    return f"spans take {mean:.1%} of the text on average"


def _unpadded(text: str) -> str:
    """Without pads on either side, and without the masks that a text may be padded with."""
    return text.strip(PAD).removesuffix(MASK * max(0, text.count(MASK) - 3))


def check_vocabulary(claims: Claims) -> None:
    known = documents(claims.draw)
    claim, expected = claims[f"spans{SMALL_BLOCK}"], vocabulary("\n".join(known))
    size, count = claim.value("vocab_size", int), claim.value("length", int)
    itos, stoi = (claim.value(name, list) for name in ("itos", "stoi"))
    fits = len(itos) == size == len(expected)
    expect(fits, "vocabulary size", f"{size} symbols, expected {len(expected)}")
    for i, symbol in enumerate(expected):
        found = next((str(c)[:4] for n, c in itos if n == i), "missing")
        said = f"symbol {i} is {found!r}, expected {symbol!r}"
        order = "pad, mask, then the characters of the text in order"
        there = [i, symbol] in itos and [symbol, i] in stoi
        expect(there, "wrong vocabulary order", f"{said}: {order}")
    expect(count == len(known), "length", f"len() gives {count} for {len(known)} documents")
