"""Rows that are added to a file while a model trains.

The rows are in memory too, and every checkpoint keeps them: a run that is continued writes the file
anew with the rows of its checkpoint, whatever a kill left in it. When the stage is done, the file
is written once more and listed in the run's manifest.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from wherefrom.core.files import cannot_write, format_jsonl, write_text
from wherefrom.core.inside import open_to_append
from wherefrom.core.manifests import Entry


class RowLog:
    """Rows of JSON, one a line. Nothing is written before `resume` was called."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.rows: list[Any] = []

    def resume(self, rows: Sequence[Any]) -> None:
        """Begin with the rows of a checkpoint: later ones are made again."""
        self.rows = list(rows)
        there = os.path.lexists(self.path)
        if self.rows or there:
            entry = Entry.of([self.text.encode()])
            if not (there and entry.holds(self.path)):
                write_text(self.path, self.text)

    @property
    def text(self) -> str:
        return format_jsonl(self.rows)

    def append(self, rows: Iterable[Mapping[str, Any]]) -> None:
        added = list(rows)
        with cannot_write(self.path):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with os.fdopen(open_to_append(self.path), "ab") as file:
                file.write(format_jsonl(added).encode())
        self.rows += added
