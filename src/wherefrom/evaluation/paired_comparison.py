"""Two sets of predictions question by question, and language models in bits per character."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from wherefrom.core.answer_table import AnswerTable, Prediction
from wherefrom.core.errors import Mismatch
from wherefrom.evaluation.intervals import Interval, paired_counts, paired_difference
from wherefrom.evaluation.relations import divide

Key = tuple[str, str | None, int]

_CHARACTERS = ("characters", "original_characters")  # a result that has either is a text's


@dataclass(frozen=True)
class Comparison:
    """`difference` is the accuracy of a minus that of b, on the same n questions."""

    n: int
    accuracy_a: float
    accuracy_b: float
    difference: float
    interval: Interval
    both: int
    only_a: int
    only_b: int
    neither: int


def compare(a: AnswerTable, b: AnswerTable) -> Comparison:
    """Pair the predictions by question: by how much a beats b, with an interval."""
    return _compare(align(a, b))


def compare_relations(a: AnswerTable, b: AnswerTable) -> dict[str, Comparison]:
    """The same for each relation; empty if there is only one, or if one side does not say it."""
    pairs = align(a, b)
    if not all(first.question.relation == second.question.relation for first, second in pairs):
        return {}
    parts = divide([first.question.relation for first, _ in pairs])
    return {name: _compare([pairs[int(i)] for i in at]) for name, at in parts.items()}


def _compare(pairs: Sequence[tuple[Prediction, Prediction]]) -> Comparison:
    right_a = [first.correct for first, _ in pairs]
    right_b = [second.correct for _, second in pairs]
    both, only_a, only_b, neither = paired_counts(right_a, right_b)
    difference, interval = paired_difference(right_a, right_b)
    n = len(pairs)
    return Comparison(
        n=n,
        accuracy_a=(both + only_a) / n,
        accuracy_b=(both + only_b) / n,
        difference=difference,
        interval=interval,
        both=both,
        only_a=only_a,
        only_b=only_b,
        neither=neither,
    )


def bits_per_character(results: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """The language models among a run's results, in a unit that all of them share.

    A word model's bits include the price of what its words leave unsaid of the text, per character
    of the same text; the interval varies the model's own loss and takes the price as given.
    """
    return {
        f"{name}, bits": _bits(result)
        for name, result in results.items()
        if "bits_per_target" in result and not result.keys().isdisjoint(_CHARACTERS)
    }


def _bits(result: Mapping[str, Any]) -> dict[str, Any]:
    words = "original_characters" in result
    characters = result["original_characters"] if words else result["n"]

    def share(bits: float) -> float:
        """Bits per character, from bits per target."""
        return (bits * result["n"] + result.get("unsaid_nats", 0) / math.log(2)) / characters

    return {
        "bits_per_character": share(result["bits_per_target"]),
        "interval": [share(math.log2(end)) for end in result["interval"]],
        "n": characters,
    }


def align(a: AnswerTable, b: AnswerTable) -> list[tuple[Prediction, Prediction]]:
    """The two predictions of every question, in the order of a."""
    keyed_a, keyed_b = _keyed(a), _keyed(b)
    alone = [key for key in keyed_a if key not in keyed_b]
    alone += [key for key in keyed_b if key not in keyed_a]
    if alone:
        question, gold, _ = alone[0]
        raise Mismatch(
            f"predictions: expected the same questions and answers in both, found {len(alone)} "
            f"in only one of them, such as '{question}' (answer '{gold}'); "
            "compare runs on the same data and split"
        )
    if not keyed_a:
        raise Mismatch("predictions: expected questions to compare on, found none in either")
    return [(prediction, keyed_b[key]) for key, prediction in keyed_a.items()]


def _keyed(predictions: AnswerTable) -> dict[Key, Prediction]:
    """By question, gold answer and how often that was seen before: names repeat."""
    seen: Counter[tuple[str, str | None]] = Counter()
    keyed: dict[Key, Prediction] = {}
    for prediction in predictions:
        pair = (prediction.question.text, prediction.question.answer)
        keyed[*pair, seen[pair]] = prediction
        seen[pair] += 1
    return keyed
