"""Copies of a finished run whose retraining takes a known number of steps."""

import json
import shutil
from pathlib import Path

from wherefrom.runs.folder import RunFolder
from wherefrom.runs.opened_run import Run, open_run


def copy_run(run: Path, folder: Path, steps: int) -> Run:
    """A copy whose retraining takes so many steps, with frequent checkpoints."""
    path = Path(shutil.copytree(run, folder / "people-0"))
    contents = json.loads((path / "run.json").read_text())
    pretrain = contents["recipe"]["stages"]["pretrain"]
    pretrain |= {"steps": steps, "checkpoint_seconds": 0.0}
    pretrain["mix"]["omissions"]["share"] = 0.0
    RunFolder(path).write_json("run.json", contents)
    return open_run(path)
