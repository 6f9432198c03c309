"""A command that torchrun has started several times: the first process speaks for all.

The others follow it (experiments/processes/follower.py) where several processes are of use, and
have nothing to do elsewhere. What goes wrong in one of them is said by the first. If the first cannot be
reached, the first of each machine says so. A scheduler may say to every command that it is one of
several, so only torchrun's word keeps a command from its work.
"""

import os
from collections.abc import Sequence

from wherefrom.core.errors import Unavailable, WherefromError
from wherefrom.training.meeting import VARIABLES

_SHARED = ("run", "evaluate", "audit")  # commands whose work is divided
_silenced = False
_loud: int | None = None  # standard error, as it was before the silence


def follows() -> bool:
    """Whether this is not the first of several processes; needs no torch."""
    return all(map(os.environ.get, VARIABLES)) and os.environ["RANK"] != "0"


def shared(arguments: Sequence[str]) -> bool:
    """Whether the work of the command is divided among processes."""
    return next((a for a in arguments if not a.startswith("-")), "") in _SHARED


def started_by_torchrun() -> bool:
    return "TORCHELASTIC_RUN_ID" in os.environ


def silence(debug: bool) -> None:
    """Nothing is printed from here on, by libraries either; `--debug` keeps standard error."""
    global _loud, _silenced
    _silenced = True
    nowhere = os.open(os.devnull, os.O_WRONLY)
    if not debug:
        _loud = os.dup(2)
        os.dup2(nowhere, 2)
    os.dup2(nowhere, 1)


def report_as_follower(error: BaseException) -> None:
    """Leave word of an error that kept this process from following the first."""
    if not _silenced or not isinstance(error, WherefromError):
        return
    if not isinstance(error, Unavailable):
        from wherefrom.experiments.processes.company import deliver

        if deliver(error):
            return
    first_here = os.environ.get("LOCAL_RANK", "0") == "0" or not started_by_torchrun()
    if _loud is not None and first_here:
        os.dup2(_loud, 2)  # there is nobody to tell
