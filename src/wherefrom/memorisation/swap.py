"""The swap test: change what the text says of some people, train again, and see who follows."""

from collections import Counter
from typing import Any

from wherefrom.core.contracts import Question
from wherefrom.core.errors import BadData
from wherefrom.evaluation.intervals import wilson
from wherefrom.runs.run import Run

OUTCOMES = ("flips", "stays", "other")


def report_swap(run: Run, changed: Run, unchanged: Run) -> dict[str, Any]:
    """Answers about the people whose text was changed, after training on it.

    flips: the answer is the new one; stays: it is the old one; other: neither. `churn` is
    the same of a model trained on the old text with another seed: what changes by chance;
    `before` that of the run's own model. All are compared with the old and the new answer of
    the text, not with what a model said.
    """
    pairs = [
        (old, new)
        for old, new in zip(run.dataset.questions, changed.dataset.questions, strict=True)
        if old.answer != new.answer
    ]
    if not pairs:
        raise BadData("swap: expected people whose text was changed, found none")
    return {
        "people": len(pairs),
        "swapped": _count(changed, pairs),
        "churn": _count(unchanged, pairs),
        "before": _count(run, pairs),
    }


def _count(run: Run, pairs: list[tuple[Question, Question]]) -> dict[str, Any]:
    answers = run.predictor().answer([old.text for old, _ in pairs])
    found = Counter(
        "flips" if a.text == new.answer else "stays" if a.text == old.answer else "other"
        for a, (old, new) in zip(answers, pairs, strict=True)
    )
    n = len(pairs)
    return {
        name: {"people": found[name], "share": found[name] / n,
               "interval": list(wilson(found[name], n))}
        for name in OUTCOMES
    }  # fmt: skip
