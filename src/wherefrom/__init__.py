"""Wherefrom teaches a small language model facts from text and says where answers come from.

The package offers the names that `wherefrom.api` lists and describes; `wherefrom.data` and
`wherefrom.doctor` are packages of functions of their own. All are loaded when they are first used,
so that importing the package, and `wherefrom --help`, need no torch.
"""

from typing import TYPE_CHECKING, Any

from wherefrom.core.environment import prepare_library

if TYPE_CHECKING:
    from wherefrom import data as data
    from wherefrom.api import *  # noqa: F403
    from wherefrom.course import doctor as doctor

_MODULES = {"data": "wherefrom.data", "doctor": "wherefrom.course.doctor"}

prepare_library()  # before torch is loaded, which happens with the first of these names


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name in _MODULES:
        return import_module(_MODULES[name])
    if name == "verify":  # checking files needs no torch
        return import_module("wherefrom.runs.verification").verify
    if name == "__all__" or not name.startswith("_"):
        api = import_module("wherefrom.api")
        if name == "__all__":
            return [*api.__all__, *_MODULES]
        if name in api.__all__:
            return getattr(api, name)
    raise AttributeError(f"module 'wherefrom' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted([*globals(), *__getattr__("__all__")])
