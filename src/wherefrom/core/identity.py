"""Whether two things are the same, field by field, and the first field in which they are not."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from wherefrom.core.errors import Mismatch

_ABSENT = object()


def require_same(where: object, found: Any, asked: Any, *, holder: str, advice: str) -> None:
    """Raise Mismatch naming the first field that differs, what `holder` has and what was asked.

    Both are what JSON can hold; nested fields are called by their dotted names.
    """
    theirs, ours = dict(_leaves(found)), dict(_leaves(asked))
    names = [*ours, *(name for name in theirs if name not in ours)]
    differing = [n for n in names if theirs.get(n, _ABSENT) != ours.get(n, _ABSENT)]
    if differing:
        first, *others = differing
        more = f" (differing too: {', '.join(others[:5])})" if others else ""
        raise Mismatch(
            f"{where}: {first}: {holder} has {_show(theirs, first)}, "
            f"asked for {_show(ours, first)}{more}; {advice}"
        )


def differences(asked: Any, usual: Any) -> dict[str, Any]:
    """The fields, by their dotted names, in which one thing is otherwise than another."""
    ours, theirs = dict(_leaves(asked)), dict(_leaves(usual))
    return {n: value for n, value in ours.items() if theirs.get(n, _ABSENT) != value}


def _leaves(value: Any, where: str = "") -> Iterator[tuple[str, Any]]:
    """Every value of nested tables and lists, under its dotted name."""
    if isinstance(value, list):
        value = dict(enumerate(value)) or value
    if not isinstance(value, dict) or not value:
        yield where or "identity", value
        return
    for name, inner in value.items():
        yield from _leaves(inner, f"{where}.{name}" if where else str(name))


def _show(leaves: Mapping[str, Any], name: str) -> str:
    text = json.dumps(leaves[name], ensure_ascii=False) if name in leaves else "no such field"
    return text if len(text) <= 80 else f"{text[:77]}..."
