"""What the JSON files of a run folder must look like; anything else is damage, by name.

A listed file is what was written, but a folder that somebody else made reaches this code too.
"""

from pathlib import Path
from typing import Any

from wherefrom.core.errors import Damaged

_FINISHED = ("state", "seconds", "results")
_STATES = ("new", "unfinished", "finished")
_AGAIN = "delete it, and the same 'wherefrom run' writes it again"


def check_symbols(found: Any, path: Path) -> list[str]:
    """A list of distinct texts."""
    listed = isinstance(found, list) and bool(found) and all(isinstance(s, str) for s in found)
    _require(listed, path, "a list of symbols", found)
    if len(set(found)) != len(found):
        raise Damaged(f"{path}: expected distinct symbols, found one twice")
    return found


def check_corpus(found: Any, path: Path) -> dict[str, Any]:
    """Counts and a hash."""
    _require(isinstance(found, dict), path, "counts and a hash", found)
    for name, value in found.items():
        sound = isinstance(value, str) if name == "sha256" else is_count(value)
        _require(sound, f"{path}: {name}", "a count or a hash", value)
    return found


def check_status(found: Any, path: Path) -> dict[str, Any]:
    state = found.get("state") if isinstance(found, dict) else None
    wanted = _FINISHED if state == "finished" else ("state",)
    if not isinstance(found, dict) or state not in _STATES or not set(wanted) <= found.keys():
        raise Damaged(f"{path}: expected {', '.join(sorted(wanted))}, found fewer fields; {_AGAIN}")
    seconds, advice = found.get("seconds", 0), found.get("advice", "")
    spent = is_number(seconds) and not seconds < 0
    _require(spent, f"{path}: seconds", "a number from 0", seconds)
    _require(isinstance(advice, str), f"{path}: advice", "text", advice)
    results = found.get("results", {})
    _require(isinstance(results, dict), f"{path}: results", "a table of scores", results)
    for name, row in results.items():
        _check_score(row, f"{path}: results.{name}")
    return found


def _check_score(row: Any, where: str) -> None:
    """A table of values; the interval is two numbers, and n counts what the score rests on."""
    _require(isinstance(row, dict), where, "a score", row)
    n, ends = row.get("n", 0), row.get("interval", [0, 0])
    _require(is_count(n), f"{where}.n", "a whole number from 0", n)
    two = isinstance(ends, list) and len(ends) == 2 and all(map(is_number, ends))
    _require(two, f"{where}.interval", "two numbers", ends)
    first = next(iter(row.values()), None)
    _require("interval" not in row or is_number(first), where, "a number first", first)
    by_relation = row.get("by_relation", {})
    _require(isinstance(by_relation, dict), f"{where}.by_relation", "a table", by_relation)
    for name, inner in by_relation.items():
        _check_score(inner, f"{where}.by_relation.{name}")


def check_metrics(rows: list[Any], path: Path) -> list[dict[str, Any]]:
    """A step, seconds, and mean losses in every row; a loss without targets is null."""
    for number, row in enumerate(rows, 1):
        where = f"{path}:{number}"
        counted = isinstance(row, dict) and is_count(row.get("step"))
        _require(counted, where, "a row with its step", row)
        seconds = row.get("seconds", 0)
        _require(is_number(seconds), f"{where}: seconds", "a number", seconds)
        tens = row.get("tens", [])
        losses = [row.get("loss"), *tens] if isinstance(tens, list) else ["none"]
        if not all(loss is None or is_number(loss) for loss in losses):
            raise Damaged(f"{where}: the loss is not a number")
    return rows


def check_glances(rows: list[Any], path: Path) -> list[dict[str, Any]]:
    """A step, how many were asked, and the shares that were right, in every row."""
    for number, row in enumerate(rows, 1):
        counts = isinstance(row, dict) and all(is_count(row.get(k)) for k in ("step", "asked"))
        sound = counts and all(is_number(row.get(k)) for k in ("trained", "calibration"))
        _require(sound, f"{path}:{number}", "step, asked, trained and calibration", row)
    return rows


def is_count(value: Any) -> bool:
    return type(value) is int and value >= 0


def is_number(value: Any) -> bool:
    return type(value) in (int, float)


def _require(sound: bool, where: Path | str, wanted: str, found: Any) -> None:
    if not sound:
        raise Damaged(f"{where}: expected {wanted}, found {_short(found)}")


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
