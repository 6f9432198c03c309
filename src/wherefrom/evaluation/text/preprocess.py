"""Changes to a text before a model reads it, and what each change costs.

A step may make a text easier for a model by removing information. So every step counts the
characters that it changed, and computes the price of restoring them.
"""

import re
from collections.abc import Callable, Container
from dataclasses import dataclass

from wherefrom.core.characters import fold
from wherefrom.core.errors import UsageError, nearest
from wherefrom.evaluation.text.charges import left_out, where

DROP_UNSEEN = "drop-unseen"
_WRAP = re.compile(r"wrap(\d{1,4})")
_NUMBER = re.compile(r"\d{1,3}(?:,\d{3})+(?!\d)|\d+")
_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_LARGE = ("", "thousand", "million", "billion")


@dataclass(frozen=True)
class Changed:
    """A text after some steps, how many characters they changed, and the nats to undo this.

    Wrapping lines and spelling out numbers can nearly be undone (except for the zeros of 007, and
    for which line ends were there before). They cost nothing here; their price is the longer text.
    """

    text: str
    changed: int = 0
    undo: float = 0.0


Step = Callable[[str, Container[str]], Changed]


def parse_steps(chain: str) -> tuple[str, ...]:
    """The names of a chain such as lower,wrap40."""
    names = tuple(name.strip() for name in chain.split(","))
    for name in names:
        _find(name)
    return names


def preprocess(text: str, names: tuple[str, ...], seen: Container[str]) -> Changed:
    """Apply the steps one after the other; `drop-unseen` keeps the characters in `seen`."""
    result = Changed(text)
    for name in names:
        after = _find(name)(result.text, seen)
        result = Changed(after.text, result.changed + after.changed, result.undo + after.undo)
    return result


def spell_number(number: int) -> str:
    """A number in English words: 1350 is one thousand three hundred fifty."""
    if number < 20:
        return _ONES[number]
    if number < 100:
        tens, ones = divmod(number, 10)
        return _TENS[tens - 2] + (f"-{_ONES[ones]}" if ones else "")
    if number < 1000:
        hundreds, rest = divmod(number, 100)
        return f"{_ONES[hundreds]} hundred" + (f" {spell_number(rest)}" if rest else "")
    groups, words = 0, list[str]()
    while number and groups < len(_LARGE):
        number, part = divmod(number, 1000)
        if part:
            words.insert(0, f"{spell_number(part)} {_LARGE[groups]}".strip())
        groups += 1
    return " ".join(words)


def _lower(text: str, seen: Container[str]) -> Changed:
    table = {c: c.lower() for c in set(text)}
    changed = sum(table[c] != c for c in text)
    return Changed(text.translate(str.maketrans(table)), changed, where(changed, len(text)))


def _ascii(text: str, seen: Container[str]) -> Changed:
    """Accents, dashes and quotes as they are usually typed."""
    table = {c: fold(c).text for c in set(text) if not c.isascii()}
    lost = [c for c in text if c in table]
    undo = sum(left_out(lost, len(text)))
    return Changed(text.translate(str.maketrans(table)), len(lost), undo)


def _drop_unseen(text: str, seen: Container[str]) -> Changed:
    lost = [c for c in text if c not in seen]
    kept = "".join(c for c in text if c in seen)
    return Changed(kept, len(lost), sum(left_out(lost, len(text))))


def _spell_numbers(text: str, seen: Container[str]) -> Changed:
    changed = 0

    def spell(found: re.Match[str]) -> str:
        nonlocal changed
        changed += len(found.group())
        digits = found.group().replace(",", "")
        if len(digits) > 3 * len(_LARGE):  # too large for the words above: digit by digit
            return " ".join(_ONES[int(digit)] for digit in digits)
        return spell_number(int(digits))

    return Changed(_NUMBER.sub(spell, text), changed)


def _wrap(text: str, width: int) -> Changed:
    """Lines of at most `width` characters, where a space allows it: spaces become line ends."""
    characters, start, space, changed = list(text), 0, -1, 0
    for i, character in enumerate(text):
        if character == "\n":
            start, space = i + 1, -1
            continue
        if character == " ":
            space = i
        if i - start >= width and space >= start:
            characters[space] = "\n"
            changed += 1
            start, space = space + 1, -1
    return Changed("".join(characters), changed)


STEPS: dict[str, Step] = {
    "ascii": _ascii,
    "lower": _lower,
    DROP_UNSEEN: _drop_unseen,
    "spell-numbers": _spell_numbers,
}


def _find(name: str) -> Step:
    if (width := _WRAP.fullmatch(name)) and int(width[1]):
        return lambda text, seen: _wrap(text, int(width[1]))
    if name not in STEPS:
        raise UsageError(f"preprocess {name}: no such step; {nearest(name, [*STEPS, 'wrap40'])}")
    return STEPS[name]
