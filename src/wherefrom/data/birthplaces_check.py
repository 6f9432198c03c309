"""What is in a folder of birthplaces: known versions, counts, and the traps in the questions."""

import codecs
import hashlib
from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path

from wherefrom.core.contracts import Question
from wherefrom.core.files import reading
from wherefrom.core.vocabulary import Vocabulary
from wherefrom.data.birthplaces import (
    NAME,
    TABLES,
    TEXT,
    BirthplacesConfig,
    find_folder,
    lines_by_person,
    load,
)
from wherefrom.data.findings import FileReport, Inspection
from wherefrom.data.survey import conflicting, count_duplicates
from wherefrom.reading.names import person

_COURSE = "the course's"
KNOWN = {  # SHA-256 of the versions that are in circulation
    TEXT: {
        "17e381468abd91b60be8acaff006c66b77532b4ea4c0ce097b0a686d2e8e8219": _COURSE,
        "823bb536fca77c8b5a15b34b0dead6355d0cf1f806e822464bca28806c2fd055": (
            f"{_COURSE}, with a final newline"
        ),
    },
    "birth_places_train.tsv": {
        "02364dfca78e23d2583a19f03a2d8cddd90ee3e1a3795ddec7f0addadea30b0d": _COURSE
    },
    "birth_dev.tsv": {"101a56073eba0db9aad5e2aaf1aa9bf8bdae966ae3aaed8fc8cda5edfa7856da": _COURSE},
    "birth_test_inputs.tsv": {
        "5ccd3b2a1682e0daf90d59488aef8805ef21b9d35795cc3bdabdea79d293aa1f": _COURSE
    },
}
_WINDOWS = (112, 96)  # characters of a line that a model of block 128 has before its span
_TRAIN, _DEV, _ = TABLES


def inspect(folder: str) -> Inspection:
    """Read and count a folder's files; BadData if one has not the form that training needs."""
    path = find_folder(folder)
    dataset = load(BirthplacesConfig(str(path)), 0)
    files = {split: file for file, (_, split) in TABLES.items()}
    tables: dict[str, list[Question]] = {}
    for question in dataset.questions:
        tables.setdefault(files[question.split], []).append(question)
    texts = [document.text for document in dataset.documents]
    lines = lines_by_person(dataset.documents)
    counts = {TEXT: _count_text(texts, lines, dataset.alphabet)}
    counts |= {file: _count_questions(found, texts, lines) for file, found in tables.items()}
    counts[_DEV]["answers_unseen_in_training"] = _unseen(tables[_DEV], tables[_TRAIN])
    reports = {file: _report(path / file) for file in counts}
    return Inspection(NAME, None, str(path), reports, counts, _count_overlaps(tables))


def _report(path: Path) -> FileReport:
    with reading(path):
        data = path.read_bytes()
    digest = hashlib.sha256(data).hexdigest()
    rows = data.removesuffix(b"\n").split(b"\n")
    return FileReport(
        sha256=digest,
        known=KNOWN[path.name].get(digest, ""),
        lines=len(rows),
        byte_order_mark=data.startswith(codecs.BOM_UTF8),
        carriage_returns=sum(row.endswith(b"\r") for row in rows),
        non_ascii_lines=sum(not row.isascii() for row in rows),
    )


def _count_text(
    texts: Sequence[str], lines: Mapping[str, Sequence[int]], alphabet: str
) -> dict[str, int]:
    return {
        "documents": len(texts),
        "longest_line": max(map(len, texts)),
        "duplicate_lines": len(texts) - len(set(texts)),
        "lines_without_name": len(texts) - sum(map(len, lines.values())),
        "names_with_several_lines": sum(len(numbers) > 1 for numbers in lines.values()),
        "vocabulary": len(Vocabulary.from_text([*texts, alphabet])),
        "characters_only_in_questions": len(alphabet) - 1,
    }


def _count_questions(
    questions: Sequence[Question], texts: Sequence[str], lines: Mapping[str, Sequence[int]]
) -> dict[str, int]:
    def within(window: int | None) -> int:
        """Answers within the first `window` characters of a line: all that a model reads of it."""
        return sum(
            any((q.answer or "") in texts[i][:window] for i in lines.get(person(q.subject), ()))
            for q in questions
        )

    counts = {
        "questions": len(questions),
        "duplicate_questions": count_duplicates(questions),
        "questions_with_several_answers": len(conflicting(questions)),
        "percent_encoded_names": sum(q.subject != person(q.subject) for q in questions),
        "people_without_line": sum(person(q.subject) not in lines for q in questions),
    }
    if all(q.answer is None for q in questions):
        return counts
    windows = {f"answers_in_first_{n}_characters": within(n) for n in _WINDOWS}
    return counts | {"answers_in_line": within(None)} | windows


def _count_overlaps(tables: Mapping[str, Sequence[Question]]) -> dict[str, int]:
    people = {file: {person(q.subject) for q in found} for file, found in tables.items()}
    return {
        f"people in {a} and {b}": len(people[a] & people[b]) for a, b in combinations(people, 2)
    }


def _unseen(questions: Sequence[Question], before: Sequence[Question]) -> int:
    known = {q.answer for q in before}
    return sum(q.answer not in known for q in questions)
