"""The fact checker of a run: fitted once, then stored in the run's folder evidence/.

Any process may fit it, so it has a manifest of its own and is not in the run's.
"""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from wherefrom.core.artifact import publish_folder, verify_folder
from wherefrom.core.config import from_json, to_json
from wherefrom.core.errors import BadData, CannotWrite, Damaged, Mismatch, MissingInput
from wherefrom.core.files import read_json, write_json
from wherefrom.evidence.extractor import RelationExtractor
from wherefrom.evidence.index import index_run
from wherefrom.evidence.verdict import FactChecker
from wherefrom.runs.descriptions import describe
from wherefrom.runs.layout import EVIDENCE
from wherefrom.runs.run import Run

FILE = "extractors.json"


@dataclass(frozen=True)
class FittedExtractors:
    """The extractor of each relation, and the hash of the data that they were fitted on."""

    format_version: ClassVar[int] = 2

    sha256: str
    relations: Mapping[str, RelationExtractor]


def open_fact_checker(run: Run) -> FactChecker | None:
    """The run's fact checker; None if its text has too few answers to learn from.

    The stored extractors are used if the file is sound and they were fitted on this text.
    Otherwise they are fitted again, and stored if the folder can be written.
    """
    index = index_run(run)
    path = run.folder.locate(EVIDENCE)
    digest = describe(run.dataset)["sha256"]
    if kept := _read(path, digest):
        return FactChecker(index, kept.relations)
    try:
        checker = FactChecker.fit(index, run.dataset.asked)
    except BadData:
        return None
    with suppress(CannotWrite):  # a run in a read-only folder can be asked too
        kept = to_json(FittedExtractors(digest, checker.extractors))
        with publish_folder(path, {"text": digest}) as folder:
            write_json(folder / FILE, kept)
    return checker


def _read(path: Path, digest: str) -> FittedExtractors | None:
    """The stored extractors; None if the file is missing, damaged, or of another text."""
    with suppress(MissingInput, Damaged, Mismatch, BadData):
        verify_folder(path)
        kept = from_json(FittedExtractors, read_json(path / FILE), str(path / FILE))
        return kept if kept.sha256 == digest else None
    return None
