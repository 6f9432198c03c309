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
        return lambda *_, **__: None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def __iter__(self) -> Iterator[Any]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)

    write = staticmethod(lambda *_, **__: None)


# The few names that must do something; a decorator with options leaves its function alone.
_DOES: dict[str, Any] = {
    "trange": lambda *counts, **_: Nothing(range(*counts)),
    "docopt": lambda *_, **__: {},
    "timeout": lambda *_, **__: lambda function: function,
    "config": Nothing(),
}


class StandIn(ModuleType):
    """A module in which every name is a `Nothing`."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _DOES.get(name, Nothing)


_SUBMODULES = {
    "tqdm": ("tqdm", "tqdm.auto", "tqdm.notebook", "tqdm.std"),
    "tensorboard": ("torch.utils.tensorboard",),
}
PROVIDED = (*_SUBMODULES, "tensorboardX", "docopt", "timeout_decorator", "wandb", "pandas")


def provide() -> list[str]:
    """Put a stand-in wherever a module is not installed; their names.

    Nobody reads what tensorboard would log here: it has a stand-in even where it is installed.
    """
    provided = [name for name in PROVIDED if name == "tensorboard" or not _installed(name)]
    for path in (path for name in provided for path in _SUBMODULES.get(name, (name,))):
        sys.modules[path] = module = StandIn(path)
        module.__spec__ = ModuleSpec(path, None)  # libraries ask whether a module is there
        module.__path__ = []  # pyright: ignore
        above, _, last = path.rpartition(".")
        if above in sys.modules:
            setattr(sys.modules[above], last, module)
    return provided


def _installed(name: str) -> bool:
    try:
        return name in sys.modules or importlib.util.find_spec(name) is not None
    except (ImportError, ValueError):
        return False
