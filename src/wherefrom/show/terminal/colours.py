"""Colours of a reply on a terminal; none where NO_COLOR is set."""

import os
import sys
from collections.abc import Sequence

from wherefrom.core.replies import CONTRADICTED, GUESSED, RECALLED, SUPPORTED, Reply

BOLD, DIM, RED, GREEN, YELLOW, BLUE, MAGENTA = 1, 2, 31, 32, 33, 34, 35
_LABELS = {SUPPORTED: GREEN, CONTRADICTED: RED, RECALLED: BLUE, GUESSED: MAGENTA}
_PARTS = ("  evidence: ", "  source: ")
_DETAILS = ("  the model's own ranking: ", "  why not: ")


def paint(text: str, *codes: int) -> str:
    """The text in these colours, where the terminal has any."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    if plain or not sys.stdout.isatty():
        return text
    return f"\x1b[{';'.join(map(str, codes))}m{text}\x1b[0m"


def paint_reply(reply: Reply, lines: Sequence[str]) -> list[str]:
    """The lines of `describe_reply`: the question, the answer, and what stands below."""
    question, answer, *others = lines
    return [
        paint(question, BOLD),
        paint(answer, BOLD, GREEN if reply.answered else YELLOW),
        *map(_paint_line, others),
    ]


def _paint_line(line: str) -> str:
    if line.startswith(_DETAILS):
        return paint(line, DIM)
    for part in _PARTS:
        for label, colour in _LABELS.items():
            if line.startswith(part + label):
                return f"{part}{paint(label, colour)}{line[len(part) + len(label) :]}"
    return line
