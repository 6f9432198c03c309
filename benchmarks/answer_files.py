"""The answers that claims rest on, many runs in one compressed file: docs/results/*.jsonl.gz.

A row is a line of audit/answers.jsonl without quotes and further candidates, with the name of its
run; a line of audit/decoys.jsonl; or a line of audit/unanswered.jsonl. Numbers keep seven digits.
"""

import gzip
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import program  # noqa: F401  (the package beside it)

from wherefrom.core.errors import BadData
from wherefrom.core.files import read_jsonl

DIGITS = 7


def take_answers(runs: Sequence[Path], file: Path) -> None:
    """The answers of audited runs."""
    write_rows(file, (slim(row, run.name) for run in runs for row in _read(run, "answers")))


def take_unanswered(run: Path, file: Path) -> None:
    """The replies to questions whose right answers are not known here."""
    write_rows(file, (slim(row, run.name) for row in _read(run, "unanswered")))


def take_decoys(runs: Sequence[Path], file: Path) -> None:
    """The decoys of audited runs."""
    write_rows(file, ({"run": run.name, **row} for run in runs for row in _read(run, "decoys")))


def _read(run: Path, name: str) -> list[Any]:
    return read_jsonl(run / "audit" / f"{name}.jsonl")


def slim(row: Mapping[str, Any], run: str) -> dict[str, Any]:
    """A row without what no figure needs."""
    reply = row["reply"]
    best = reply["candidates"][0] if reply["candidates"] else {"model_probability": 0.0}
    found = {
        "run": run,
        "subject": reply["subject"],
        "relation": reply["relation"],
        "answer": reply["answer"],
        "model_probability": best["model_probability"],
        "confidence": reply["confidence"],
        "name_known": reply["name_known"],
        "answered": reply["answered"],
        "evidence": reply["evidence"] and reply["evidence"]["label"],
        "source": reply["source"] and reply["source"]["label"],
        "recalled": reply["source"] and reply["source"]["probability_recalled"],
    }
    more = ("gold", "right", "split", "support", "features", "m", "answered_at_bound")
    return found | {name: row[name] for name in more if name in row}


def write_rows(file: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Compressed without a date, so that equal rows make equal files."""
    text = "".join(json.dumps(_rounded(row), ensure_ascii=False) + "\n" for row in rows)
    file.write_bytes(gzip.compress(text.encode(), 9, mtime=0))


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}")
    if isinstance(value, Mapping):
        return {name: _rounded(part) for name, part in value.items()}
    return [_rounded(part) for part in value] if isinstance(value, list) else value


def read_rows(file: Path) -> list[dict[str, Any]]:
    """The rows of a file, compressed or not."""
    if file.suffix != ".gz":
        return read_jsonl(file)
    try:
        text = gzip.decompress(file.read_bytes()).decode()
        return [json.loads(line) for line in text.splitlines()]
    except (OSError, EOFError, ValueError) as error:
        raise BadData(f"{file}: expected compressed lines of JSON, found: {error}") from None


def by_run(rows: Iterable[Mapping[str, Any]]) -> dict[str, list[Mapping[str, Any]]]:
    found: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        found.setdefault(row.get("run", ""), []).append(row)
    return found
