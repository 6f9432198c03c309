"""Long quotes, shortened around the subject's name and the stated value."""

import re

from wherefrom.core.contracts import Span

GAP = " … "  # stands for what a long quote leaves out


def find_words(text: str, name: str) -> list[Span]:
    """Where a name stands as whole words; case and the width of spaces do not matter."""
    words = name.split()
    if not words:
        return []
    pattern = r"(?<!\w)" + r"\s+".join(map(re.escape, words)) + r"(?!\w)"
    return [Span(*found.span()) for found in re.finditer(pattern, text, re.IGNORECASE)]


def shorten(text: str, name: str, value: Span | None, room: int) -> str:
    """The text or, if it is longer than `room`, the parts around the name and the value."""
    if len(text) <= room:
        return text
    names = find_words(text, name)
    values = [value] if value and value.start < len(text) else []
    whole = {i for span in names + values for i in range(span.start, span.end)}
    anchors = sorted({span.start for span in names[:1] + values}) or [0]
    if anchors[-1] - anchors[0] < room // 2:  # one part has both
        anchors = anchors[:1]
    share, shown, end = room // len(anchors), "", 0
    for anchor in anchors:
        start = max(min(anchor - share // 4, len(text) - share), 0)
        last, (start, end) = end, _whole_words(text, whole, start, start + share)
        if start > last:
            shown += GAP if shown else GAP[1:]
        shown += text[max(start, last) : end]
    return shown + GAP[:-1] if end < len(text) else shown


def _whole_words(text: str, whole: set[int], start: int, end: int) -> tuple[int, int]:
    """The part without the words that are cut at its ends, unless they are to stay whole."""
    first, last = start, end
    while start and first < end and text[first - 1] != " " and first not in whole:
        first += 1
    while end < len(text) and last > first and text[last] != " " and last - 1 not in whole:
        last -= 1
    return (first, last) if first < last else (start, end)
