"""What commands print, and the standard streams as a shell may leave them: closed, full, or gone.

Results that cannot be written are an error that names standard output. Notes on standard error
that cannot be written are dropped: no work is lost for them. A closed stream is opened on nothing,
or the next file that is opened would get its number, and whatever is printed would end up in it."""

import io
import json
import os
import sys
import traceback
import warnings
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, TextIO

from wherefrom.core.errors import CacheWarning, CannotWrite
from wherefrom.show.terminal.messages import note


def print_json(value: Any) -> None:
    """A result as one JSON object; characters beyond ASCII are escaped for any terminal."""
    from wherefrom.core.config import to_json

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


_OPENED = {  # writing to a standard output that is only readable fails, as to one that is closed
    0: os.O_RDONLY,
    1: os.O_RDONLY,
    2: os.O_WRONLY,
}


def prepare_streams() -> None:
    """Make all three usable; streams that somebody put in their place are left as they are."""
    closed = _open_closed()
    if sys.stdin is None or 0 in closed:  # pyright: ignore[reportUnnecessaryComparison]
        sys.stdin = open(0, closefd=False)  # noqa: SIM115 (it lives as long as the process)
    if sys.stdout is None or _is_own(sys.stdout, sys.__stdout__):  # pyright: ignore
        sys.stdout = _rebuild(sys.stdout, _Results(1, "wb", closefd=False))
    if sys.stderr is None or _is_own(sys.stderr, sys.__stderr__):  # pyright: ignore
        sys.stderr = _rebuild(sys.stderr, _Notes(2, "wb", closefd=False), lines=True)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # what the terminal's encoding lacks is escaped
            stream.reconfigure(errors="backslashreplace")


def hush() -> None:
    """Discard what is still buffered: Python would complain about it at exit."""
    with suppress(OSError, ValueError):  # standard output may be no file
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class _Results(io.FileIO):
    """Standard output: whatever it refuses is a user's error that says so."""

    def write(self, data: Any, /) -> int | None:
        try:
            return super().write(data)
        except BrokenPipeError:  # the reader has left; the command ends without a word
            raise
        except OSError as error:
            reason = error.strerror or str(error)
            raise CannotWrite(
                f"standard output: cannot write: {reason}; send it to a file or a pipe, and run "
                "the same command again"
            ) from error


class _Notes(io.FileIO):
    """Standard error: whatever it refuses is dropped."""

    def write(self, data: Any, /) -> int | None:
        try:
            return super().write(data)
        except OSError:
            return len(memoryview(data).cast("B"))


def _open_closed() -> set[int]:
    closed: set[int] = set()
    for number, mode in _OPENED.items():
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, mode)  # the lowest number that is free, which is this one
            closed.add(number)
    return closed


def _is_own(stream: TextIO, first: TextIO | None) -> bool:
    """Whether the stream is the one that Python began with, and no test or program replaced it."""
    return stream is first and isinstance(stream, io.TextIOWrapper)


def _rebuild(old: TextIO | None, raw: io.FileIO, lines: bool = False) -> io.TextIOWrapper:
    """The same stream over another file."""
    known = isinstance(old, io.TextIOWrapper)
    return io.TextIOWrapper(
        io.BufferedWriter(raw),
        encoding=old.encoding if known else None,
        line_buffering=lines or raw.isatty(),
        write_through=known and old.write_through,
    )
