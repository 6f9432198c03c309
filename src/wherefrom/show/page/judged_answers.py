"""A run's answers to questions that it was not trained on, each with everything known about it.

An audit keeps them in audit/answers.jsonl. Without an audit they are those that the evaluation
answered, judged now with the same code and so with the same result.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from wherefrom.answering.features import FEATURES
from wherefrom.answering.fitting import judge
from wherefrom.answering.inspector import Inspector
from wherefrom.auditing.audit_findings import ANSWERS, AuditedAnswer, read_findings
from wherefrom.core.answer_table import AnswerTable
from wherefrom.core.config import from_json
from wherefrom.core.contracts import Question
from wherefrom.core.errors import BadData

HELD_OUT, CALIBRATION = "held-out", "calibration"


@dataclass(frozen=True)
class Scored:
    """What a threshold is chosen by: each answer's score, and whether it is right."""

    score: np.ndarray
    right: np.ndarray
    relations: Sequence[str]
    support: Sequence[str]

    @classmethod
    def of(cls, rows: Sequence[AuditedAnswer]) -> "Scored":
        """The score is the confidence or what stands for it; 0 for a name that is not known."""
        return cls(
            np.array([row.reply.certainty or 0.0 for row in rows]),
            np.array([row.right for row in rows], dtype=bool),
            [row.reply.relation for row in rows],
            [row.support for row in rows],
        )


@dataclass(frozen=True)
class JudgedAnswers:
    """Held-out answers, the scores of calibration answers, and an audit's findings if any."""

    held_out: tuple[AuditedAnswer, ...]
    calibration: Scored
    audit: Mapping[str, Any] | None


def collect_answers(inspector: Inspector) -> JudgedAnswers:
    """The answers that an audit of this version left, or else the same, computed now."""
    run = inspector.run
    findings = read_findings(run)
    if findings is not None and run.folder.has(ANSWERS):
        written = run.folder.read_jsonl(ANSWERS)
        rows = [from_json(AuditedAnswer, row, ANSWERS) for row in written]
    else:
        rows = _ask(inspector)
    held_out, calibration = (
        tuple(row for row in rows if row.split == split) for split in (HELD_OUT, CALIBRATION)
    )
    return JudgedAnswers(held_out, Scored.of(calibration), findings)


def _ask(inspector: Inspector) -> list[AuditedAnswer]:
    asked = (q for q in inspector.run.dataset.questions if q.split in (HELD_OUT, CALIBRATION))
    try:
        examined = _examine(inspector, [q for q in asked if q.answer is not None])
    except BadData:  # none that the model can be asked
        return []
    replies = inspector.compose(examined)
    return [
        AuditedAnswer.of(reply, question, examined.features.row(i), None)
        for i, (reply, question) in enumerate(zip(replies, examined.known, strict=True))
    ]


def _examine(inspector: Inspector, people: Sequence[Question]) -> AnswerTable:
    """The answers that the evaluation wrote; new ones if it wrote none, or other features."""
    model, kept = inspector.model, inspector.run.folder.read_answered()
    pairs = [(q, found) for q in people if (found := model.try_parse(q.text))]
    places = {q.text: i for i, q in enumerate(kept.known)} if kept else {}
    if kept is None or not (
        kept.features.columns.keys() >= set(FEATURES) and all(q.text in places for q, _ in pairs)
    ):
        model.decoded |= inspector.opened_run.decoded()
        return judge(model, people)
    found = kept.rows(np.array([places[q.text] for q, _ in pairs], dtype=np.int64))
    return replace(found, asked=tuple(a for _, a in pairs), known=tuple(q for q, _ in pairs))
