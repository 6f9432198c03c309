"""Stand-ins for what the hand-outs import and a plain set-up does not install.

Their trainer draws a bar with tqdm and may write to tensorboard; their run.py reads its options
with docopt. None of it changes what is graded: a bar that only counts, a writer that writes
nothing.
"""

from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from typing import Any
from unittest.mock import MagicMock

# Nobody reads what tensorboard would log here: it has a stand-in even where it is installed.
REPLACED = "torch.utils.tensorboard"
PROVIDED = ("tqdm", "tensorboardX", "docopt", "timeout_decorator", "wandb")


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


class StandIns(MetaPathFinder, Loader):
    """Has a stand-in wherever one of these modules, or what is in it, is not installed."""

    def find_spec(self, fullname: str, *_: Any) -> ModuleSpec | None:
        top = fullname.partition(".")[0]
        lacking = top in PROVIDED and PathFinder.find_spec(top) is None
        wanted = lacking or fullname.startswith(REPLACED)
        return ModuleSpec(fullname, self, is_package=True) if wanted else None

    def create_module(self, spec: ModuleSpec) -> Any:
        return stand_in()

    def exec_module(self, module: Any) -> None:
        pass
