"""Answers that are kept: what the evaluation computed about people is not computed again.

The evaluation answers all calibration and held-out questions to fit and to report the policy. A
report needs the same answers with the same features, and must not take longer than a reader waits.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from wherefrom.answering.closed_book import ClosedBookModel
from wherefrom.answering.features import FEATURES
from wherefrom.core.answer_table import AnswerTable, FeatureTable, decode_answers, encode_answers
from wherefrom.core.contracts import Answer, Question
from wherefrom.core.errors import WherefromError
from wherefrom.core.files import parse_jsonl
from wherefrom.core.forms import ParsedQuestion
from wherefrom.runs.folder import RunFolder

FILE = "audit/answered.jsonl"
_FIELDS = ("question", "answer", "probability", "finished", "others", "features")


class RememberingModel(ClosedBookModel):
    """A model that answers each question once, and keeps the answers with their features."""

    def __init__(
        self,
        model: ClosedBookModel,
        decoded: Mapping[str, Answer],
        kept: AnswerTable | None = None,
    ) -> None:
        """The same model, with answers that are known already, and others that are `decoded`."""
        self.__dict__ |= vars(model)
        self._decoded = decoded
        self.kept = AnswerTable.of((), ()) if kept is None else kept
        # The row of each question, by its text.
        self._places = {question.text: i for i, question in enumerate(self.kept.known)}

    def answer(self, questions: Sequence[ParsedQuestion]) -> AnswerTable:
        new = list({q.text: q for q in questions if q.text not in self._places}.values())
        if new:
            self._keep(super().answer(new))
        at = np.array([self._places[question.text] for question in questions], dtype=np.int64)
        found = self.kept.rows(at)
        return AnswerTable(tuple(questions), found.answers, found.features)

    def decode(self, questions: Mapping[str, ParsedQuestion]) -> Mapping[str, Answer]:
        new = {text: q for text, q in questions.items() if text not in self._decoded}
        return {**self._decoded, **(super().decode(new) if new else {})}

    def _keep(self, found: AnswerTable) -> None:
        exact = {name: column.astype(np.float64) for name, column in found.features.columns.items()}
        self._places |= {q.text: len(self.kept) + i for i, q in enumerate(found.asked)}
        asked = [Question(q.text, q.subject, q.relation, None, "") for q in found.asked]
        self.kept = AnswerTable(
            (),
            (*self.kept.answers, *found.answers),
            self.kept.features.append(FeatureTable(exact)),
            (*self.kept.known, *asked),
        )


def write_kept(folder: RunFolder, kept: AnswerTable) -> None:
    folder.write_jsonl(FILE, encode_answers(kept, _FIELDS))


def read_kept(folder: RunFolder) -> AnswerTable | None:
    """What the evaluation kept; None if this version computes other features."""
    if not folder.has(FILE):
        return None
    contents = folder.read(FILE)
    try:
        found = decode_answers(parse_jsonl(contents, FILE), _FIELDS)
        whole = np.isfinite(found.features.matrix(FEATURES)).all()
    except (WherefromError, KeyError, TypeError):
        return None  # it can be computed again
    return found if whole else None
