"""Lines for a person, on standard error: notes and errors."""

import sys

from wherefrom.show.terminal.result_tables import printable

_LONGEST = 600  # characters of an error: a question of a megabyte should not be printed whole


def note(text: str) -> None:
    print(printable(text), file=sys.stderr)


def complain(text: str) -> None:
    """Print an error on one line; if it is very long, its middle is left out."""
    line = printable(f"wherefrom: {text}")
    if len(line) > _LONGEST:
        line = f"{line[: _LONGEST // 2]} ... {line[-_LONGEST // 2 :]}"
    print(line, file=sys.stderr)
