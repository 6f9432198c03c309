"""The process in which a submission's code runs; `sandbox` starts it with `python -m`.

It reads an `Order` from its standard input, limits itself, and writes one line of JSON for
each check to a pipe. The limits keep mistakes from doing harm. They do not stop code that means
harm.
"""

import ctypes
import importlib
import json
import os
import pickle
import resource
import signal
import sys
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path

from wherefrom.core.config import to_json
from wherefrom.course.doctor import guard, stand_ins
from wherefrom.course.doctor.findings import Finding, NoTelling, Result
from wherefrom.course.doctor.order import Order
from wherefrom.course.doctor.submission import Submission, where

Check = Callable[[Submission], str | None]
LARGEST_FILE = 256 << 20
_DEATH_SIGNAL = 1  # of Linux' prctl


def main() -> None:
    die_with_parent()
    order: Order = pickle.load(sys.stdin.buffer)
    limits = order.limits
    warnings.simplefilter("ignore")
    import torch

    torch.set_num_threads(limits.threads)
    own = list(sys.path)
    sys.path[:0] = map(str, order.paths)
    checks = find_checks(order.checks)
    sys.path[:] = own  # the paths are only for the checks: another `submission` may be there
    if order.code:
        stand_ins.provide()
        guard.close(order.folder)
    limit(limits.memory_mb << 20, limits.seconds * limits.threads * (len(order.names) + 1))
    broken = order.broken if order.code else "its code is not read here"
    submission = Submission(order.folder, order.data, order.answers, broken, order.year)
    submission.note = order.note
    with os.fdopen(order.pipe, "w", encoding="utf-8") as pipe:
        parent = os.getppid()

        def tell(name: str, result: Result) -> None:
            if os.getppid() != parent:  # a system that does not kill orphans: they say no more
                os._exit(1)
            pipe.write(f"{order.token} {json.dumps({'name': name} | to_json(result))}\n")
            pipe.flush()

        # The first line says that the import is over, whatever came of it.
        if order.code and not order.broken:
            tell("", attempt(lambda s: s.code and None, submission))
        for name in order.names:
            tell(name, attempt(checks[name], submission))
        pipe.flush()
        os._exit(0)  # whatever threads and exit handlers the submission left behind


def die_with_parent() -> None:
    """Have this process killed when the warden ends, however it ends; where the system can."""
    try:
        ctypes.CDLL(None).prctl(_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
    except (OSError, AttributeError):
        return


def find_checks(place: str) -> Mapping[str, Check]:
    """The dict of checks at `module:NAME`."""
    module, name = place.split(":")
    return getattr(importlib.import_module(module), name)


def attempt(check: Check, submission: Submission) -> Result:
    """The result of a check, whatever the submission's code raises in it."""
    try:
        return Result("ok", check(submission) or "")
    except Finding as finding:
        return Result("look", str(finding), finding.mistake)
    except NoTelling as reason:
        return Result("unknown", str(reason))
    except MemoryError:
        return Result("look", "it needed too much memory", "memory")
    except NotImplementedError as error:
        text = where(error, submission.folder).removeprefix("NotImplementedError").lstrip(": ")
        return Result("look", f"not written yet {text}".strip(), "unwritten")
    except (Exception, SystemExit) as error:
        return Result("look", f"it stopped with {where(error, submission.folder)}", "crash")


def limit(memory: int, seconds: float) -> None:
    """Limit this process: bytes on top of what torch has mapped by now, processor seconds."""
    limits = {
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_FSIZE: LARGEST_FILE,
        resource.RLIMIT_CPU: int(seconds) + 1,
    }
    if mapped := _mapped():
        limits[resource.RLIMIT_AS] = mapped + memory
    for which, value in limits.items():
        most = resource.getrlimit(which)[1]
        value = value if most == resource.RLIM_INFINITY else min(value, most)
        resource.setrlimit(which, (value, most))


def _mapped() -> int:
    """Bytes of address space in use; 0 where the system does not say, so memory has no limit."""
    try:
        pages = Path("/proc/self/statm").read_text().split()[0]
    except OSError:
        return 0
    return int(pages) * resource.getpagesize()


if __name__ == "__main__":
    main()
