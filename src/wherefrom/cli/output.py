"""What commands write: results to standard output, everything else to standard error."""

import json
import traceback
import warnings
from collections.abc import Mapping
from typing import Any

from wherefrom.core.config import to_json
from wherefrom.core.errors import CacheWarning
from wherefrom.show.terminal.messages import complain, note

__all__ = [
    "complain",
    "explain_results",
    "note",
    "print_json",
    "show_traceback",
    "show_warnings_as_notes",
]


def print_json(value: Any) -> None:
    """A result as one JSON object; characters beyond ASCII are escaped for any terminal."""
    print(json.dumps(to_json(value), indent=1, allow_nan=False))


def explain_results(results: Mapping[str, Mapping[str, Any]]) -> None:
    """Below a table of results: what notes do, and why nothing is answered, where that is so."""
    from wherefrom.show.terminal.messages import printable
    from wherefrom.show.terminal.result_tables import explain_abstention, explain_notes

    if lines := [*explain_notes(results), *explain_abstention(results)]:
        print("\n" + "\n".join(map(printable, lines)))


def show_warnings_as_notes() -> None:
    """Print what the package itself warns of as one line; other warnings stay as they are."""
    usual = warnings.showwarning

    def show(message: Warning | str, category: type[Warning], *place: Any, **rest: Any) -> None:
        if issubclass(category, CacheWarning):
            note(str(message))
        else:
            usual(message, category, *place, **rest)

    warnings.showwarning = show


def show_traceback(error: BaseException) -> None:
    for part in traceback.format_exception(error):
        for line in part.rstrip("\n").split("\n"):
            note(line)
