"""A worker: `python -m wherefrom.experiments.worker RUN NAME THREADS` trains one model of a run.

`workers.py` starts it with a pipe for its standard input. The pipe's end tells it to save and end.
"""

import os
import signal
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

from wherefrom.core.environment import prepare_command
from wherefrom.core.errors import WherefromError


def main(arguments: Sequence[str]) -> int:
    prepare_command()
    threading.Thread(target=_end_with_parent, daemon=True).start()
    from wherefrom.experiments.retraining import retrain_named
    from wherefrom.runs.run import open_run

    run, name, threads = arguments
    try:
        retrain_named(open_run(Path(run)), name, int(threads))
    except WherefromError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    return 0


def _end_with_parent() -> None:
    """Training takes the signal for a request to save and end; before and after, it just ends."""
    while os.read(0, 1):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
