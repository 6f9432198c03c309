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
    if not isinstance(found, list) or not found or not all(isinstance(s, str) for s in found):
        raise Damaged(f"{path}: expected a list of symbols, found {_short(found)}")
    if len(set(found)) != len(found):
        raise Damaged(f"{path}: expected distinct symbols, found one twice")
    return found


def check_corpus(found: Any, path: Path) -> dict[str, Any]:
    """Counts and a hash."""
    if not isinstance(found, dict):
        raise Damaged(f"{path}: expected counts and a hash, found {_short(found)}")
    for name, value in found.items():
        sound = isinstance(value, str) if name == "sha256" else is_count(value)
        if not sound:
            raise Damaged(f"{path}: {name}: expected a count or a hash, found {_short(value)}")
    return found


def check_status(found: Any, path: Path) -> dict[str, Any]:
    state = found.get("state") if isinstance(found, dict) else None
    wanted = _FINISHED if state == "finished" else ("state",)
    if not isinstance(found, dict) or state not in _STATES or not set(wanted) <= found.keys():
        raise Damaged(f"{path}: expected {', '.join(sorted(wanted))}, found fewer fields; {_AGAIN}")
    if not is_number(found.get("seconds", 0)) or found.get("seconds", 0) < 0:
        raise Damaged(
            f"{path}: seconds: expected a number from 0, found {_short(found['seconds'])}"
        )
    if not isinstance(found.get("advice", ""), str):
        raise Damaged(f"{path}: advice: expected text, found {_short(found['advice'])}")
    results = found.get("results", {})
    if not isinstance(results, dict):
        raise Damaged(f"{path}: results: expected a table of scores, found {_short(results)}")
    for name, row in results.items():
        _check_score(row, f"{path}: results.{name}")
    return found


def _check_score(row: Any, where: str) -> None:
    """A table of values; the interval is two numbers, and n counts what the score rests on."""
    if not isinstance(row, dict):
        raise Damaged(f"{where}: expected a score, found {_short(row)}")
    if not is_count(row.get("n", 0)):
        raise Damaged(f"{where}.n: expected a whole number from 0, found {_short(row['n'])}")
    ends = row.get("interval", [0, 0])
    if not isinstance(ends, list) or len(ends) != 2 or not all(map(is_number, ends)):
        raise Damaged(f"{where}.interval: expected two numbers, found {_short(ends)}")
    first = next(iter(row.values()), None)
    if "interval" in row and not is_number(first):
        raise Damaged(f"{where}: expected a number first, found {_short(first)}")
    by_relation = row.get("by_relation", {})
    if not isinstance(by_relation, dict):
        raise Damaged(f"{where}.by_relation: expected a table, found {_short(by_relation)}")
    for name, inner in by_relation.items():
        _check_score(inner, f"{where}.by_relation.{name}")


def check_metrics(rows: list[Any], path: Path) -> list[dict[str, Any]]:
    """A step, seconds, and mean losses in every row; a loss without targets is null."""
    for number, row in enumerate(rows, 1):
        where = f"{path}:{number}"
        if not isinstance(row, dict) or not is_count(row.get("step")):
            raise Damaged(f"{where}: expected a row with its step, found {_short(row)}")
        if not is_number(row.get("seconds", 0)):
            raise Damaged(f"{where}: seconds: expected a number, found {_short(row['seconds'])}")
        tens = row.get("tens", [])
        losses = [row.get("loss"), *tens] if isinstance(tens, list) else ["none"]
        if not all(loss is None or is_number(loss) for loss in losses):
            raise Damaged(f"{where}: expected losses that are numbers, found others")
    return rows


def check_glances(rows: list[Any], path: Path) -> list[dict[str, Any]]:
    """A step, how many were asked, and the shares that were right, in every row."""
    for number, row in enumerate(rows, 1):
        counts = isinstance(row, dict) and all(is_count(row.get(k)) for k in ("step", "asked"))
        if not counts or not all(is_number(row.get(k)) for k in ("trained", "calibration")):
            raise Damaged(
                f"{path}:{number}: expected step, asked, trained and calibration, found "
                f"{_short(row)}"
            )
    return rows


def is_count(value: Any) -> bool:
    return type(value) is int and value >= 0


def is_number(value: Any) -> bool:
    return type(value) in (int, float)


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
