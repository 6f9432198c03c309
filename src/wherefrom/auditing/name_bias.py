"""Name bias: how far an answer can be guessed from the name, without having read about anyone.

A model that answers "Warsaw" for an unknown name that sounds Polish has recalled nothing; it
repeats what names have in common. How many bits there are to repeat is measured with a model that
sees nothing but names: the first name, the last name, the last name's ending, and all stretches
of three characters. Each part corrects the one before it, as far as cross-validation among the
asked people says it helps; nothing of held-out people is used but to score them.

A warning about bias: by every bit that a name gives, answers about people who are not in the text
can lean on their names, and a right answer of that kind is a stereotype that happened to fit. The
figure is what this small model finds, so there may be more.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from math import inf, sqrt

import numpy as np

from wherefrom.core.contracts import Question
from wherefrom.core.errors import BadData
from wherefrom.core.randomness import Stream, draws
from wherefrom.evaluation.evaluator import Score, gold_answer
from wherefrom.evaluation.intervals import bootstrap_mean

ENDING = 3
FOLDS = 5
DISCOUNTS = (0.3, 0.6, 0.9)  # taken from every count: answers not seen with a part share it
BACKINGS = (0.0, 1.0, 4.0, 16.0, 64.0, inf)  # imagined answers like the shorter model's; inf: all
LEFT_OUT = (0.0, inf)
_GENERATIONAL = frozenset("jr sr ii iii iv".split())


def _first(name: str) -> list[str]:
    return _parts(name)[:1]


def _last(name: str) -> list[str]:
    return _parts(name)[-1:]


def _ending(name: str) -> list[str]:
    return [last[-ENDING:] for last in _last(name)]


def _stretches(name: str) -> list[str]:
    padded = f" {' '.join(_parts(name))} "
    return sorted({padded[i : i + 3] for i in range(len(padded) - 2)})


def _parts(name: str) -> list[str]:
    """The words of a name in small letters, without "Jr." and its like."""
    words = [word.strip(".,") for word in name.casefold().split()]
    kept = [word for word in words if word and word not in _GENERATIONAL]
    return kept or words


PARTS: dict[str, Callable[[str], list[str]]] = {  # from the vaguest to the most specific
    "characters": _stretches,
    "ending": _ending,
    "first": _first,
    "last": _last,
}


@dataclass(frozen=True)
class NameBias:
    """Bits gained over the prior on held-out people: with the whole name, and part by part."""

    whole: Score
    parts: dict[str, Score]

    def summary(self) -> str:
        low, high = self.whole.interval
        best = max(self.parts, key=lambda part: self.parts[part].value)
        found = f"a name alone gives {self.whole.value:.2f} bits ({low:.2f} to {high:.2f})"
        if low <= 0:
            return f"{found} about the answer: no name bias is seen in {self.whole.n} people"
        return (
            f"warning: {found} about the answer, most by its {best} "
            f"({self.parts[best].value:.2f}): "
            "answers about people who are not in the text can be biased by their names"
        )


def measure_name_bias(
    asked: Sequence[Question], held_out: Sequence[Question], seed: int = 0
) -> NameBias:
    """Fitted on the asked people, scored on the others.

    The scores are proper: probabilities add up to 1 over the answers of asked people and one more
    event, *other*, which is what every answer is that no asked person has. The prior has the same
    events, so an answer that is new to both gains nothing or little.
    """
    if len(asked) < FOLDS or len(held_out) < 2:
        raise BadData(
            f"name bias: expected at least {FOLDS} asked and 2 held-out people, "
            f"found {len(asked)} and {len(held_out)}"
        )
    fit, test = _people(asked), _people(held_out)
    scores: dict[str, Score] = {}
    for name, parts in {**{part: (part,) for part in PARTS}, "whole": tuple(PARTS)}.items():
        smoothing = choose_smoothing(fit, parts, seed)
        gains = gain(_Known(fit, parts), test, smoothing)
        details = {"smoothing": {p: list(s) for p, s in smoothing.items() if s[1] < inf}}
        interval = bootstrap_mean(gains, seed=seed)
        scores[name] = Score("bits", float(gains.mean()), interval, len(gains), details)
    return NameBias(scores.pop("whole"), scores)


Person = tuple[str, str]  # name and answer
Smoothing = dict[str, tuple[float, float]]  # a part's discount and backing


def _people(questions: Sequence[Question]) -> list[Person]:
    return [(question.subject, gold_answer(question)) for question in questions]


class _Known:
    """How often each answer goes with each feature of a part."""

    def __init__(self, people: Sequence[Person], parts: Sequence[str]) -> None:
        self.answers = Counter(answer for _, answer in people)
        self.n = len(people)
        # Good and Turing: as likely as answers that have come once is one that has not come yet.
        once = sum(count == 1 for count in self.answers.values())
        self.other = (once + 0.5) / (self.n + 1)
        self.joint = {part: Counter[tuple[str, str]]() for part in parts}
        for name, answer in people:
            for part in parts:
                self.joint[part].update((feature, answer) for feature in PARTS[part](name))
        self.totals = {part: Counter[str]() for part in parts}
        self.kinds = {part: Counter[str]() for part in parts}
        for part, joint in self.joint.items():
            for (feature, _), count in joint.items():
                self.totals[part][feature] += count
                self.kinds[part][feature] += 1

    def prior(self, people: Sequence[Person]) -> np.ndarray:
        """The probability of each one's answer, or of *other*, whatever the name."""
        counts = np.array([self.answers[answer] for _, answer in people])
        return np.where(counts > 0, (1 - self.other) * counts / self.n, self.other)

    def look_up(self, people: Sequence[Person], part: str) -> np.ndarray:
        """(3, people, features): how often a feature came with the answer, with any, with how
        many different ones; features that are not known have zeros, and so has the padding."""
        features = [PARTS[part](name) for name, _ in people]
        table = np.zeros((3, len(people), max(1, *map(len, features))))
        joint, totals, kinds = self.joint[part], self.totals[part], self.kinds[part]
        for i, (_, answer) in enumerate(people):
            for j, feature in enumerate(features[i]):
                table[:, i, j] = joint[feature, answer], totals[feature], kinds[feature]
        return table


def _correct(lower: np.ndarray, table: np.ndarray, discount: float, backing: float) -> np.ndarray:
    """A part's probability of each answer; where nothing is known of its features, the lower one.

    One feature: (max(seen - discount, 0) + (discount * kinds + backing) * lower) / (all +
    backing), Kneser and Ney's form, which adds up to 1. Several features: the mean of those known.
    """
    if backing == inf:
        return lower
    seen, total, kinds = table
    known = total > 0
    freed = (discount * kinds + backing) * lower[:, None]
    each = (np.maximum(seen - discount, 0) + freed) / np.where(known, total + backing, 1)
    many = known.sum(1)
    return np.where(many > 0, (each * known).sum(1) / np.maximum(many, 1), lower)


def gain(known: _Known, people: Sequence[Person], smoothing: Smoothing) -> np.ndarray:
    """Bits that the name gives on each one's answer, over the prior."""
    prior = known.prior(people)
    probability = prior
    for part, (discount, backing) in smoothing.items():
        probability = _correct(probability, known.look_up(people, part), discount, backing)
    return np.log2(probability / prior)


def choose_smoothing(people: Sequence[Person], parts: Sequence[str], seed: int) -> Smoothing:
    """The smoothing that foretells asked people best from other asked people, part after part.

    A part that helps by less than a standard error there is left out: it may have learnt noise.
    """
    row = np.arange(len(people), dtype=np.int64)
    (word,) = draws(1, seed=seed, stream=Stream.BOOTSTRAP, stage=1, step=0, row=row)
    fold = np.empty(len(people), dtype=np.int64)
    fold[np.argsort(word, kind="stable")] = row % FOLDS
    splits: list[tuple[_Known, list[Person]]] = []
    for k in range(FOLDS):
        known = _Known([people[i] for i in np.flatnonzero(fold != k).tolist()], parts)
        splits.append((known, [people[i] for i in np.flatnonzero(fold == k).tolist()]))
    lower = np.concatenate([known.prior(left) for known, left in splits])
    chosen: Smoothing = {}
    for part in parts:
        table = _join([known.look_up(left, part) for known, left in splits])
        tried = {choice: _correct(lower, table, *choice) for choice in product(DISCOUNTS, BACKINGS)}
        best = max(tried, key=lambda choice: np.log(tried[choice]).mean())
        helps = np.log(tried[best] / lower)
        chosen[part] = best if helps.mean() > helps.std() / sqrt(len(people)) else LEFT_OUT
        lower = _correct(lower, table, *chosen[part])
    return chosen


def _join(tables: Sequence[np.ndarray]) -> np.ndarray:
    width = max(table.shape[2] for table in tables)
    return np.concatenate(
        [np.pad(t, ((0, 0), (0, 0), (0, width - t.shape[2]))) for t in tables], axis=1
    )
