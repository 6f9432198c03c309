"""The process in which a submission's code runs; `sandbox` starts it with `python -m`.

It reads an `Order` from its standard input and writes one line of JSON for each check to a file.
"""

import importlib
import json
import os
import pickle
import sys
import warnings
from collections.abc import Callable, Mapping

from wherefrom.core.config import to_json
from wherefrom.course.doctor import stand_ins
from wherefrom.course.doctor.findings import Finding, NoTelling, Result
from wherefrom.course.doctor.order import ANSWERS, Order
from wherefrom.course.doctor.submission import Submission, where

Check = Callable[[Submission], str | None]


def main() -> None:
    order: Order = pickle.load(sys.stdin.buffer)
    warnings.simplefilter("ignore")
    import torch

    torch.set_num_threads(order.limits.threads)
    own = list(sys.path)
    sys.path[:0] = map(str, order.paths)
    checks = find_checks(order.checks)
    sys.path[:] = own  # the paths are only for the checks: another `submission` may be there
    if order.code:
        stand_ins.provide()
    broken = order.broken if order.code else "its code is not read here"
    submission = Submission(order.folder, order.data, order.answers, broken, order.year)
    submission.note = order.note
    with (order.place / "out" / ANSWERS).open("w", encoding="utf-8") as file:

        def tell(name: str, result: Result) -> None:
            file.write(f"{order.token} {json.dumps({'name': name} | to_json(result))}\n")
            file.flush()

        # The first line says that the import is over, whatever came of it.
        if order.code and not order.broken:
            tell("", attempt(lambda s: s.code and None, submission))
        for name in order.names:
            tell(name, attempt(checks[name], submission))
        os._exit(0)  # whatever threads and exit handlers the submission left behind


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


if __name__ == "__main__":
    main()
