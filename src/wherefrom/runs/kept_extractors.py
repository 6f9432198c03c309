"""The index and the fact checker of a run: made once, then stored in its folders.

Any process may make them, so each has a manifest of its own and is not in the run's.
"""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from wherefrom.core.artifact import publish_folder, verify_folder
from wherefrom.core.config import from_json, to_json
from wherefrom.core.contracts import Dataset, Passage
from wherefrom.core.errors import BadData, CannotWrite, Damaged, Mismatch, MissingInput
from wherefrom.core.files import read_json, write_json
from wherefrom.reading.extractor import RelationExtractor
from wherefrom.reading.index import Index
from wherefrom.reading.sources import DatasetPassages
from wherefrom.reading.verdict import FactChecker, fit_extractors
from wherefrom.runs.folder import RunFolder
from wherefrom.runs.kept import describe
from wherefrom.runs.layout import EVIDENCE, INDEX
from wherefrom.runs.opened_run import Run

FILE = "extractors.json"


@dataclass(frozen=True)
class FittedExtractors:
    """The extractor of each relation, and the hash of the data that they were fitted on."""

    format_version: Literal[3] = field(default=3, kw_only=True)

    sha256: str
    relations: Mapping[str, RelationExtractor]


def index_run(run: Run) -> Index:
    """The index in a run folder; it is built if it is missing, damaged, or of another text.

    If the folder cannot be written, the index is built in memory, every time.
    """
    dataset, path = run.dataset, run.folder.locate(INDEX)
    digest = describe(dataset)["sha256"]
    subjects = (question.subject for question in dataset.questions)  # few lookups need them
    with suppress(MissingInput, Mismatch, Damaged):
        return Index.open(path, digest, subjects)
    read = dataset.training_documents

    def passages() -> Iterator[Passage]:
        return (passage for passage in dataset.passages if passage.document < len(read))

    try:
        return Index.build(path, read, digest, subjects, passages())
    except CannotWrite:
        return Index.in_memory(path, read, subjects, passages())


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
        _write(path, digest, checker.extractors)
    return checker


def keep_extractors(
    folder: RunFolder, dataset: Dataset, extractors: Mapping[str, RelationExtractor]
) -> None:
    """Store what the reader of notes learnt, for the fact checker, which learns the same.

    Relations with too few answers for notes may do for checking facts: they are learnt here.
    """
    if extractors:
        whole = fit_extractors(DatasetPassages(dataset), dataset.asked, extractors)
        _write(folder.locate(EVIDENCE), describe(dataset)["sha256"], whole)


def _write(path: Path, digest: str, extractors: Mapping[str, RelationExtractor]) -> None:
    kept = to_json(FittedExtractors(digest, extractors))
    with publish_folder(path, {"text": digest}) as folder:
        write_json(folder / FILE, kept)


def _read(path: Path, digest: str) -> FittedExtractors | None:
    """The stored extractors; None if the file is missing, damaged, or of another text."""
    with suppress(MissingInput, Damaged, Mismatch, BadData):
        verify_folder(path)
        kept = from_json(FittedExtractors, read_json(path / FILE), str(path / FILE))
        return kept if kept.sha256 == digest else None
    return None
