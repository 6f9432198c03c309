"""Frozen dataclasses to and from plain dicts, JSON, dotted names and TOML.

A config object is a frozen dataclass. Where several classes may stand in one place (a data
set, an objective, a model), each has a class attribute `kind`, which is written beside its
fields and finds the class again on the way back. A tuple of configs that have a `name` is
written as a table keyed by that name, so `stages.pretrain.steps` means what it says.

Findings (what a run or an audit came to) are frozen dataclasses too. `to_json` writes every field,
None as null, and a class's `format_version` before them; `from_json` reads them back and says
which field is not what it must be.
"""

import json
import math
import re
import tomllib
import types
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass, replace
from functools import cache, partial
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from wherefrom.core.errors import BadData, UsageError, nearest

Kinds = Mapping[str, type]
T = TypeVar("T")
_VERSION = "format_version"
_SURROGATE = re.compile("[\ud800-\udfff]")  # a byte that was not UTF-8
_TRUTHS = {"true": True, "false": False, "yes": True, "no": False, "1": True, "0": False}


def encode(config: Any) -> Any:
    """A config as dicts, lists, strings, numbers and booleans; fields that are None left out."""
    if is_dataclass(config) and not isinstance(config, type):
        kind = {"kind": config.kind} if hasattr(config, "kind") else {}  # pyright: ignore
        pairs = ((f.name, getattr(config, f.name)) for f in fields(config) if f.init)
        return kind | {name: encode(value) for name, value in pairs if value is not None}
    if isinstance(config, tuple) and config and all(hasattr(v, "name") for v in config):
        return {v.name: {k: e for k, e in encode(v).items() if k != "name"} for v in config}
    if isinstance(config, tuple | list):
        return [encode(v) for v in config]
    return config


def to_json(record: Any) -> Any:
    """A finding as JSON holds it: every field by its name, also those that are None.

    A class whose written form is not its fields (a Score, a Prediction) has an `as_json` of its
    own; an error is its one line. What is neither a dataclass nor a collection must be what JSON
    can hold.
    """
    if hasattr(record, "as_json"):
        return record.as_json()
    if isinstance(record, BaseException):
        return str(record)
    if is_dataclass(record) and not isinstance(record, type):
        version = getattr(type(record), _VERSION, None)
        head = {} if version is None else {_VERSION: version}
        return head | {f.name: to_json(getattr(record, f.name)) for f in fields(record)}
    if isinstance(record, Mapping):
        return {str(name): to_json(value) for name, value in record.items()}
    if isinstance(record, frozenset | set):
        return sorted(record)
    if isinstance(record, tuple | list):
        return [to_json(value) for value in record]
    return record


def from_json(cls: type[T], data: Any, where: str) -> T:
    """The finding of type `cls` that `to_json` wrote; BadData names what is wrong with it."""
    try:
        return decode(cls, data, None, where)
    except UsageError as error:
        raise BadData(str(error)) from None


def decode(cls: Any, data: Any, kinds: Kinds | None, where: str = "") -> Any:
    """The config of type `cls` that `encode` wrote as `data`; without `kinds`, the finding."""
    if data is None and _optional(cls):
        return None
    cls = _plain(cls)
    if get_origin(cls) in (dict, Mapping):
        return _decode_table(cls, data, kinds, where)
    if get_origin(cls) is frozenset:
        return frozenset(_decode_tuple(tuple[get_args(cls)[0], ...], data, kinds, where))
    if get_origin(cls) is tuple:
        return _decode_tuple(cls, data, kinds, where)
    if hasattr(cls, "from_json"):  # its written form is not its fields
        return cls.from_json(data, where)
    if isinstance(cls, type) and issubclass(cls, BaseException):
        return cls(str(data))
    if isinstance(data, dict):
        return _build(cls, dict(data), kinds, where)
    return _scalar(cls, data, where)


def _decode_table(cls: Any, data: Any, kinds: Kinds | None, where: str) -> dict[str, Any]:
    if not isinstance(data, Mapping):
        raise UsageError(f"{where}: expected a table, found {_show(data)}")
    _, item = get_args(cls)
    return {n: decode(item, v, kinds, _at(where, str(n))) for n, v in data.items()}


def _decode_tuple(cls: Any, data: Any, kinds: Kinds | None, where: str) -> tuple[Any, ...]:
    """From a list, or from a table of entries by their names."""
    items = get_args(cls)
    item = items[0]
    if isinstance(data, dict):
        entries = {n: {"name": n} | v if isinstance(v, dict) else v for n, v in data.items()}
        return tuple(decode(item, e, kinds, _at(where, n)) for n, e in entries.items())
    if not isinstance(data, list | tuple):
        raise UsageError(f"{where}: expected a list, found {_show(data)}")
    if ... in items:
        items = (item,) * len(data)
    if len(data) != len(items):
        raise UsageError(f"{where}: expected {len(items)} values, found {len(data)}")
    each = zip(items, data, strict=True)
    return tuple(decode(t, v, kinds, _at(where, str(i))) for i, (t, v) in enumerate(each))


def _build(cls: Any, data: dict[str, Any], kinds: Kinds | None, where: str) -> Any:
    """A config, in which fields may be left out, or a finding, which is written whole."""
    if not is_dataclass(cls) or "kind" in data:
        kind = str(data.pop("kind", None))
        if kinds is None or kind not in kinds:
            raise UsageError(f"{where}: unknown kind '{kind}'; {nearest(kind, kinds or ())}")
        cls = kinds[kind]
    version = getattr(cls, _VERSION, None)
    if version is not None and (found := data.pop(_VERSION, None)) != version:
        raise UsageError(f"{where}: expected {_VERSION} {version}, found {found!r}")
    known, hints = _look_up(cls)
    _require_known(data, known, where, "field")
    values = _fill_missing(cls, data, kinds, where)
    values |= {n: decode(hints[n], v, kinds, _at(where, n)) for n, v in data.items()}
    return _construct(cls, values, where)


def _fill_missing(
    cls: Any, data: Mapping[str, Any], kinds: Kinds | None, where: str
) -> dict[str, Any]:
    """None for each field that was left out because it is None; one that must be there raises."""
    known, hints = _look_up(cls)
    values: dict[str, Any] = {}
    for name, field in known.items():
        has_default = field.default is not MISSING or field.default_factory is not MISSING
        if name in data or (has_default and kinds is not None):
            continue
        if kinds is None or not _optional(hints[name]):
            raise UsageError(f"{where}: expected the field '{name}', found none")
        values[name] = None
    return values


@cache
def _look_up(cls: Any) -> tuple[dict[str, Field[Any]], dict[str, Any]]:
    """The fields of a class that are given when one is made, and their types."""
    return {f.name: f for f in fields(cls) if f.init}, get_type_hints(cls)


def _construct(make: Any, values: dict[str, Any], where: str, cls: Any = None) -> Any:
    """A new config; a field that it refuses is named by its place, and not by its class."""
    try:
        return make(**values)
    except UsageError as error:
        text = str(error).removeprefix(f"{(cls or make).__name__}.")
        raise UsageError(_at(where, text) if text != str(error) else text) from None


def overlay(config: Any, data: Mapping[str, Any], kinds: Kinds, where: str = "") -> Any:
    """A copy of the config with the values of a nested dict (a TOML file) put over it.

    The fields of one config change together: two that must fit each other can both be given.
    """
    if isinstance(config, tuple):
        names = [getattr(v, "name", str(i)) for i, v in enumerate(config)]
        _require_known(data, names, where, "entry")
        hints, old = {n: type(v) for n, v in zip(names, config, strict=True)}, config
    elif is_dataclass(config):
        names = [f.name for f in fields(config) if f.init]
        _require_known(data, names, where, "field")
        hints, old = get_type_hints(type(config)), [getattr(config, n) for n in names]
    else:
        raise UsageError(f"{where}: a value, it has no field '{next(iter(data), '')}'")
    new = {
        n: _put_over(_plain(hints[n]), o, data[n], kinds, _at(where, n))
        for n, o in zip(names, old, strict=True)
        if n in data
    }
    if isinstance(config, tuple):
        return tuple(new.get(n, o) for n, o in zip(names, config, strict=True))
    return _construct(partial(replace, config), new, where, type(config))  # pyright: ignore


def _put_over(hint: Any, old: Any, value: Any, kinds: Kinds, where: str) -> Any:
    """What stands in a field after `value` is put over `old`.

    A table that says another kind is a new config; any other changes the one that is there.
    """
    if not isinstance(value, Mapping):
        if is_dataclass(hint) or is_dataclass(old):
            raise UsageError(f"{where}: a table, not a value; name one of its fields")
        return decode(hint, _parse(hint, value, where), kinds, where)
    kind = getattr(old, "kind", None)
    if value.get("kind", kind) != kind:
        return decode(hint, dict(value), kinds, where)
    return overlay(old, {k: v for k, v in value.items() if k != "kind"}, kinds, where)


def _require_known(data: Iterable[str], names: Collection[str], where: str, what: str) -> None:
    for name in data:
        if name not in names:
            raise UsageError(f"{_at(where, name)}: no such {what}; {nearest(name, names)}")


def to_toml(config: Any) -> str:
    """The encoded config as TOML text that `tomllib` reads back to the same dict."""
    return "\n".join(_toml_lines((), encode(config))).lstrip("\n") + "\n"


def _toml_lines(path: tuple[str, ...], data: dict[str, Any]) -> Iterator[str]:
    """A table's own values, then the tables in it: TOML wants them in this order."""
    if path:
        yield f"\n[{'.'.join(_key(p) for p in path)}]"
    tables = {name: value for name, value in data.items() if isinstance(value, dict)}
    plain = {name: value for name, value in data.items() if name not in tables}
    for name, value in plain.items():
        yield f"{_key(name)} = {_toml_value(value)}"
    for name, table in tables.items():
        yield from _toml_lines((*path, name), table)


def parse_toml(text: str, where: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise UsageError(f"{where}: expected TOML, found values nested too deeply") from None
    except ValueError as error:  # tomllib's own error, or an integer of thousands of digits
        raise UsageError(f"{where}: expected TOML, found: {error}") from None


def check(condition: bool, cls: str, name: str, value: Any, wanted: str) -> None:
    """For `__post_init__`: the message names class, field, value, and what would do."""
    if not condition:
        raise UsageError(f"{cls}.{name}: expected {wanted}, found {_show(value)}")


def _show(value: Any) -> str:
    """A value for a message; Python refuses to write an integer of thousands of digits."""
    try:
        return repr(value)
    except (ValueError, RecursionError):
        return f"{type(value).__name__} that is too long to show"


def _at(where: str, name: str) -> str:
    return f"{where}.{name}" if where else name


def _key(name: str) -> str:
    return name if re.fullmatch("[A-Za-z0-9_-]+", name) else _quote(name)


def _quote(text: str) -> str:
    """A TOML string: JSON's escapes do, but TOML wants the delete character escaped too."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _toml_value(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(_toml_value(v) for v in value)}]"
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if math.isnan(value) else ("inf" if value > 0 else "-inf")
    return _quote(value) if isinstance(value, str) else json.dumps(value)


def _optional(hint: Any) -> bool:
    return get_origin(hint) in (Union, types.UnionType) and type(None) in get_args(hint)


def _plain(hint: Any) -> Any:
    """`X` of `X | None`; anything else as it is."""
    if _optional(hint):
        rest = [a for a in get_args(hint) if a is not type(None)]
        return rest[0] if len(rest) == 1 else hint
    return hint


def _parse(hint: Any, value: Any, where: str) -> Any:
    """A command line's string as the JSON value that the field's type wants."""
    if not isinstance(value, str) or hint is str:
        return value
    if get_origin(hint) is tuple:
        return [_parse(get_args(hint)[0], v.strip(), where) for v in value.split(",") if v.strip()]
    try:
        if hint is bool:
            return _TRUTHS[value.lower()]
        return hint(value.replace("_", "")) if hint in (int, float) else value
    except (KeyError, ValueError):
        raise UsageError(f"{where}: expected {_word(hint)}, found '{value}'") from None


def _scalar(cls: Any, data: Any, where: str) -> Any:
    if cls is float and isinstance(data, int) and not isinstance(data, bool):
        try:
            return float(data)
        except OverflowError:
            raise UsageError(f"{where}: expected a number, found {_show(data)}") from None
    if isinstance(cls, type) and (
        not isinstance(data, cls) or (cls is int and isinstance(data, bool))
    ):
        raise UsageError(f"{where}: expected {_word(cls)}, found {_show(data)}")
    if isinstance(data, str) and _SURROGATE.search(data):
        raise UsageError(f"{where}: expected text, found bytes that are not UTF-8")
    return data


def _word(cls: type) -> str:
    words = {int: "a whole number", float: "a number", str: "text", bool: "true or false"}
    return words.get(cls, f"a table of {cls.__name__}")
