"""Arguments of the Python API, checked against the annotations of the function that takes them.

A user who passes None, a number or bytes where text is expected gets one line that says so, and not
an error from somewhere inside. Only what a person passes by mistake is looked at: plain types,
unions, collections of plain types, classes of ours. A path must be one that the system can look
for: without NUL, not too long, and no link that leads to itself.
"""

import errno
import inspect
import os
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cache, wraps
from numbers import Integral, Real
from os import PathLike
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, ParamSpec, TypeVar, Union, Unpack, get_args, get_origin, get_type_hints

from wherefrom.core.errors import UsageError

P = ParamSpec("P")
R = TypeVar("R")

_WORDS: dict[Any, str] = {
    str: "text", int: "a whole number", float: "a number", bool: "True or False",
    NoneType: "None", PathLike: "a path", Path: "a path",
}  # fmt: skip
_NUMBERS: dict[Any, type] = {float: Real, int: Integral}  # numpy's numbers do too
_SEVERAL = {str: "texts", int: "whole numbers", float: "numbers"}
_LONGEST = 60  # characters of a value that is shown
_NOWHERE = (errno.ELOOP, errno.ENAMETOOLONG)


def checked(function: Callable[P, R]) -> Callable[P, R]:
    """The same function; an argument of a type that it does not take raises UsageError."""
    signature = inspect.signature(function)

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        _check_arguments(function, signature.bind(*args, **kwargs).arguments)
        return function(*args, **kwargs)

    return call


def _check_arguments(function: Callable[..., Any], arguments: Mapping[str, Any]) -> None:
    for name, value in arguments.items():
        kind = _hints(function).get(name, Any)
        if get_origin(kind) is Unpack:  # options by name, which a TypedDict describes
            (options,) = get_args(kind)
            for option, given in value.items():
                _check(function.__name__, option, _hints(options).get(option, Any), given)
        else:
            _check(function.__name__, name, kind, value)


@cache
def _hints(described: Any) -> dict[str, Any]:
    """The annotations of a function, or of a TypedDict."""
    return get_type_hints(described)


def _check(function: str, name: str, kind: Any, value: Any) -> None:
    if not _fits(kind, value):
        raise UsageError(
            f"{function}: {name}: expected {_describe(kind)}, found {_show(value)} "
            f"({type(value).__name__})"
        )
    for path in _paths(kind, value):
        _require_path(f"{function}: {name}", path)


def _show(value: Any) -> str:
    found = repr(value)
    return found if len(found) <= _LONGEST else f"{found[:_LONGEST]}..."


def _fits(kind: Any, value: Any) -> bool:
    origin, inner = get_origin(kind), get_args(kind)
    if kind is Any:
        return True
    if origin in (Union, UnionType):
        return any(_fits(each, value) for each in inner)
    if origin is PathLike:
        return isinstance(value, PathLike)
    if isinstance(origin, type) and issubclass(origin, Iterable):
        if isinstance(value, bytes) or not isinstance(value, origin):
            return False
        if isinstance(value, str):  # a sequence too, of letters
            return inner[0] is str
        return all(_fits(inner[0], each) for each in _members(value))
    wanted = _NUMBERS.get(kind, kind)
    return isinstance(value, wanted) if isinstance(wanted, type) else True


def _members(value: Any) -> Collection[Any]:
    """What a collection holds; what can be gone through only once is left to the function."""
    return value if isinstance(value, Collection) else ()


def _paths(kind: Any, value: Any) -> list[Any]:
    """The values that are paths: the argument itself, or the members of a list of them."""
    kinds = get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)
    if isinstance(value, str | PathLike):
        is_path = any(each is Path or get_origin(each) is PathLike for each in kinds)
        return [value] if is_path else []
    inner = [get_args(each)[0] for each in kinds if get_args(each)]
    return [path for each in inner for member in _members(value) for path in _paths(each, member)]


def _require_path(where: str, path: str | PathLike[str]) -> None:
    """UsageError if the system could not even look for the path; what is there is not asked."""
    reason = "" if str(path) else "it is empty"
    try:
        os.stat(path)
    except ValueError as error:  # a NUL, or what no file's name can be
        reason = str(error)
    except OSError as error:
        reason = reason or (error.strerror if error.errno in _NOWHERE else "")
    if reason:
        raise UsageError(f"{where}: expected a path, found {_show(path)}: {reason}")


def _describe(kind: Any) -> str:
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        *first, last = (_describe(each) for each in inner)
        return f"{', '.join(first)} or {last}"
    if isinstance(origin, type) and issubclass(origin, Iterable) and origin is not PathLike:
        return f"a list of {_SEVERAL.get(inner[0], 'them')}"
    return _WORDS.get(origin or kind, f"a {getattr(kind, '__name__', kind)}")
