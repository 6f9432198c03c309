"""Asks a submission in processes of its own: a crash or a hang costs one answer, not all of them.

Nothing comes back but claims; `judging` says what they are worth.
"""

import json
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from wherefrom.course.doctor import intake, isolation
from wherefrom.course.doctor.exercises import Request
from wherefrom.course.doctor.isolation import Limits
from wherefrom.course.doctor.judging.claims import Claim, read_claim
from wherefrom.course.doctor.library import PROJECT, library
from wherefrom.course.doctor.years import DEFAULT_YEAR, VARIABLE

IMPORT = Request("import", "imports", {"modules": []})


@dataclass(frozen=True)
class Asking:
    """Whom to ask, and how.

    `keep` is a folder of the caller's for the claims. The submission's code runs in a copy of the
    `folder`, apart from everything else by `isolation`, with a library that lacks the solutions.
    """

    folder: Path
    keep: Path
    year: str = DEFAULT_YEAR
    limits: Limits = field(default_factory=Limits)
    isolation: str = ""


def ask(how: Asking, requests: Sequence[Request]) -> dict[str, Claim]:
    """A claim for each request.

    A process that dies or does not answer has failed the request it was at, and another one takes
    the remaining ones. If it died while importing the submission, none does.
    """
    found: dict[str, Claim] = {}
    end_of_all = time.monotonic() + how.limits.total
    while left := [request for request in (IMPORT, *requests) if request.name not in found]:
        limits = replace(how.limits, total=end_of_all - time.monotonic())
        if limits.total < 0:
            late = {r.name: Claim(r.name, ended="no time was left for it") for r in left}
            return found | late
        place = how.keep / f"{len(found)}-{left[-1].name}"
        # The first answer shows that the process has started.
        asked = [IMPORT, *(request for request in left if request is not IMPORT)]
        why = f"{_run(replace(how, limits=limits), asked, place)} and was given up"
        for request in asked:
            claim = read_claim(place / "out", request.name, why)
            if not claim.ended:
                found.setdefault(request.name, claim)
        missing = next((r.name for r in asked if r.name not in found), None)
        if missing is not None:
            found[missing] = Claim(missing, ended=why)
        if missing == IMPORT.name:
            told = {"mistake": "import", "text": f"the package cannot be imported: {why}"}
            return {request.name: Claim(request.name, raised=told) for request in asked}
    return found


def _run(how: Asking, requests: Sequence[Request], place: Path) -> str:
    """One process, in a folder of its own: `given` goes in, `out` comes back."""
    home = library()
    (place / "given").mkdir(parents=True)
    place = place.resolve()
    folder = intake.copy_code(how.folder, place / "submission")
    order = {"asked": [vars(request) for request in requests], "folder": str(folder.resolve())}
    kind = how.isolation or isolation.choose()
    order |= {"threads": how.limits.threads, "limits": how.limits.of_process(kind)}
    (place / "given" / "order.json").write_text(json.dumps(order), encoding="utf-8")
    environment = {VARIABLE: how.year, "OMP_NUM_THREADS": str(how.limits.threads)}
    environment["PYTHONPATH"] = os.pathsep.join(map(str, (home, *isolation.torch_home())))
    return isolation.run(
        kind,
        ("-m", "wherefrom.course.doctor.child", str(place)),
        place,
        limits=how.limits,
        reads=[home],
        hidden=[PROJECT],
        environment=environment,
    )
