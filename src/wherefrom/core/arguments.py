"""Arguments of the Python API, checked against the annotations of the function that takes them.

A user who passes None, a number or bytes where text is expected gets one line that says so, and not
an error from somewhere inside. Only what a person passes by mistake is looked at: plain types,
unions, collections of plain types, classes of ours.
"""

import inspect
from collections.abc import Callable, Collection, Iterable
from functools import cache, wraps
from numbers import Integral, Real
from os import PathLike
from types import NoneType, UnionType
from typing import Any, ParamSpec, TypeVar, Union, Unpack, get_args, get_origin, get_type_hints

from wherefrom.core.errors import UsageError

P = ParamSpec("P")
R = TypeVar("R")

_WORDS: dict[Any, str] = {
    str: "text", int: "a whole number", float: "a number", bool: "True or False",
    NoneType: "None", PathLike: "a path",
}  # fmt: skip
_SEVERAL = {str: "texts", int: "whole numbers", float: "numbers"}
_LONGEST = 60  # characters of a value that is shown


def checked(function: Callable[P, R]) -> Callable[P, R]:
    """The same function; an argument of a type that it does not take raises UsageError."""
    signature = inspect.signature(function)

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        for name, value in signature.bind(*args, **kwargs).arguments.items():
            kind = _hints(function).get(name, Any)
            if get_origin(kind) is Unpack:  # options by name, which a TypedDict describes
                (options,) = get_args(kind)
                for option, given in value.items():
                    _check(function.__name__, option, _fields(options).get(option, Any), given)
            else:
                _check(function.__name__, name, kind, value)
        return function(*args, **kwargs)

    return call


@cache
def _hints(function: Any) -> dict[str, Any]:
    return get_type_hints(function)


@cache
def _fields(options: Any) -> dict[str, Any]:
    return get_type_hints(options)


def _check(function: str, name: str, kind: Any, value: Any) -> None:
    if not _fits(kind, value):
        found = repr(value)
        found = found if len(found) <= _LONGEST else f"{found[:_LONGEST]}..."
        raise UsageError(
            f"{function}: {name}: expected {_describe(kind)}, found {found} "
            f"({type(value).__name__})"
        )


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
        held: Collection[Any] = value if isinstance(value, list | tuple) else ()
        return all(_fits(inner[0], each) for each in held)
    if kind is float:
        return isinstance(value, Real)
    if kind is int:
        return isinstance(value, Integral)
    return isinstance(value, kind) if isinstance(kind, type) else True


def _describe(kind: Any) -> str:
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        *first, last = (_describe(each) for each in inner)
        return f"{', '.join(first)} or {last}"
    if isinstance(origin, type) and issubclass(origin, Iterable) and origin is not PathLike:
        return f"a list of {_SEVERAL.get(inner[0], 'them')}"
    return _WORDS.get(origin or kind, f"a {getattr(kind, '__name__', kind)}")
