"""Runs the command in forked children: starting Python and torch anew costs seconds each time.

Reads one JSON order a line, writes one JSON result a line. An order has `arguments` and may
have `signal`, a number to send `after` so many seconds, or as soon as `count` paths fit the
pattern `until`, counted from when the child's standard error holds `marker` (if there is one);
and `file_limit`, the most bytes a file may have.
"""

import importlib
import json
import os
import resource
import sys
import time
from collections.abc import Callable
from glob import glob
from pathlib import Path
from typing import Any

from wherefrom.cli.main import main


def obey(order: dict[str, Any], folder: Path) -> dict[str, Any]:
    out, err = folder / "out", folder / "err"
    out.write_bytes(b"")
    err.write_bytes(b"")
    child = os.fork()
    if not child:
        _become(order, out, err)
    if "signal" in order:
        marker, until = order.get("marker", ""), order.get("until")
        ended = _wait_for(lambda: marker in err.read_text(), child)
        if until:
            ended = ended or _wait_for(lambda: len(glob(until)) >= order["count"], child)
        if not ended:
            time.sleep(order.get("after", 0.0))
            os.kill(child, order["signal"])
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
        code = main(order["arguments"])
        sys.stdout.flush()
    finally:
        os._exit(code)


def _wait_for(sign: Callable[[], bool], child: int) -> bool:
    """Wait until the child gave the sign; whether it ended before."""
    while not sign():
        if os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            return True
        time.sleep(0.002)
    return False


if __name__ == "__main__":
    for name in ("wherefrom.api", "torch._dynamo"):  # the first optimiser asks for the latter
        importlib.import_module(name)
    for line in sys.stdin:
        print(json.dumps(obey(json.loads(line), Path(sys.argv[1]))), flush=True)
