"""The way of a question through the code: which modules it visits when a run is asked.

    python benchmarks/journey.py RUN QUESTION

Every call of ours that is given the question (as text, in a list, or in a value that carries it
under `text` or `question`) is counted. A *stay* is a stretch of such calls in one module, a
*return* is a stay in a module that the question had left before. Fewer of each is easier to
follow; docs/ARCHITECTURE.md has the figures before and after the upper rooms were divided.
"""

import sys
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from types import FrameType
from typing import Any

import wherefrom
from wherefrom.cli.main import main

SOURCE = Path(wherefrom.__file__).parent


def carries(value: Any, question: str) -> bool:
    """Whether an argument is the question, has it among its items, or is about it."""
    if isinstance(value, list | tuple):
        return any(carries(item, question) for item in value[:20])
    if isinstance(value, str):
        return value == question
    names = ("text", "question")
    return any(getattr(type(value), "__dataclass_fields__", {}).get(name) is not None
               and getattr(value, name) == question for name in names)  # fmt: skip


def follow(run: str, question: str) -> list[str]:
    """The modules of the calls that were given the question, in their order."""
    visited: list[str] = []

    def look(frame: FrameType, event: str, _: Any) -> None:
        path = Path(frame.f_code.co_filename)
        if event != "call" or not path.is_relative_to(SOURCE) or frame.f_code.co_name[0] == "<":
            return
        code = frame.f_code
        arguments = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        if any(carries(frame.f_locals.get(name), question) for name in arguments):
            visited.append(path.relative_to(SOURCE).as_posix())

    sys.setprofile(look)
    try:
        with redirect_stdout(StringIO()):
            main(["ask", run, question])
    finally:
        sys.setprofile(None)
    return visited


def count(visited: list[str]) -> tuple[list[str], int]:
    """The stays, and how many of them are returns."""
    stays = [m for i, m in enumerate(visited) if i == 0 or visited[i - 1] != m]
    return stays, len(stays) - len(set(stays))


if __name__ == "__main__":
    found = follow(*sys.argv[1:3])
    route, returns = count(found)
    print("\n".join(route))
    print(f"{len(route)} stays in {len(set(route))} modules, {returns} returns, {len(found)} calls")
