"""Lines for a person, on standard error: notes and errors."""

import sys

_LONGEST = 600  # characters of an error: a question of a megabyte should not be printed whole


def note(text: str) -> None:
    print(printable(text), file=sys.stderr)


def complain(text: str) -> None:
    """Print an error on one line; if it is very long, its middle is left out."""
    line = printable(f"wherefrom: {text}")
    if len(line) > _LONGEST:
        line = f"{line[: _LONGEST // 2]} ... {line[-_LONGEST // 2 :]}"
    print(line, file=sys.stderr)


def printable(text: str) -> str:
    """The text on one line; characters that a terminal would not simply show are escaped.

    Names and questions come from other people: they could move the cursor, change the colours or
    turn the direction of writing.
    """
    return "".join(
        c if c.isprintable() else c.encode("unicode_escape", "surrogatepass").decode() for c in text
    )
