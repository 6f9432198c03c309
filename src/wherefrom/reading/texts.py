"""The documents of a user's text: lines, paragraphs or files, or rows of JSON lines.

A document is one line of text in what follows: where a paragraph, a file or a row of JSON has
several lines, a space takes the place of each line break. Markup is taken out (`markup.py`).
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wherefrom.core.errors import BadData
from wherefrom.core.progress import tell
from wherefrom.reading.markup import clean
from wherefrom.reading.tables import read_lines, refuse_nul, refuse_rows

LAYOUTS = ("lines", "paragraphs", "files")
_JSON = (".jsonl", ".ndjson", ".json")
_TXT = (".txt", ".txt.gz")
_BREAK = re.compile(r"\s*\n\s*")


@dataclass(frozen=True)
class Texts:
    """The documents' texts, none of them empty; their ids, if they have any; and the empty ones.

    An id is the `id` of a row of JSON lines, or a file's path within its folder.
    """

    texts: list[str]
    ids: list[str]  # one for each text, or none at all
    empty: int
    marked: int = 0  # texts that had markup


def read_texts(path: Path, layout: str = "lines") -> Texts:
    """The documents of a file or a folder, without markup; `layout` says what a document is."""
    found = _read(path, layout)
    cleaned, marked = clean(found.texts)
    return Texts(cleaned, found.ids, found.empty, marked)


def _read(path: Path, layout: str) -> Texts:
    if path.is_dir():
        return _read_folder(path, layout)
    if layout == "files":
        raise BadData(
            f"{path}: expected a folder of .txt files, one document each, found a file; name the "
            "folder, or leave '--documents files' out"
        )
    if is_json(path):
        return _read_json(path)
    lines = read_lines(path, gaps=True)
    if layout == "paragraphs":
        return Texts(list(_paragraphs(lines)), [], 0)
    kept = [line for line in lines if line.strip()]
    return Texts(kept, [], len(lines) - len(kept))


def is_json(path: Path) -> bool:
    """Whether a file's name says that it has JSON lines."""
    return path.name.casefold().removesuffix(".gz").endswith(_JSON)


def join_lines(text: str) -> str:
    """A text of several lines as one line."""
    text = text.strip()
    return _BREAK.sub(" ", text) if "\n" in text else text


def read_json_rows(path: Path, wanted: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """The number and the fields of each row; `wanted` shows a row in the error for bad ones.

    Numbers come as they are written, as text: an id or a year is not a quantity here.
    """
    bad: list[tuple[int, str]] = []
    for number, line in enumerate(read_lines(path, gaps=True), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line, parse_int=str, parse_float=str)
            if "\\u" in line:  # half of a pair of surrogates is no character
                json.dumps(row, ensure_ascii=False).encode()
        except (ValueError, RecursionError):
            bad.append((number, "no JSON"))
            continue
        if isinstance(row, dict):
            yield number, row
        else:
            bad.append((number, f"a {type(row).__name__}"))
    refuse_rows(path, bad, f"a JSON object such as {wanted}", "write one object on each line")


def _read_folder(path: Path, layout: str) -> Texts:
    if layout == "lines":
        raise BadData(
            f"{path}: expected a file with one document per line, found a folder; "
            "'--documents files' reads each .txt file in it as a document, "
            "'--documents paragraphs' each paragraph"
        )
    files = sorted(f for f in path.rglob("*") if f.name.casefold().endswith(_TXT) and f.is_file())
    if not files:
        raise BadData(f"{path}: expected a folder of .txt files, found none in it")
    texts, ids, empty = list[str](), list[str](), 0
    for number, file in enumerate(files):
        found = _file_texts(file, layout)
        texts += found
        ids += [file.relative_to(path).as_posix()] * len(found)
        empty += not found
        tell(f"reading {path.name}", number + 1, len(files))
    if not texts:
        raise BadData(f"{path}: expected text in its .txt files, found {len(files)} empty files")
    return Texts(texts, ids, empty)


def _file_texts(file: Path, layout: str) -> list[str]:
    if not file.stat().st_size:
        return []
    lines = read_lines(file, gaps=True)
    return list(_paragraphs(lines)) if layout == "paragraphs" else [join_lines("\n".join(lines))]


def _paragraphs(lines: list[str]) -> Iterator[str]:
    """Lines that stand together, joined; one or more blank lines part them."""
    together: list[str] = []
    for line in (*lines, ""):
        if line.strip():
            together.append(line.strip())
        elif together:
            yield " ".join(together)
            together.clear()


def _read_json(path: Path) -> Texts:
    texts, ids, numbers = list[str](), list[str](), list[int]()
    bad: list[tuple[int, str]] = []
    empty = 0
    for number, row in read_json_rows(path, '{"id": "1", "text": "..."}'):
        text, name = row.get("text"), row.get("id", "")
        if not isinstance(text, str):
            bad.append((number, "no 'text'" if text is None else "a 'text' that is not text"))
        elif not isinstance(name, str | None):
            bad.append((number, "an 'id' that is neither text nor a number"))
        elif not text.strip():
            empty += 1
        else:
            texts.append(join_lines(text))
            ids.append(name or "")
            numbers.append(number)
    refuse_rows(path, bad, 'the fields "text" and, if you like, "id"', "mend the row")
    refuse_nul(path, texts, numbers)
    if not texts:
        raise BadData(f"{path}: expected rows with a text, found none; name another file")
    return Texts(texts, ids if any(ids) else [], empty)
