"""Which modules of the package call each other while something runs."""

import sys
from collections.abc import Callable
from traceback import walk_stack
from types import FrameType


def follow(call: Callable[[], object]) -> set[tuple[str, str]]:
    """Which module of the package calls which, while something is called."""
    found: set[tuple[str, str]] = set()

    def note(frame: FrameType, event: str, _: object) -> None:
        module = frame.f_globals.get("__name__", "")
        if event == "call" and module.startswith("wherefrom."):
            names = (f.f_globals.get("__name__", "") for f, _ in walk_stack(frame.f_back))
            caller = next((name for name in names if name.startswith("wherefrom.")), "")
            found.add((caller.removeprefix("wherefrom."), module.removeprefix("wherefrom.")))

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(before)
    return found
