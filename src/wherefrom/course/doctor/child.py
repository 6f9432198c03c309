"""The process in which a submission's code runs; `asking` starts it with `python -m`.

It is given a folder. `given/order.json` says what to ask of the submission; the answers go to
`out/`, a plain file each. They are claims: nothing is judged here, where the submission could
change the judgement.
"""

import json
import os
import random
import sys
import warnings
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
from safetensors.numpy import save_file

from wherefrom.course.doctor.leniency import StandIns, lenient
from wherefrom.course.doctor.submission import Submission, describe


class Answer:
    """The claim that is being made: what was put into it stays, whatever is raised later."""

    def __init__(self) -> None:
        self.values: dict[str, Any] = {}
        self.arrays: dict[str, np.ndarray] = {}

    def put(self, **found: Any) -> None:
        """Arrays of numbers stay such; all else must be what JSON can say."""
        for key, value in found.items():
            value = value.detach().cpu().numpy() if isinstance(value, torch.Tensor) else value
            numbers = isinstance(value, np.ndarray) and value.dtype.kind in "fiub"
            (self.arrays if numbers else self.values)[key] = value

    def put_state(self, key: str, state: Mapping[str, torch.Tensor]) -> None:
        """Parameters by name, in their order."""
        self.put(**{key: list(state)}, **{f"{key}/{name}": value for name, value in state.items()})

    def write(self, path: Path, raised: Mapping[str, str]) -> None:
        told = {"values": json.dumps(self.values, default=repr), "raised": json.dumps(raised)}
        save_file(self.arrays, path, told)


def main(place: Path) -> None:
    order = json.loads((place / "given" / "order.json").read_text("utf-8"))
    warnings.simplefilter("ignore")
    torch.set_num_threads(order["threads"])
    own = list(sys.path)
    sys.path.insert(0, str(place / "given"))
    probes = import_module(order["probes"]).PROBES
    sys.path[:] = own  # what is given is not for the submission
    sys.meta_path.insert(0, StandIns())
    answer(Submission(Path(order["folder"])), probes, order["asked"], place)
    os._exit(0)  # whatever threads and exit handlers the submission left behind


def answer(
    submission: Any, probes: Mapping[str, Any], asked: Sequence[Mapping[str, Any]], place: Path
) -> None:
    """Put each request to the submission, one after the other."""
    claims, given = place / "out", place / "given"
    for request in asked:
        found = Answer()
        raised: dict[str, str] = {}
        submission.files = {}
        for seed in (random.seed, np.random.seed, torch.manual_seed):
            seed(0)  # the same submission claims the same twice
        with lenient(submission.folder, submission.files) as excuses:
            try:
                how = SimpleNamespace(**request["given"], given=given)
                probes[request["kind"]](submission, found, how)
            except (Exception, SystemExit) as error:
                raised = describe(error, submission.folder)
        found.put(excuses=excuses)
        found.write(claims / f"{request['name']}.safetensors", raised)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
