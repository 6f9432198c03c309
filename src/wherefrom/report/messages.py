"""Lines for a person, on standard error: what is to be known, and what went wrong."""

import sys

from wherefrom.report.tables import printable

_LONGEST = 600  # characters of an error: a question of a megabyte need not be repeated


def note(text: str) -> None:
    print(printable(text), file=sys.stderr)


def complain(text: str) -> None:
    """An error on one line, its middle left out where it is very long."""
    line = printable(f"wherefrom: {text}")
    if len(line) > _LONGEST:
        line = f"{line[: _LONGEST // 2]} ... {line[-_LONGEST // 2 :]}"
    print(line, file=sys.stderr)
