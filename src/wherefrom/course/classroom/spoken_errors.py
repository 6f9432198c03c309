"""How the courses' programs take options and speak of errors."""

import argparse
import sys
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from wherefrom.core.errors import MissingInput, WherefromError
from wherefrom.show.terminal.messages import complain

INTERRUPTED = 130


def tell(action: Callable[[], None]) -> int:
    """Do it; the exit code. A user's error is one line; a student's own bugs show in full."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError):  # pads and masks, on a terminal that has none
            stream.reconfigure(errors="backslashreplace")  # pyright: ignore
    try:
        action()
    except WherefromError as error:
        complain(str(error))
        return error.exit_code
    except NotImplementedError as error:  # which function a student has yet to write, and where
        last = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{Path(last.filename).name}:{last.lineno}"
        between = "between START_CODE_HERE and END_CODE_HERE"
        complain(f"{place}: {last.name}() is not written yet: write it, {between}")
        return MissingInput.exit_code
    except KeyboardInterrupt:
        complain("interrupted before there was anything to save")
        return INTERRUPTED
    return 0


def run_program(
    description: str, work: Callable[..., None], arguments: Sequence[str] | None, **options: Any
) -> int:
    """Do the work with options, which are named with their defaults; the exit code.

    One without a default is no option but what stands behind the program's name.
    """
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name, default in options.items():
        if default is None:
            parser.add_argument(name, nargs="?")
        elif default is False:
            parser.add_argument(f"--{name}", action="store_true")
        else:
            kind: Any = {"nargs": "*"} if isinstance(default, list) else {"type": type(default)}
            parser.add_argument(f"--{name}", **kind, default=default, metavar="VALUE")
    given = parser.parse_args(arguments)
    return tell(lambda: work(**vars(given)))
