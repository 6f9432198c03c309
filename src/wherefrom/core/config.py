"""Configs to and from plain tables, dotted names and TOML; findings to and from JSON.

A config is a frozen Struct. Where several classes may stand in one place (a data set, an objective,
a model), each has a tag, its `kind`, which is written beside its fields and finds the class again
on the way back. A tuple of configs that have a `name` is written as a table keyed by that name, so
`stages.pretrain.steps` means what it says.

Findings (what a run or an audit came to) are frozen dataclasses. `to_json` writes every field, None
as null; `from_json` reads them back and says which field is not what it must be.
"""

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any, TypeVar, get_args

import msgspec

from wherefrom.core.errors import BadData, UsageError, nearest

T = TypeVar("T")
_LARGEST, _DEEPEST = 2**18, 100  # of a TOML file: its characters, and the dots in one line


class Config(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A frozen value that checks itself in `__post_init__`."""


class TaggedConfig(Config, frozen=True, tag_field="kind"):
    """One of several classes that may stand in a place; its tag is its `kind`."""

    @property
    def kind(self) -> str:
        return str(self.__struct_config__.tag)


def encode(config: Config, *, whole: bool = False) -> dict[str, Any]:
    """A config as tables and lists of what TOML can hold; only `whole` ones have what is None."""
    return _write(msgspec.to_builtins(config), whole)


def _write(value: Any, whole: bool) -> Any:
    if isinstance(value, dict):
        return {n: _write(v, whole) for n, v in value.items() if whole or v is not None}
    if isinstance(value, tuple):
        if value and isinstance(value[0], dict):
            return {v.pop("name"): _write(v, whole) for v in value}
        return [_write(v, whole) for v in value]
    return value


def decode(cls: Any, data: Any, kinds: Mapping[str, type], where: str = "") -> Any:
    """The config of type `cls` that `encode` wrote as `data`; `kinds` has the class of each tag."""
    values = dict(require_table(data, where))
    for field in msgspec.structs.fields(cls):
        value, place = values.get(field.name), _at(where, field.name)
        item = next(iter(get_args(field.type)), None)  # of a tuple
        if field.type is Any and isinstance(value, dict):
            if (kind := str(value.get("kind"))) not in kinds:
                raise UsageError(f"{place}: unknown kind '{kind}'; {nearest(kind, kinds)}")
            values[field.name] = decode(kinds[kind], value, kinds, place)
        elif isinstance(field.type, type(Config)) and isinstance(value, dict):
            values[field.name] = decode(field.type, value, kinds, place)
        elif isinstance(item, type(Config)) and isinstance(value, dict):
            tables = {n: {"name": n} | require_table(v, _at(place, n)) for n, v in value.items()}
            values[field.name] = [decode(item, v, kinds, _at(place, n)) for n, v in tables.items()]
    try:  # strings from a command line become what a field wants
        return msgspec.convert(values, cls, strict=False)
    except (UsageError, UnicodeEncodeError, msgspec.ValidationError) as error:
        raise UsageError(_explain(error, where)) from None


def overlay(config: Any, data: Mapping[str, Any], kinds: Mapping[str, type]) -> Any:
    """A copy of the config with the values of a nested table (a TOML file) put over it."""
    return decode(type(config), _merge(encode(config, whole=True), data, ""), kinds)


def _merge(old: dict[str, Any], new: Mapping[str, Any], where: str) -> dict[str, Any]:
    """A table of another kind takes the place of the one that is there; others change it."""
    merged = dict(old)
    for name, value in new.items():
        place = _at(where, name)
        if name not in old:
            raise UsageError(f"{place}: no such field; {nearest(name, old)}")
        before = old[name]
        if isinstance(before, dict):
            kind = before.get("kind")
            if require_table(value, place).get("kind", kind) == kind:
                value = _merge(before, value, place)
        elif isinstance(before, list) and isinstance(value, str):
            value = [each.strip() for each in value.split(",") if each.strip()]
        merged[name] = value
    return merged


def require_table(value: Any, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise UsageError(f"{where}: expected a table, found {_show(value)}".lstrip(": "))
    return value


def to_json(record: Any) -> Any:
    """A finding as JSON holds it: every field by its name, also those that are None.

    A class whose written form is not its fields (a Score, a Prediction) has an `as_json` of its
    own; an error is its one line. What is neither a dataclass nor a collection must be what JSON
    can hold.
    """
    if hasattr(record, "as_json"):
        return record.as_json()
    if is_dataclass(record):
        return {f.name: to_json(getattr(record, f.name)) for f in fields(record)}
    if isinstance(record, Mapping):
        return {str(name): to_json(value) for name, value in record.items()}
    if isinstance(record, frozenset | set):
        return sorted(record)
    if isinstance(record, tuple | list):
        return [to_json(value) for value in record]
    return str(record) if isinstance(record, BaseException) else record


def from_json(cls: type[T], data: Any, where: str) -> T:
    """The finding of type `cls` that `to_json` wrote; BadData names what is wrong with it."""
    try:
        return msgspec.convert(data, cls, dec_hook=_read)
    except (UsageError, msgspec.ValidationError) as error:
        raise BadData(_explain(error, where)) from None


def _read(cls: Any, data: Any) -> Any:
    return cls(str(data)) if issubclass(cls, BaseException) else cls.from_json(data)


def _explain(error: Exception, where: str) -> str:
    """msgspec's message, or that of a config, with the path at its beginning."""
    text, _, path = str(error).partition(" - at `$")
    if (field := re.sub(r"^[A-Z]\w*\.", "", text)) != text:  # a config names its class
        return _at(where, field)
    return f"{where}{path[:-1]}: {text}".lstrip(".: ")


def to_toml(config: Config) -> str:
    """The encoded config as TOML text that `tomllib` reads back to the same dict."""
    return "\n".join(_toml_lines("", encode(config))).lstrip("\n") + "\n"


def _toml_lines(place: str, table: dict[str, Any]) -> Iterator[str]:
    """A table's own values, then the tables in it: TOML wants them in this order."""
    inner = {name: value for name, value in table.items() if isinstance(value, dict)}
    yield from (f"{_key(n)} = {_quote(v)}" for n, v in table.items() if n not in inner)
    for name, value in inner.items():
        yield f"\n[{place}{_key(name)}]"
        yield from _toml_lines(f"{place}{_key(name)}.", value)


def _key(name: str) -> str:
    return name if re.fullmatch("[A-Za-z0-9_-]+", name) else _quote(name)


def _quote(value: Any) -> str:
    """A value in TOML: as in JSON, but TOML wants the delete character escaped too."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def parse_toml(text: str, where: str) -> dict[str, Any]:
    """The tables of a TOML file; long dotted keys would take tomllib gigabytes."""
    try:
        if len(text) > _LARGEST or any(line.count(".") > _DEEPEST for line in text.split("\n")):
            raise ValueError(f"over {_LARGEST:,} characters, or over {_DEEPEST} dots in a line")
        return tomllib.loads(text)
    except (RecursionError, ValueError) as error:  # also an integer of thousands of digits
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
