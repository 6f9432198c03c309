"""The sections of an audit about where answers come from: the text, the model's memory, names."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import numpy as np

from wherefrom.answering.inspector import Inspector
from wherefrom.answering.source import SourcePredictor
from wherefrom.auditing.audit_findings import (
    EvidenceFindings,
    ExposureFindings,
    LabelCount,
    NoteFindings,
    SourceFindings,
)
from wherefrom.core.answer_table import AnswerTable
from wherefrom.core.contracts import Note, Question
from wherefrom.core.replies import AS_READ, SOURCES, SUPPORTED, VERDICTS, Verdict
from wherefrom.evaluation.relations import divide
from wherefrom.memorisation.counterfactual import align_rows, read_rows
from wherefrom.memorisation.exposures import KINDS, count_exposures
from wherefrom.memorisation.labelled_answers import LabelledAnswers
from wherefrom.reading.verdict import FactChecker
from wherefrom.runs.opened_run import Run

FindNote = Callable[[str, str], Note | None]


def report_evidence(
    checker: FactChecker | None,
    examined: AnswerTable,
    verdicts: Sequence[Verdict | None],
    find_note: FindNote | None = None,
) -> EvidenceFindings | None:
    """The verdicts on held-out answers; None without a fact checker.

    `find_note` gives the note of a subject and a relation, if the run took notes.
    """
    if checker is None:
        return None
    labels = [None if verdict is None else verdict.label for verdict in verdicts]
    shown = [None if verdict is None else verdict.shown for verdict in verdicts]

    def report(places: Sequence[int]) -> EvidenceFindings:
        questions = [examined.known[i] for i in places]
        return EvidenceFindings(
            held_out_answers=_count_labels(labels, VERDICTS, examined, places),
            as_read=find_note and _count_labels(shown, (AS_READ,), examined, places)[AS_READ],
            notes=find_note and check_notes(find_note, checker, questions),
        )

    parts = divide(examined.relations)
    each = {relation: report(places.tolist()) for relation, places in parts.items()}
    return replace(report(range(len(labels))), by_relation=each)


def check_notes(
    find_note: FindNote, checker: FactChecker, questions: Sequence[Question]
) -> NoteFindings:
    """The notes about held-out questions: how many are right, and how many are called supported."""
    counts: Counter[tuple[bool, bool]] = Counter()
    for question in questions:
        subject, relation = question.subject, question.relation
        note = find_note(subject, relation) if question.split == "held-out" else None
        if note is not None and relation in checker.extractors:
            label = checker.judge(subject, note.value, relation).label
            counts[question.accepts(note.value), label == SUPPORTED] += 1
    return NoteFindings(
        right=counts[True, True] + counts[True, False],
        right_supported=counts[True, True],
        wrong=counts[False, True] + counts[False, False],
        wrong_supported=counts[False, True],
    )


def _count_labels(
    labels: Sequence[str | None], names: Sequence[str], examined: AnswerTable, places: Iterable[int]
) -> dict[str, LabelCount]:
    """How many held-out answers among these have each label, and how many of them are right."""
    held = [
        (labels[i], bool(examined.right[i]))
        for i in places
        if examined.known[i].split == "held-out"
    ]
    return {
        name: LabelCount(
            answers=sum(label == name for label, _ in held),
            right=sum(label == name and right for label, right in held),
        )
        for name in names
    }


def label_answers(inspector: Inspector, examined: AnswerTable) -> LabelledAnswers:
    """The audited answers with what retrained models make of them: figures rest on nothing else."""
    run, policy = inspector.run, inspector.policy
    answers = tuple(answer.text for answer in examined.answers)
    rows = read_rows(run.folder)
    p_KN, has_text_KN = align_rows(rows, examined.known, answers)
    confidence = np.full(len(answers), np.nan)
    if policy is not None:
        confidence = policy.confidence(examined.features, examined.relations)
    columns = {
        "confidence": confidence,
        "p": p_KN.T,
        "with": has_text_KN.T,
    }
    return LabelledAnswers(
        run=run.path.resolve().name,
        models=tuple(row.model for row in rows),
        table=replace(examined, columns=columns),
    )


def report_source(
    labelled: LabelledAnswers | None, predictor: SourcePredictor | None
) -> SourceFindings | None:
    """The sources of held-out answers, and how well they are predicted; None if not measured."""
    if labelled is None or predictor is None:
        return None
    table, held = labelled.table, labelled.select("held-out")
    labels = [source.label for source in predictor.predict(table.features, table.relations)]

    def report(places: np.ndarray) -> SourceFindings:
        counts = _count_labels(labels, SOURCES, table, places.tolist())
        here = np.zeros(len(labels), dtype=bool)
        here[places] = True
        return SourceFindings(predictor.models, counts, labelled.measure(predictor, here & held))

    each = {relation: report(at) for relation, at in divide(table.relations).items()}
    return replace(report(np.arange(len(labels))), by_relation=each)


def report_exposures(run: Run, examined: AnswerTable) -> ExposureFindings:
    """How often training showed held-out facts, over all relations and for each."""
    counted = count_exposures(run)
    held = np.flatnonzero(examined.select("held-out"))
    questions = [examined.known[i] for i in held]
    seen = counted.seen(questions)
    by_kind = {kind: counted.about(questions, kind) for kind in KINDS}

    def report(at: np.ndarray) -> ExposureFindings:
        means = {kind: every[at][seen[at]] for kind, every in by_kind.items()}
        return ExposureFindings(
            examples=counted.examples,
            mean={kind: float(each.mean()) if each.size else 0.0 for kind, each in means.items()},
        )

    parts = divide([examined.relations[i] for i in held])
    each = {relation: report(at) for relation, at in parts.items()}
    return replace(report(np.arange(len(held))), by_relation=each)
