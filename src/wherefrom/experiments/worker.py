"""A worker: a process that trains one model. Its arguments are a kind of job and what it needs:

    retrain RUN NAME THREADS            a model of an audit, by its name ("without-3-first")
    run RECIPE FOLDER PLAN THREADS      a recipe into a run folder; recipe and plan are JSON

`tasks.py` starts it with a pipe for its standard input. The pipe's end tells it to save and end.
"""

import json
import os
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from wherefrom.core.environment import prepare_command
from wherefrom.core.errors import WherefromError


def main(arguments: Sequence[str]) -> int:
    prepare_command()
    threading.Thread(target=_end_with_parent, daemon=True).start()
    kind, *rest, threads = arguments
    try:
        _JOBS[kind](*rest, int(threads))
    except WherefromError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    return 0


def _retrain(run: str, name: str, threads: int) -> None:
    from wherefrom.experiments.retraining import retrain_named
    from wherefrom.runs.run import open_run

    retrain_named(open_run(Path(run)), name, threads)


def _run(recipe: str, folder: str, plan: str, threads: int) -> None:
    from wherefrom.experiments.seeds import run_seed

    run_seed(json.loads(recipe), Path(folder), json.loads(plan), threads)


_JOBS: dict[str, Callable[..., None]] = {"retrain": _retrain, "run": _run}


def _end_with_parent() -> None:
    """Training takes the signal for a request to save and end; before and after, it just ends."""
    while os.read(0, 1):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
