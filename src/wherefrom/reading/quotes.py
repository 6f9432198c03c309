"""What is quoted of a document: all of a short one, or the sentences with the name and the value.

The terminal, the page and the notebook show the same words.
"""

import re
from collections.abc import Container

from wherefrom.core.contracts import Span
from wherefrom.reading.sentences import find_sentence

LONGEST_QUOTE = 160  # characters, or a little more
_GAP = " … "  # stands for what a quote leaves out


def find_words(text: str, name: str) -> list[Span]:
    """Where a name stands as whole words; case and the width of spaces do not matter."""
    words = name.split()
    if not words:
        return []
    pattern = r"(?<!\w)" + r"\s+".join(map(re.escape, words)) + r"(?!\w)"
    return [Span(*found.span()) for found in re.finditer(pattern, text, re.IGNORECASE)]


def quote(text: str, name: str, value: Span, starters: Container[str] = ()) -> tuple[str, Span]:
    """The quote of a document that states a value of a name, and where the value stands in it.

    `starters` are words that begin sentences.
    """
    if len(text) <= LONGEST_QUOTE:
        return text, value
    names = find_words(text, name)
    named = min(names, key=lambda found: abs(found.start - value.start), default=value)
    first, last = sorted((named, value), key=lambda span: span.start)
    whole = Span(first.start, max(first.end, last.end))
    spans = [whole] if whole.end - whole.start <= LONGEST_QUOTE else [first, last]
    shown, place, end = "", 0, 0
    for span in spans:
        part = cut_sentence(text, span, LONGEST_QUOTE // len(spans), starters)
        start = max(part.start, end)
        if start > end:
            shown += _GAP if shown else _GAP[1:]
        if start <= value.start < part.end:
            place = len(shown) + value.start - start
        shown += text[start : part.end]
        end = max(part.end, end)
    shown = shown + _GAP[:-1] if end < len(text.rstrip()) else shown
    return shown, Span(place, place + value.end - value.start)


def cut_sentence(
    text: str, span: Span, room: int = LONGEST_QUOTE, starters: Container[str] = ()
) -> Span:
    """The sentence around a span, from a long one whole words on both sides of it."""
    low = max(span.start - 2 * room, 0)  # what is further away is never shown
    near = text[low : span.end + 2 * room]
    first, last = (
        find_sentence(near, Span(place - low, place - low + 1), starters)
        for place in (span.start, span.end - 1)
    )
    start, end = low + first.start, low + last.start + len(last.of(near).rstrip())
    if end - start <= room:
        return Span(start, end)
    spare = max(room - (span.end - span.start), 0)
    left = max(min(span.start - spare // 4, end - room), start)
    right = max(min(left + room, end), span.end)
    if left > start:
        left = text.find(" ", left, span.start) + 1 or left
    if right < end:
        cut = text.rfind(" ", span.end, right)
        right = cut if cut >= 0 else right
    return Span(left, right)
