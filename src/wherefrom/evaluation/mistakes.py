"""Why wrong answers are wrong: what the text lacks, what was confused, what was out of reach."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from wherefrom.core.answer_table import AnswerTable, Prediction
from wherefrom.core.contracts import Dataset, Document
from wherefrom.evaluation.places import lines_of, stands_in, without_name
from wherefrom.reading.names import person

GOLD_ABSENT = "gold absent"  # no line of the subject has the gold answer
ANOTHER_PLACE = "another place of the line"  # the answer stands there, but is not the gold one
BEYOND_WINDOW = "beyond the window"  # the gold answer stands too far into the line to be seen
FAILED_RECALL = "failed recall"  # nothing excuses it
KINDS = (GOLD_ABSENT, ANOTHER_PLACE, BEYOND_WINDOW, FAILED_RECALL)


def sort_mistakes(predictions: AnswerTable, dataset: Dataset, reach: int) -> dict[str, Any]:
    """How many predictions are right, and how many wrong ones of each kind: the first that fits.

    `reach` is how many characters of a line a training row can show.
    """
    lines = lines_of(dataset)
    wrong = [prediction for prediction in predictions if not prediction.correct]
    found = Counter(
        _kind(prediction, lines.get(person(prediction.question.subject), ()), reach)
        for prediction in wrong
    )
    return {
        "n": len(predictions),
        "right": len(predictions) - len(wrong),
        "reach": reach,
        "kinds": {kind: found[kind] for kind in KINDS},
    }


def _kind(prediction: Prediction, lines: Sequence[Document], reach: int) -> str:
    gold = prediction.question.answer or ""
    telling = [document for document in lines if gold in document.text]
    if not telling:
        return GOLD_ABSENT
    if any(stands_in(prediction.answer.text, without_name(document)) for document in lines):
        return ANOTHER_PLACE
    if all(_gold_end(gold, document) > reach for document in telling):
        return BEYOND_WINDOW
    return FAILED_RECALL


def _gold_end(gold: str, document: Document) -> int:
    """Where the gold first ends; in the subject's own name only if it stands nowhere else."""
    start = without_name(document).find(gold)
    return (start if start >= 0 else document.text.find(gold)) + len(gold)
