"""The process in which a submission's code runs: `python -m wherefrom.doctor.child`, by `sandbox`.

It takes an order as JSON, limits itself, and writes one line of JSON a look to the given pipe.
The limits keep mistakes from doing harm. They are no wall against code that means harm.
"""

import importlib
import json
import os
import resource
import sys
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from wherefrom.doctor.findings import Finding, NoTelling
from wherefrom.doctor.submission import Submission, where

Look = Callable[[Submission], str | None]
LARGEST_FILE = 256 << 20


def main() -> None:
    order = json.loads(sys.argv[1])
    warnings.simplefilter("ignore")
    import torch

    torch.set_num_threads(1)
    sys.path[:0] = order["paths"]
    looks = find_looks(order["looks"])
    for path in order["paths"]:  # only to find the looks: another `submission` may lie there
        sys.path.remove(path)
    limit(order["memory_mb"] << 20, order["seconds"] * (len(order["names"]) + 1))
    data, answers = (Path(order[k]) if order[k] else None for k in ("data", "answers"))
    submission = Submission(Path(order["folder"]), data, answers, order["broken"], order["year"])
    with os.fdopen(order["pipe"], "w", encoding="utf-8") as pipe:

        def tell(line: dict[str, str]) -> None:
            pipe.write(json.dumps(line) + "\n")
            pipe.flush()

        if not order["broken"]:
            tell({"name": "", **attempt(lambda s: s.code and None, submission)})
        for name in order["names"]:
            tell({"name": name, **attempt(looks[name], submission)})
        pipe.flush()
        os._exit(0)  # whatever threads and exit handlers the submission left behind


def find_looks(place: str) -> Mapping[str, Look]:
    """`module:NAME` to the dict of that name."""
    module, name = place.split(":")
    return getattr(importlib.import_module(module), name)


def attempt(look: Look, submission: Submission) -> dict[str, str]:
    try:
        return {"state": "ok", "text": look(submission) or "", "mistake": ""}
    except Finding as finding:
        return {"state": "look", "text": str(finding), "mistake": finding.mistake}
    except NoTelling as reason:
        return {"state": "unknown", "text": str(reason), "mistake": ""}
    except MemoryError:
        return {"state": "look", "text": "it needed too much memory", "mistake": "memory"}
    except NotImplementedError as error:
        text = where(error, submission.folder).removeprefix("NotImplementedError: ")
        return {"state": "look", "text": f"not written yet {text}".strip(), "mistake": "unwritten"}
    except (Exception, SystemExit) as error:
        text = f"it stopped with {where(error, submission.folder)}"
        return {"state": "look", "text": text, "mistake": "crash"}


def limit(memory: int, seconds: float) -> None:
    """So much memory on top of what torch has mapped by now, and so much processor time."""
    limits: dict[int, Any] = {
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
    """Bytes of address space in use; 0 where the system does not say (or would not hold to it)."""
    try:
        pages = Path("/proc/self/statm").read_text().split()[0]
    except OSError:
        return 0
    return int(pages) * resource.getpagesize()


if __name__ == "__main__":
    main()
