"""An inverted index over the training text, in one SQLite file in the run folder.

A document is found by its subject, which is an ordinary column, or by any words in it, through
their trigrams (FTS5). The trigrams are stored without positions, which halves the file: they say
which documents may match, and those documents are then read. Names are data: no name is ever part
of an SQL statement, and inside a full-text query every trigram is a quoted string.
"""

import re
import sqlite3
import unicodedata
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any

from wherefrom.core.artifact import publish_folder, verify_folder
from wherefrom.core.contracts import Document, Passage, Span
from wherefrom.core.errors import Damaged, Mismatch
from wherefrom.core.files import one_line
from wherefrom.core.made_sequence import in_batches
from wherefrom.core.progress import tell
from wherefrom.reading.mentions import Mentions
from wherefrom.reading.names import person

FILE = "text.sqlite"
FORMAT = 4
MAX_FOUND = 100  # documents: words that occur in many more are probably not a name
_TRIGRAM = 3
_SHORT = 4  # letters: names this short stand inside many words, so their edges are matched, too
_BATCH = 2000  # documents that are added at once
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_TABLES = """
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
CREATE TABLE about (letters TEXT);
CREATE TABLE document (
    number INTEGER PRIMARY KEY, subject TEXT, first INTEGER, last INTEGER, text TEXT
);
CREATE TABLE passage (number INTEGER, subject TEXT, first INTEGER, last INTEGER);
CREATE VIRTUAL TABLE gram USING fts5 (
    folded, content = '', columnsize = 0, detail = none, tokenize = 'trigram case_sensitive 1'
);
"""


class Index:
    """The documents of a corpus, looked up by their numbers, subjects and words.

    `question_subjects` are the subjects of the data set's questions. Only `about` uses them.
    """

    def __init__(
        self,
        database: sqlite3.Connection,
        path: Path,
        letters: str,
        question_subjects: Iterable[str] = (),
    ) -> None:
        self._database, self.path = database, path
        self._letters = letters  # every character of the text
        self._marks = [c for c in letters if not c.isalnum()]
        self._asked_about = question_subjects

    @cached_property
    def _question_subjects(self) -> frozenset[str]:
        """Folded; few lookups need them, and there may be a million."""
        return frozenset(map(fold, self._asked_about))

    @classmethod
    def build(
        cls,
        path: Path,
        documents: Sequence[Document],
        digest: str,
        question_subjects: Iterable[str] = (),
        passages: Iterable[Passage] = (),
    ) -> "Index":
        """Publish a folder with the database in it, and open it."""
        with publish_folder(path, {"text": digest, "format": FORMAT}) as folder:
            try:
                with closing(sqlite3.connect(folder / FILE)) as database:
                    _fill(database, documents, passages)
            except sqlite3.Error as error:  # SQLite does not report a full disk as an OSError
                raise OSError(None, one_line(error)) from error
        return cls.open(path, digest, question_subjects)

    @classmethod
    def in_memory(
        cls,
        path: Path,
        documents: Sequence[Document],
        question_subjects: Iterable[str] = (),
        passages: Iterable[Passage] = (),
    ) -> "Index":
        """The same without a file, for a `path` that cannot be written."""
        database = sqlite3.connect(":memory:", check_same_thread=False)
        _fill(database, documents, passages)
        (letters,) = database.execute("SELECT letters FROM about").fetchone()
        return cls(database, path, letters, question_subjects)

    @classmethod
    def open(cls, path: Path, digest: str, question_subjects: Iterable[str] = ()) -> "Index":
        """The index in a folder; Mismatch unless it was built from the text with this hash."""
        found = verify_folder(path)
        if (found.get("text"), found.get("format")) != (digest, FORMAT):
            raise Mismatch(
                f"{path}: expected an index of the text with hash {digest[:12]}, found "
                f"{str(found.get('text'))[:12]}; delete it, and it is built again"
            )
        # Nothing but the file itself is read: no journal that lies beside it.
        address = f"{(path / FILE).absolute().as_uri()}?mode=ro&immutable=1"
        try:
            database = sqlite3.connect(address, uri=True, check_same_thread=False)
            database.execute("PRAGMA trusted_schema = OFF")
            ((letters,),) = database.execute("SELECT letters FROM about").fetchall()
        except (sqlite3.Error, ValueError) as error:
            raise _damaged(path, error) from error
        return cls(database, path, letters, question_subjects)

    def close(self) -> None:
        self._database.close()

    def __len__(self) -> int:
        return self._rows("SELECT count(*) FROM document")[0][0]

    def document(self, number: int) -> Document:
        rows = self._rows("SELECT text, first, last FROM document WHERE number = ?", number)
        if not rows:
            raise IndexError(number)
        return _document(*rows[0])

    def about(self, subject: str) -> tuple[int, ...]:
        """The documents with passages about this subject, or the documents with this subject.

        If there are neither, the first documents that mention it.

        A document with another subject counts only if a question of the data set is about the
        name: a line about Lisa Kindred, who played with Bob Dylan, does not say where Bob Dylan
        was born. A mention inside the name of the document's own subject never counts: a line
        about Mary Ann Lee is not about Ann Lee.
        """
        return tuple(dict.fromkeys(passage.document for passage in self.passages(subject)))

    def passages(self, subject: str) -> tuple[Passage, ...]:
        """The parts of documents about a subject: whole documents where nothing divides them."""
        name = fold(subject)
        if not name:
            return ()
        query = "SELECT number, first, last FROM passage WHERE subject = ? ORDER BY number, first"
        if parts := self._rows(query, name):
            return tuple(Passage(number, subject, *ends) for number, *ends in parts)
        query = "SELECT number, length(text) FROM document WHERE subject = ? ORDER BY number"
        rows = self._rows(query, name) or self._naming(name)
        return tuple(Passage(number, subject, 0, length) for number, length in rows)

    def _naming(self, name: str) -> list[tuple[int, int]]:
        """The first documents that mention a name outside of their own subject's name.

        Their numbers and lengths.
        """
        ownerless = name not in self._question_subjects
        candidates = self._candidates(name, whole=name.isascii(), without_subject=ownerless)
        found: list[tuple[int, int]] = []
        while len(found) < MAX_FOUND and (some := list(islice(candidates, MAX_FOUND))):
            # A line break replaces the subject, so that no name can match across it.
            others = [fold(d.text).replace(fold(d.name) or "\n", "\n") for _, d in some]
            chosen = [some[i] for i in Mentions(others, [name]).of(name)]
            found += [(number, len(document.text)) for number, document in chosen]
        return found[:MAX_FOUND]

    def _candidates(
        self, wanted: str, whole: bool, without_subject: bool = False
    ) -> Iterator[tuple[int, Document]]:
        """Documents that may contain this folded text, in order: a superset of those that do.

        `whole`: only as whole words. `without_subject`: only documents that have no subject.
        """
        if not set(wanted) <= set(self._letters) or not wanted:
            return
        columns = "SELECT number, text, first, last FROM"
        every = f"{columns} document WHERE ? = ''"
        matching = f"{columns} gram JOIN document ON number = gram.rowid WHERE gram MATCH ?"
        query = self._query(wanted, whole)
        ownerless = " AND subject IS NULL" if without_subject else ""
        statement = f"{matching if query else every}{ownerless} ORDER BY number"
        with self._sound():
            for number, *rest in self._database.execute(statement, (query,)):
                yield number, _document(*rest)

    def _query(self, wanted: str, whole: bool) -> str:
        """A full-text query for trigrams that every match has; "" matches all documents.

        The query has the text's own trigrams. For a short word it also has the trigrams at the
        edges: a mark before the word, and a mark after it. Two letters are too short for a
        trigram, so every character that may follow is tried. A single letter is only found as a
        word, between a space and a mark.
        """
        n = len(wanted)
        starts = {*range(0, n - _TRIGRAM + 1, _TRIGRAM), max(n - _TRIGRAM, 0)}
        parts = [[wanted[i : i + _TRIGRAM]] for i in sorted(starts)] if n >= _TRIGRAM else []
        if n == 1:
            parts = [[f" {wanted}{mark}" for mark in self._marks]] if whole else []
        elif whole and n <= _SHORT:
            parts.append([mark + wanted[:2] for mark in self._marks])
            parts.append([wanted[-2:] + mark for mark in self._marks])
        elif n == 2:
            parts = [[wanted + letter for letter in self._letters]]
        return " AND ".join(f"({' OR '.join(map(_quote, part))})" for part in parts)

    def _rows(self, statement: str, *values: Any) -> list[Any]:
        with self._sound():
            return self._database.execute(statement, values).fetchall()

    @contextmanager
    def _sound(self) -> Generator[None]:
        """Turn an error of the file into one line that says what to do about it."""
        try:
            yield
        except sqlite3.DatabaseError as error:
            if type(error) is not sqlite3.DatabaseError:
                raise  # the statement is at fault, not the file
            raise _damaged(self.path, error) from error


def fold(text: str) -> str:
    """A text normalised for comparison: case-folded, composed (NFC), with single spaces.

    Percent-encoding is undone, and control characters count as spaces.
    """
    text = person(text)
    if not text.isprintable():
        text = _CONTROL.sub(" ", text).encode("utf-8", "replace").decode()
    if text.isascii():  # the same result, faster, and most text is ASCII
        return " ".join(text.lower().split())
    # Case folding may take composed letters apart, so they are composed again after it.
    text = unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())
    return " ".join(text.split())


def _fill(
    database: sqlite3.Connection,
    documents: Sequence[Document],
    passages: Iterable[Passage],
) -> None:
    database.executescript(_TABLES)
    letters: set[str] = {" "}
    done = 0
    for some in in_batches(documents, _BATCH):
        tell("indexing the text", done, len(documents))
        rows, grams = list[Any](), list[Any]()
        for number, document in enumerate(some, done):
            span, folded = document.subject, fold(document.text)
            where = (span.start, span.end) if span else (None, None)
            rows.append((number, fold(document.name) or None, *where, document.text))
            # With a space at both ends, the first and last words have edges like any other.
            grams.append((number, f" {folded} "))
            letters.update(folded)
        database.executemany("INSERT INTO document VALUES (?, ?, ?, ?, ?)", rows)
        database.executemany("INSERT INTO gram (rowid, folded) VALUES (?, ?)", grams)
        done += len(some)
    tell("indexing the text", done, len(documents))
    database.execute("INSERT INTO gram (gram) VALUES ('optimize')")
    rows = ((p.document, fold(p.subject), p.start, p.end) for p in passages)
    database.executemany("INSERT INTO passage VALUES (?, ?, ?, ?)", rows)
    database.execute("CREATE INDEX by_subject ON document (subject)")
    database.execute("CREATE INDEX by_topic ON passage (subject)")
    database.execute("INSERT INTO about VALUES (?)", ("".join(sorted(letters)),))
    database.commit()


def _document(text: str, first: int | None, last: int | None) -> Document:
    return Document(text, None if first is None or last is None else Span(first, last))


def _damaged(path: Path, error: Exception) -> Damaged:
    found = f"{path}: expected a sound index, found: {one_line(error)}"
    return Damaged(f"{found}; delete it, and it is built again")


def _quote(gram: str) -> str:
    return '"' + gram.replace('"', '""') + '"'
