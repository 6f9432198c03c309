"""The engine as one script: its modules in order, without a build step.

A worker that is made from text cannot import modules beside it. So the modules are put one after
the other, each after those that it imports, without their import and export words; a test makes
sure that no two of them use a name at their top level for different things.
"""

import re
from functools import cache
from importlib.resources import files

_FOLDER = "js/engine"
_ENTRY = "worker.js"
_IMPORT = re.compile(r"^import\s+(?:\{[^}]*\}\s+from\s+)?'\./([\w.]+)';\n", re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const|let)\b)", re.MULTILINE)


@cache
def read_engine() -> str:
    """The text of the worker's script."""
    parts = [_EXPORT.sub("", _IMPORT.sub("", read_module(name))) for name in order_modules(_ENTRY)]
    return "(() => {\n'use strict';\n" + "\n".join(parts) + "\n})();\n"


@cache
def read_client() -> str:
    """The page's end of the worker's messages, a module without imports."""
    return read_module("client.js")


def order_modules(entry: str) -> list[str]:
    """A module and all that it imports, each after what it imports itself."""
    found: list[str] = []

    def visit(name: str) -> None:
        if name not in found:
            for other in _IMPORT.findall(read_module(name)):
                visit(other)
            found.append(name)

    visit(entry)
    return found


def read_module(name: str) -> str:
    return (files("wherefrom.show.page") / _FOLDER / name).read_text("utf-8")
