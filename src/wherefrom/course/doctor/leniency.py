"""What a mistake of the set-up costs is one finding, not every check behind it.

In the process that runs a submission, a tensor that is moved to a GPU stays where it is, a
forgotten breakpoint is passed over, and a file that is named by a path of the student's own
machine is the file that was given. Each is kept as an excuse, with the line that needed it.

What the hand-outs import and a plain set-up does not install has stand-ins: their trainer draws a
bar with tqdm and may write to tensorboard; their run.py reads its options with docopt. None of it
changes what is graded: a bar that only counts, a writer that writes nothing.
"""

import builtins
import importlib.util
import io
import os
import pdb
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock, patch

import torch
from torch.overrides import TorchFunctionMode

from wherefrom.course.doctor.submission import own_line


@contextmanager
def lenient(folder: Path, given: Mapping[str, Path]) -> Iterator[list[str]]:
    """The excuses of what runs inside; `given` are files by the end of their usual name."""
    excuses: list[str] = []
    real = builtins.open

    def excuse(what: str) -> None:
        line = own_line(reversed(list(traceback.walk_stack(sys._getframe()))), folder)
        said = f"{what} at {line}" if line else what
        if said not in excuses:
            excuses.append(said)

    def pass_over(*_: Any, **__: Any) -> None:
        excuse("breakpoint")

    def opens(file: Any, mode: str = "r", *rest: Any, **named: Any) -> Any:
        if isinstance(file, str | os.PathLike) and "r" in mode and not os.path.exists(file):
            for ending, path in given.items():
                if str(file).endswith(ending):
                    excuse(f"path {str(file)[:60]}")
                    return real(path, mode, *rest, **named)
        return real(file, mode, *rest, **named)

    with ExitStack() as stack:
        for place, name, stand_in in (
            (builtins, "open", opens), (io, "open", opens), (pdb, "set_trace", pass_over),
            (sys, "breakpointhook", pass_over),
        ):  # fmt: skip
            stack.enter_context(patch.object(place, name, stand_in))
        stack.enter_context(_Here(excuse))
        yield excuses


class _Here(TorchFunctionMode):
    """Whatever is asked for on a GPU is made here."""

    def __init__(self, excuse: Callable[[str], None]) -> None:
        super().__init__()
        self.excuse = excuse

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = dict(kwargs or {})
        if func is torch.Tensor.cuda:
            self.excuse("cuda")
            return args[0]
        if any(map(_elsewhere, (*args[1:], kwargs.get("device")))) and func is not torch.device:
            self.excuse("cuda")
            args = [torch.device("cpu") if _elsewhere(value) else value for value in args]
            kwargs |= {"device": "cpu"} if _elsewhere(kwargs.get("device")) else {}
        return func(*args, **kwargs)


def _elsewhere(device: Any) -> bool:
    return isinstance(device, str | torch.device) and str(device).startswith("cuda")


# -- stand-ins -------------------------------------------------------------------------------------


def stand_in() -> MagicMock:
    """A module or a class that takes whatever it is told, and the few names that must do something.

    A decorator with options leaves its function alone.
    """
    made = MagicMock(docopt=lambda *_, **__: {}, timeout=lambda *_, **__: lambda function: function)
    made.tqdm.side_effect = _count
    made.trange.side_effect = lambda *counts, **_: _count(range(*counts))
    return made


def _count(items: Any = (), *_: Any, **__: Any) -> MagicMock:
    """As tqdm's bar it gives the items themselves, one after the other."""
    bar = MagicMock()
    bar.__iter__.return_value, bar.__enter__.return_value = items, bar
    bar.__len__.side_effect = lambda: len(items)
    return bar


_SUBMODULES = {
    "tqdm": ("tqdm", "tqdm.auto", "tqdm.notebook", "tqdm.std"),
    "tensorboard": ("torch.utils.tensorboard",),
}
PROVIDED = (*_SUBMODULES, "tensorboardX", "docopt", "timeout_decorator", "wandb", "pandas")


def provide() -> list[str]:
    """Put a stand-in wherever a module is not installed; their names.

    Nobody reads what tensorboard would log here: it has a stand-in even where it is installed.
    """
    provided = [name for name in PROVIDED if name == "tensorboard" or (
        name not in sys.modules and importlib.util.find_spec(name) is None)]  # fmt: skip
    for path in (path for name in provided for path in _SUBMODULES.get(name, (name,))):
        sys.modules[path] = module = stand_in()
        module.__spec__ = ModuleSpec(path, None)  # libraries ask whether a module is there
        module.__path__ = []
        above, _, last = path.rpartition(".")
        if above in sys.modules:
            setattr(sys.modules[above], last, module)
    return provided
