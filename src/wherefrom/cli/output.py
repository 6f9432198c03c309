"""What commands write: results to standard output, everything else to standard error."""

import json
import traceback
from typing import Any

from wherefrom.report.messages import complain, note

__all__ = ["complain", "note", "print_json", "show_traceback"]


def print_json(value: Any) -> None:
    """One JSON object; other characters than ASCII are escaped, so any terminal can take it."""
    print(json.dumps(value, indent=1, allow_nan=False))


def show_traceback(error: BaseException) -> None:
    for part in traceback.format_exception(error):
        for line in part.rstrip("\n").split("\n"):
            note(line)
