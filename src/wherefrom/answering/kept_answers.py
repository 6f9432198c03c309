"""Answers that are kept: what the evaluation computed about people is not computed again.

The evaluation answers all calibration and held-out questions to fit and to report the policy. A
report needs the same answers with the same features, and must not take longer than a reader waits.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from wherefrom.answering.answer_table import AnswerTable, FeatureTable
from wherefrom.answering.closed_book import ClosedBookModel
from wherefrom.answering.features import FEATURES
from wherefrom.core.contracts import Answer, Candidate
from wherefrom.core.errors import WherefromError
from wherefrom.core.files import parse_jsonl
from wherefrom.core.forms import ParsedQuestion
from wherefrom.runs.folder import RunFolder

FILE = "audit/answered.jsonl"

Kept = dict[str, tuple[Answer, Mapping[str, float]]]  # by the text of the question


class RememberingModel(ClosedBookModel):
    """A model that answers each question once, and keeps the answers with their features."""

    kept: Kept

    @classmethod
    def of(cls, model: ClosedBookModel, kept: Kept | None = None) -> "RememberingModel":
        """The same model, with answers that are known already."""
        made = cls.__new__(cls)
        made.__dict__ |= vars(model)
        made.kept = dict(kept or {})
        return made

    def answer(
        self, questions: Sequence[ParsedQuestion], known: Mapping[str, Answer] | None = None
    ) -> AnswerTable:
        new = list({q.text: q for q in questions if q.text not in self.kept}.values())
        if new:
            found = super().answer(new, known)
            for i, question in enumerate(new):
                self.kept[question.text] = found.answers[i], found.features.row(i)
        rows = [self.kept[question.text] for question in questions]
        # Some answers may have been kept with more features than others.
        names = [n for n in rows[0][1] if all(n in own for _, own in rows)] if rows else FEATURES
        columns = {name: np.array([features[name] for _, features in rows]) for name in names}
        answers = tuple(answer for answer, _ in rows)
        return AnswerTable(tuple(questions), answers, FeatureTable(columns))

    def keep_more(self, questions: Sequence[ParsedQuestion], features: FeatureTable) -> None:
        """Keep further features of answers that are kept already."""
        for i, question in enumerate(questions):
            answer, own = self.kept[question.text]
            self.kept[question.text] = answer, {**own, **features.row(i)}


def write_kept(folder: RunFolder, kept: Kept) -> None:
    rows = (
        {
            "question": question,
            "answer": answer.text,
            "probability": answer.probability,
            "finished": answer.finished,
            "others": [{"text": o.text, "probability": o.probability} for o in answer.others],
            "features": dict(features),
        }
        for question, (answer, features) in kept.items()
    )
    folder.write_jsonl(FILE, rows)


def read_kept(folder: RunFolder) -> Kept:
    """What the evaluation kept; nothing if this version computes other features."""
    if not folder.has(FILE):
        return {}
    data = folder.read(FILE)
    try:
        found = dict(_decode(row) for row in parse_jsonl(data, FILE))
    except (WherefromError, AttributeError, KeyError, TypeError, ValueError):
        return {}  # it can be computed again
    return found if all(set(FEATURES) <= set(each) for _, each in found.values()) else {}


def _decode(row: Any) -> tuple[str, tuple[Answer, Mapping[str, float]]]:
    others = tuple(Candidate(o["text"], float(o["probability"])) for o in row["others"])
    answer = Answer(row["answer"], float(row["probability"]), others, bool(row["finished"]))
    features = {str(name): float(value) for name, value in row["features"].items()}
    return str(row["question"]), (answer, features)
