"""The process in which a submission's code runs; `child_requests` starts it with `python -m`.

It is given a folder. `given/order.json` says what to ask of the submission; the answers go to
`out/`, a plain file each. They are claims: nothing is judged here, where the submission could
change the judgement.
"""

import json
import os
import random
import resource
import sys
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch

from wherefrom.course.doctor.probes import PROBES, Answer
from wherefrom.course.doctor.stand_ins import StandIns
from wherefrom.course.doctor.submission import Submission, describe


def main(place: Path) -> None:
    order = json.loads((place / "given" / "order.json").read_text("utf-8"))
    for name, value in order["limits"].items() if sys.platform == "linux" else ():
        which = getattr(resource, f"RLIMIT_{name}")
        most = resource.getrlimit(which)[1]
        value = value if most == resource.RLIM_INFINITY else min(value, most)
        resource.setrlimit(which, (value, value))
    warnings.simplefilter("ignore")
    torch.set_num_threads(order["threads"])
    sys.meta_path.insert(0, StandIns())
    answer(Submission(Path(order["folder"])), order["asked"], place)
    os._exit(0)  # whatever threads and exit handlers the submission left behind


def answer(submission: Submission, asked: Sequence[Mapping[str, Any]], place: Path) -> None:
    """Put each request to the submission, one after the other."""
    for request in asked:
        found = Answer()
        raised: dict[str, str] = {}
        for seed in (random.seed, np.random.seed, torch.manual_seed):
            seed(0)  # the same submission claims the same twice
        try:
            PROBES[request["kind"]](submission, found, SimpleNamespace(**request["given"]))
        except (Exception, SystemExit) as error:
            raised = describe(error, submission.folder)
        found.write(place / "out" / f"{request['name']}.safetensors", raised)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
