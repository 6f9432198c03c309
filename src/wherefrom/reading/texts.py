"""The documents of a user's text: lines, paragraphs or files, or rows of JSON lines.

A document is one line of text in what follows. Where a paragraph, a file or a row of JSON has
several lines, a space takes the place of a line break, and a full stop too where the break was
meant: behind a title, or between the entries of a list. Markup is taken out (`markup.py`).
"""

import json
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path, PurePath
from typing import Any

from wherefrom.core.errors import BadData
from wherefrom.core.progress import tell
from wherefrom.reading.markup import clean
from wherefrom.reading.mentions import letters_of
from wherefrom.reading.pages import read_page, strip_markdown
from wherefrom.reading.table_files import read_lines, refuse_nul, refuse_rows, split_lines

LAYOUTS = ("lines", "paragraphs", "files")
_JSON = (".jsonl", ".ndjson", ".json")
_HTML = (".html", ".htm")
_MARKDOWN = (".md", ".markdown")
_FILES = (".txt", *_MARKDOWN, *_HTML)
_TINY = 64  # bytes of a file that may hold nothing but spaces and line ends
_HEAD = 300  # characters of a text in which its title may stand
_UNDERSCORES = re.compile(r"[_\s]+")
_BREAK = re.compile(r"\s*\n\s*")
_UNCLOSED = re.compile(r"[\w)\]\"'”’»]$")  # a line that ends so has no closing mark


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


def add_titles(texts: Texts, asked: Collection[str]) -> Texts:
    """The texts with their ids before them, if most asked subjects are such: names of files.

    "He was born in Oslo." in "Ada Lund.txt" names nobody. A text whose head has that name stays as
    it is.
    """
    titles = [
        _UNDERSCORES.sub(" ", PurePath(name).name.split(".")[0]).strip() for name in texts.ids
    ]
    letters = [*map(letters_of, titles)]
    named = {*letters}
    if not titles or 2 * sum(letters_of(subject) in named for subject in asked) < len(asked):
        return texts
    titled = [
        text if not own or _has(letters_of(text[:_HEAD]), own) else f"{title}. {text}"
        for text, title, own in zip(texts.texts, titles, letters, strict=True)
    ]
    return replace(texts, texts=titled)


def _has(words: Sequence[str], name: Sequence[str]) -> bool:
    """Whether words that follow each other are those of a name."""
    return any(words[i : i + len(name)] == name for i in range(len(words)))


def _read(path: Path, layout: str) -> Texts:
    if path.is_dir():
        return _read_folder(path, layout)
    if layout == "files":
        raise BadData(
            f"{path}: expected a folder of text files, one document each, found a file; name the "
            "folder, or leave '--documents files' out"
        )
    if is_json(path):
        return _read_json(path)
    lines = _read_lines(path)
    if layout == "paragraphs":
        return Texts(list(_paragraphs(lines)), [], 0)
    kept = [line for line in lines if line.strip()]
    return Texts(kept, [], len(lines) - len(kept))


def name_document(path: Path, layout: str) -> str:
    """The word for a document of a text: a line, a paragraph, a file."""
    if path.is_dir() and layout == "lines":
        return "file"
    return "document" if is_json(path) else layout.removesuffix("s")


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


def read_every_line(folder: Path) -> Texts:
    """The lines of all files of a folder as documents, as if they were one file."""
    lines = [line for file in _find_files(folder) for line in _read_lines(file) if line.strip()]
    cleaned, marked = clean(lines)
    return Texts(cleaned, [], 0, marked)


def _find_files(path: Path) -> list[Path]:
    files = sorted(f for f in path.rglob("*") if _is_text(f.relative_to(path)) and f.is_file())
    if not files:
        raise BadData(
            f"{path}: expected a folder of {', '.join(_FILES)} files, found none in it; name "
            "another folder, or a file"
        )
    return files


def _read_folder(path: Path, layout: str) -> Texts:
    files = _find_files(path)
    texts, ids, empty = list[str](), list[str](), 0
    for number, file in enumerate(files):
        found = _file_texts(file, layout)
        texts += found
        ids += [file.relative_to(path).as_posix()] * len(found)
        empty += not found
        tell(f"reading {path.name}", number + 1, len(files))
    if not texts:
        raise BadData(
            f"{path}: expected text in its files, found {len(files)} empty files; name "
            "another folder"
        )
    return Texts(texts, ids, empty)


def _file_texts(file: Path, layout: str) -> list[str]:
    if file.stat().st_size < _TINY and not any(map(str.strip, split_lines(file))):
        return []
    paragraphs = list(_paragraphs(_read_lines(file)))
    return paragraphs if layout == "paragraphs" or not paragraphs else [_join(paragraphs)]


def _is_text(path: Path) -> bool:
    """Whether a file of a folder is one of its texts; what is hidden is a program's own."""
    hidden = any(part.startswith(".") for part in path.parts)
    return not hidden and path.name.casefold().removesuffix(".gz").endswith(_FILES)


def _read_lines(path: Path) -> list[str]:
    """The lines of a text, without what lays out a page or a Markdown file."""
    name, lines = path.name.casefold().removesuffix(".gz"), read_lines(path, gaps=True)
    if name.endswith(_HTML):
        return read_page("\n".join(lines)).split("\n")
    return list(strip_markdown(lines)) if name.endswith(_MARKDOWN) else lines


def _paragraphs(lines: Iterable[str]) -> Iterator[str]:
    """Lines that stand together, joined; one or more blank lines part them."""
    together: list[str] = []
    for line in (*lines, ""):
        if line.strip():
            together.append(line.strip())
        elif together:
            yield _join(together, max(map(len, together)))
            together.clear()


def _join(lines: Sequence[str], width: int | None = None) -> str:
    """Lines as one; a line before a break that was meant is closed with a full stop.

    In a text of this width, a break was meant where the next word would still have fitted: no line
    is broken there for its length. Without a width, every break was meant.
    """
    parts: list[str] = []
    for line, following in pairwise(lines):
        word = following.partition(" ")[0]
        meant = width is None or len(line) + 1 + len(word) <= width
        closes = meant and _UNCLOSED.search(line) and not word[:1].islower()
        parts.append(f"{line}." if closes else line)
    return " ".join((*parts, lines[-1]))


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
            texts.append(_join(list(_paragraphs(text.split("\n")))))
            ids.append(name or "")
            numbers.append(number)
    refuse_rows(path, bad, 'the fields "text" and, if you like, "id"', "mend the row")
    refuse_nul(path, texts, numbers)
    if not texts:
        raise BadData(f"{path}: expected rows with a text, found none; name another file")
    return Texts(texts, ids if any(ids) else [], empty)
