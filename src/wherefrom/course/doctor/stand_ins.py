"""Stand-ins for what the hand-outs import and a plain set-up does not install.

The hand-outs' trainer draws a bar with tqdm and may write to tensorboard; their run.py reads its
options with docopt. None of it changes what is graded, so a solution needs none of it installed:
a bar that only counts, a writer that writes nothing. What else is installed is used as it is.
"""

import importlib.util
import sys
from collections.abc import Callable, Iterator
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, Self


class Nothing:
    """A writer, a bar or anything else that only records: whatever it is told, it does nothing.

    As tqdm's bar it gives the items themselves, one after the other.
    """

    def __init__(self, items: Any = (), *_: Any, **__: Any) -> None:
        self.items = items

    def __getattr__(self, name: str) -> Callable[..., None]:
        if name.startswith("__"):
            raise AttributeError(name)
        return _nothing

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def __iter__(self) -> Iterator[Any]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)

    write = staticmethod(lambda *_, **__: None)


def _nothing(*_: Any, **__: Any) -> None:
    return None


_BAR = {"tqdm": Nothing, "trange": lambda *counts, **_: Nothing(range(*counts))}
_WRITER = {"SummaryWriter": Nothing}
_RECORDER = dict.fromkeys(("init", "log", "watch", "finish", "login", "save"), _nothing)
# A decorator with options leaves the function alone: its time is limited anyway.
_LIMIT = {"timeout": lambda *_, **__: lambda function: function}
# The module that must be there, and what is provided where it is not.
PROVIDED: dict[str, dict[str, dict[str, Any]]] = {
    "tqdm": {"tqdm": _BAR, "tqdm.auto": _BAR, "tqdm.notebook": _BAR, "tqdm.std": _BAR},
    "tensorboard": {"torch.utils.tensorboard": _WRITER},
    "tensorboardX": {"tensorboardX": _WRITER},
    "docopt": {"docopt": {"docopt": lambda *_, **__: {}}},
    "timeout_decorator": {"timeout_decorator": _LIMIT},
    "wandb": {"wandb": _RECORDER | {"config": Nothing()}},
}


def provide() -> list[str]:
    """Put a stand-in wherever a module is not installed; their names.

    Nobody reads what tensorboard would log here: it has a stand-in even where it is installed.
    """
    provided = [name for name in PROVIDED if name == "tensorboard" or not _installed(name)]
    for name in provided:
        for path, contents in PROVIDED[name].items():
            module = ModuleType(path, "A stand-in; see wherefrom.course.doctor.stand_ins.")
            vars(module).update(contents)
            module.__spec__ = ModuleSpec(path, None)  # libraries ask whether a module is there
            if any(other.startswith(f"{path}.") for other in PROVIDED[name]):
                module.__path__ = []  # pyright: ignore
            sys.modules[path] = module
            above, _, last = path.rpartition(".")
            if above in sys.modules:
                setattr(sys.modules[above], last, module)
    return provided


def _installed(name: str) -> bool:
    try:
        return name in sys.modules or importlib.util.find_spec(name) is not None
    except (ImportError, ValueError):
        return False
