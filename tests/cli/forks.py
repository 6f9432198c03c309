"""Runs the command in forked children: starting Python and torch anew costs seconds each time.

Reads one JSON order a line, writes one JSON result a line. An order has `arguments` and may
have `signal`, a number that the child sends itself at the `line`-th line of the package's code
(of some `files` of it), or as soon as `stage` has published `saves` checkpoints; and
`file_limit`, the most bytes a file may have.
"""

import importlib
import json
import os
import resource
import sys
from pathlib import Path
from typing import Any

from wherefrom.cli.main import main

sys.path.append(str(Path(__file__).parents[1]))  # the tests' own folder

from interruptions import after_saves, at_line


def obey(order: dict[str, Any], folder: Path) -> dict[str, Any]:
    out, err = folder / "out", folder / "err"
    out.write_bytes(b"")
    err.write_bytes(b"")
    child = os.fork()
    if not child:
        _become(order, out, err)
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    return {"code": code, "out": out.read_text(), "err": err.read_text()}


def _become(order: dict[str, Any], out: Path, err: Path) -> None:
    """In the child: run the command and be gone."""
    code = 99
    try:
        for path, descriptor in ((out, 1), (err, 2)):
            os.dup2(os.open(path, os.O_WRONLY), descriptor)
        if limit := order.get("file_limit"):
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        if "line" in order:
            at_line(order["line"], order["signal"], order["files"])
        elif "saves" in order:
            after_saves(order["saves"], order["stage"], order["signal"])
        code = main(order["arguments"])
        sys.stdout.flush()
    finally:
        os._exit(code)


if __name__ == "__main__":
    importlib.import_module("wherefrom.api")
    for line in sys.stdin:
        print(json.dumps(obey(json.loads(line), Path(sys.argv[1]))), flush=True)
