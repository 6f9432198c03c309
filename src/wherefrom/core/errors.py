"""What can go wrong for a user, one class an exit code.

An error says where, what was expected, what was found and what to do, in one line. Anything
else that escapes is a bug of ours (exit code 70).
"""

from collections.abc import Iterable
from difflib import get_close_matches


class WherefromError(Exception):
    """A user's error: printed as one line, with an exit code, never as a traceback."""

    exit_code = 70


class UsageError(WherefromError):
    """An unknown recipe, field, option or value."""

    exit_code = 2


class BadData(WherefromError):
    """A file was read and its content is not what it must be."""

    exit_code = 65


class MissingInput(WherefromError):
    exit_code = 66


class Unavailable(WherefromError):
    """A network, a server or a port that does not answer."""

    exit_code = 69


class OutOfMemory(WherefromError):
    """Memory, threads or open files that the system does not give."""

    exit_code = 71


class CannotWrite(WherefromError):
    exit_code = 73


class Busy(WherefromError):
    """Another process is writing the same folder."""

    exit_code = 75


class Damaged(WherefromError):
    """An artifact whose checksum or form is wrong: never loaded."""

    exit_code = 76


class Mismatch(WherefromError):
    """A sound artifact that belongs to something else than what was asked for."""

    exit_code = 78


class Diverged(WherefromError):
    """Training met a number that is not finite."""

    exit_code = 79


class Interrupted(WherefromError):
    """Stopped by a signal after a clean save; the code is 128 + the signal's number."""

    def __init__(self, message: str, signal_number: int) -> None:
        super().__init__(message)
        self.exit_code = 128 + signal_number


class Dismissed(SystemExit):
    """A process that follows another one ends, without a word: the first has said what is wrong."""

    def __init__(self, exit_code: int) -> None:
        super().__init__(exit_code)
        self.exit_code = exit_code


def error_of(code: int, message: str) -> WherefromError:
    """The error that another process ended with, by its exit code; 70 is a bug of ours."""
    for kind in WherefromError.__subclasses__():
        if kind.exit_code == code and kind is not Interrupted:
            return kind(message)
    return Interrupted(message, code - 128) if code > 128 else WherefromError(message)


class CacheWarning(UserWarning):
    """What was computed could not be kept for the next time."""


def nearest(name: str, known: Iterable[str]) -> str:
    """A hint for a misspelt name: the closest known one, and all of them when they are few."""
    known = sorted(known)
    close = get_close_matches(name, known, n=1, cutoff=0.5)
    guess = f"did you mean '{close[0]}'? " if close else ""
    return f"{guess}known: {', '.join(known)}" if len(known) <= 20 else guess or "see the docs"
