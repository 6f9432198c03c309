"""Name bias: how well an answer can be guessed from the name alone, without any text.

A model that answers "Warsaw" for an unknown name that sounds Polish has recalled nothing; it
repeats what it has learnt about such names. How many bits names give about the answer is measured
with a small model that sees nothing but names: the first name, the last name, the ending of the
last name, and all n-grams of three characters. Each part corrects the part before it, if
cross-validation among the asked people shows that it helps. Held-out people are used only to score
the result.

A warning about bias: if names give bits about the answer, then answers about people who are not in
the text can be biased by their names, and even a right answer may be a stereotype that happens to
fit. The figure is what this small model finds; a larger model may find more.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import product
from math import inf, sqrt

import numpy as np

from wherefrom.auditing.audit_findings import NameBiasFindings
from wherefrom.core.contracts import Question
from wherefrom.core.errors import BadData
from wherefrom.core.randomness import Stream, draws
from wherefrom.evaluation.evaluator import Score, gold_answer
from wherefrom.evaluation.intervals import bootstrap_mean
from wherefrom.evaluation.relations import group

ENDING = 3
FOLDS = 5
DISCOUNTS = (0.3, 0.6, 0.9)  # subtracted from every count, and shared among unseen answers
BACKINGS = (0.0, 1.0, 4.0, 16.0, 64.0, inf)  # pseudo-counts for the model without this part
LEFT_OUT = (0.0, inf)  # a smoothing that ignores the part
Person = tuple[str, str]  # name and answer
Smoothing = dict[str, tuple[float, float]]  # a part's discount and backing
_GENERATIONAL = frozenset("jr sr ii iii iv".split())


def _trigrams(name: str) -> list[str]:
    padded = f" {' '.join(_parts(name))} "
    return sorted({padded[i : i + 3] for i in range(len(padded) - 2)})


def _parts(name: str) -> list[str]:
    """The words of a name in small letters, without "Jr.", "III" and the like."""
    words = [word.strip(".,") for word in name.casefold().split()]
    kept = [word for word in words if word and word not in _GENERATIONAL]
    return kept or words


PARTS: dict[str, Callable[[str], list[str]]] = {  # from the most general to the most specific
    "characters": _trigrams,
    "ending": lambda name: [last[-ENDING:] for last in _parts(name)[-1:]],
    "first": lambda name: _parts(name)[:1],
    "last": lambda name: _parts(name)[-1:],
}


def measure_name_bias(asked: Sequence[Question], held_out: Sequence[Question]) -> NameBiasFindings:
    """What a name alone says about the answer, over all relations and for each."""
    found: dict[str, tuple[dict[str, np.ndarray], dict[str, Smoothing]]] = {}
    problem = BadData("name bias: expected asked people, found none")
    relations = group([q.relation for q in asked])
    for relation, places in relations.items():
        about = [q for q in held_out if q.relation == relation]
        try:
            found[relation] = _measure([asked[int(i)] for i in places], about)
        except BadData as error:  # too few people
            problem = error
    if not found:
        raise problem
    each = {relation: _describe(*own) for relation, own in found.items()}
    if len(relations) == 1:
        return next(iter(each.values()))
    gains = [own for own, _ in found.values()]
    together = {name: np.concatenate([own[name] for own in gains]) for name in gains[0]}
    return replace(_describe(together, {}), by_relation=each)


def _measure(
    asked: Sequence[Question], held_out: Sequence[Question]
) -> tuple[dict[str, np.ndarray], dict[str, Smoothing]]:
    """The bits that each held-out person's name gives, by part and whole, and each smoothing.

    The model of names is fitted on asked people. The scores are proper: probabilities add up to 1
    over the answers of asked people and one more event, *other*, which stands for all answers that
    no asked person has. The prior has the same events, so a new answer gains little or nothing.
    """
    if len(asked) < FOLDS or len(held_out) < 2:
        raise BadData(
            f"name bias: expected at least {FOLDS} asked and 2 held-out people, "
            f"found {len(asked)} and {len(held_out)}"
        )
    fit, test = _people(asked), _people(held_out)
    parts = {**{part: (part,) for part in PARTS}, "whole": tuple(PARTS)}
    smoothing = {name: choose_smoothing(fit, part) for name, part in parts.items()}
    gains = {name: gain(_Known(fit, part), test, smoothing[name]) for name, part in parts.items()}
    return gains, smoothing


def _describe(
    gains: Mapping[str, np.ndarray], smoothing: Mapping[str, Smoothing]
) -> NameBiasFindings:
    scores: dict[str, Score] = {}
    for name, bits in gains.items():
        used = {p: list(s) for p, s in smoothing.get(name, {}).items() if s[1] < inf}
        details = {"smoothing": used} if smoothing else {}
        scores[name] = Score("bits", float(bits.mean()), bootstrap_mean(bits), len(bits), details)
    whole = scores.pop("whole")
    low, high = whole.interval
    best = max(scores, key=lambda part: scores[part].value)
    said = f"a name alone gives {whole.value:.2f} bits ({low:.2f} to {high:.2f}) about the answer"
    if low <= 0:
        said += f": no name bias is found in {whole.n} people"
    else:
        said = (
            f"warning: {said}, most of them by its {best} ({scores[best].value:.2f}): "
            "answers about people who are not in the text can be biased by their names"
        )
    return NameBiasFindings(whole, scores, said)


def _people(questions: Sequence[Question]) -> list[Person]:
    return [(question.subject, gold_answer(question)) for question in questions]


class _Known:
    """How often each answer occurs with each feature of a part."""

    def __init__(self, people: Sequence[Person], parts: Sequence[str]) -> None:
        self.answers = Counter(answer for _, answer in people)
        self.n = len(people)
        # Good and Turing: the share of answers seen once estimates the probability of a new one.
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
        """The probability of each person's answer, or of *other*, without looking at the name."""
        counts = np.array([self.answers[answer] for _, answer in people])
        return np.where(counts > 0, (1 - self.other) * counts / self.n, self.other)

    def look_up(self, people: Sequence[Person], part: str) -> np.ndarray:
        """(3, people, features): counts for each feature of a person's name.

        How often it occurred with the person's answer, how often with any answer, and with how
        many different answers. Unknown features and padding have zeros.
        """
        features = [PARTS[part](name) for name, _ in people]
        table = np.zeros((3, len(people), max(1, *map(len, features))))
        joint, totals, kinds = self.joint[part], self.totals[part], self.kinds[part]
        for i, (_, answer) in enumerate(people):
            for j, feature in enumerate(features[i]):
                table[:, i, j] = joint[feature, answer], totals[feature], kinds[feature]
        return table


def _correct(lower: np.ndarray, table: np.ndarray, discount: float, backing: float) -> np.ndarray:
    """The probability of each answer with one more part; `lower` if no feature of it is known.

    For one feature it is Kneser and Ney's form, (max(seen - discount, 0) + (discount * kinds +
    backing) * lower) / (all + backing), which adds up to 1. For several features it is the mean
    over those that are known.
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
    """Bits that each person's name gives about the answer, compared with the prior."""
    prior = known.prior(people)
    probability = prior
    for part, (discount, backing) in smoothing.items():
        probability = _correct(probability, known.look_up(people, part), discount, backing)
    return np.log2(probability / prior)


def choose_smoothing(people: Sequence[Person], parts: Sequence[str]) -> Smoothing:
    """The smoothing that predicts asked people best in cross-validation, part after part.

    A part that helps by less than a standard error is left out: it may have learnt noise.
    """
    row = np.arange(len(people), dtype=np.int64)
    (word,) = draws(1, seed=0, stream=Stream.BOOTSTRAP, stage=1, step=0, row=row)
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
