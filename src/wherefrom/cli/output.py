"""What commands write: results to standard output, everything else to standard error."""

import json
import sys
import traceback
from typing import Any

from wherefrom.report.tables import printable

_LONGEST = 600  # characters of an error: a question of a megabyte need not be repeated


def print_json(value: Any) -> None:
    """One JSON object; other characters than ASCII are escaped, so any terminal can take it."""
    print(json.dumps(value, indent=1, allow_nan=False))


def note(text: str) -> None:
    print(printable(text), file=sys.stderr)


def complain(text: str) -> None:
    """An error on one line, its middle left out where it is very long."""
    line = printable(f"wherefrom: {text}")
    if len(line) > _LONGEST:
        line = f"{line[: _LONGEST // 2]} ... {line[-_LONGEST // 2 :]}"
    print(line, file=sys.stderr)


def show_traceback(error: BaseException) -> None:
    for part in traceback.format_exception(error):
        for line in part.rstrip("\n").split("\n"):
            note(line)
