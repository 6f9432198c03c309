"""Checks a submission in child processes: a crash or a hang costs one check, not all of them."""

import json
import os
import pickle
import secrets
import shutil
import stat
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from wherefrom.core.config import from_json
from wherefrom.core.errors import BadData
from wherefrom.course.doctor import intake, isolation
from wherefrom.course.doctor.findings import Result
from wherefrom.course.doctor.isolation import Ended
from wherefrom.course.doctor.library import HOME, library
from wherefrom.course.doctor.order import ANSWERS, Order
from wherefrom.course.doctor.years import VARIABLE

_LONGEST = 1 << 20  # bytes of a child's answers


def examine(order: Order) -> dict[str, Result]:
    """The results of an order's checks, in their order.

    A child that dies or does not answer has failed the check it was at, and another child takes
    the remaining ones. If it died while importing the submission, the next one does not try.
    """
    code, names, results = order.code, order.names, dict[str, Result]()
    assert not (code and order.answers), "the answers are not for a process that runs a submission"
    end_of_all = time.monotonic() + order.limits.total
    while left := [name for name in names if name not in results]:
        time_left = end_of_all - time.monotonic()
        if time_left < 0:
            results |= dict.fromkeys(left, Result("look", "no time was left for it", "stopped"))
            break
        limits = replace(order.limits, total=time_left)
        heard, end = _ask(replace(order, names=tuple(left), limits=limits))
        results |= {name: heard[name] for name in left if name in heard}
        missing = next((name for name in left if name not in heard), None)
        if missing is None:
            break
        why = f"{end} and was given up"
        if "" in heard or order.broken or not code:
            results[missing] = Result("look", why, "stopped")
        else:
            order = replace(order, broken=f"the package cannot be imported: {why}")
    return {name: results[name] for name in names}


def _ask(order: Order) -> tuple[dict[str, Result], Ended]:
    """What one child answered before its end, and how it ended.

    Only a submission's code is isolated: files are read by our own.
    """
    kind = (order.isolation or isolation.choose()) if order.code else isolation.NONE
    home = library(order.closed) if order.code and order.closed else HOME.parent
    token = secrets.token_hex(8)
    with isolation.new_place() as place:
        order = replace(_resolved(order), place=place, token=token)
        if order.code:
            order = _copied(order, place)
        checks = [path / order.checks.split(".")[0] for path in order.paths]
        ended = isolation.run(
            kind,
            ("-m", "wherefrom.course.doctor.child"),
            place,
            limits=order.limits,
            reads=[home, *(path for path in checks if path.exists())],
            hidden=[HOME] if home != HOME.parent else [],
            environment={
                VARIABLE: order.year,
                "OMP_NUM_THREADS": str(order.limits.threads),
                "PYTHONPATH": os.pathsep.join(map(str, (home, *isolation.torch_home()))),
            },
            told=pickle.dumps(order),
        )
        return _read(_answers(place / "out" / ANSWERS), token), ended


def _resolved(order: Order) -> Order:
    """The child runs in another folder: its paths must not depend on this one."""
    named = {name: getattr(order, name) for name in ("folder", "data", "answers")}
    whole = {name: path.resolve() for name, path in named.items() if path is not None}
    return replace(order, **whole, paths=tuple(path.resolve() for path in order.paths))


def _copied(order: Order, place: Path) -> Order:
    """The order with a copy of the submission, and with the given files for its data."""
    folder = intake.copy_code(order.folder, place / "submission", order.whole)
    if order.given:
        (place / "given").mkdir()
        order = replace(order, data=place / "given")
    for path in order.given:
        shutil.copyfile(path, place / "given" / path.name)
    return replace(order, folder=folder)


def _answers(path: Path) -> bytes:
    """The child's answers: the submission's code could have put anything in their place."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return b""
    with os.fdopen(handle, "rb") as file:
        return file.read(_LONGEST) if stat.S_ISREG(os.fstat(handle).st_mode) else b""


def _read(text: bytes, token: str) -> dict[str, Result]:
    heard: dict[str, Result] = {}
    for line in text.split(b"\n"):
        start, _, line = line.partition(b" ")
        if start != token.encode():
            continue
        # A line that was cut off, or that the submission's code wrote.
        with suppress(ValueError, KeyError, TypeError, AttributeError, BadData):
            told = json.loads(line)
            name = str(told.pop("name"))
            heard[name] = from_json(Result, told, "result")
    return heard
