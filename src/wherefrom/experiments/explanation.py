"""Why an averaging network says what it says: what each word's removal does to its logit.

The network sees which words a text has and not their order, so an explanation may speak of words
alone; that their order does not matter is tried out on every text.
"""

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from wherefrom.core.bags import split_words
from wherefrom.core.contracts import Answer
from wherefrom.core.errors import BadData
from wherefrom.core.randomness import Stream, draws
from wherefrom.models.dan import Classifier, DANConfig
from wherefrom.runs.run import Run

SHUFFLES = 10
_TITLE = 200  # characters of a text that are shown
_SHOWN = 8  # words of either side


@dataclass(frozen=True)
class Contribution:
    """`effect`: the logit minus what it is without the word, wherever it stands in the text."""

    word: str
    times: int
    effect: float


@dataclass(frozen=True)
class Explanation:
    """`logit` is the log-odds of positive; `words` have the weightiest first.

    `shuffled` is the most that any of some shuffles of the words changed the logit, in double
    precision; `unknown` are words that the network does not know. `gold` and `place` are those
    of a review that the run was put to.
    """

    text: str
    answer: Answer
    logit: float
    words: tuple[Contribution, ...]
    unknown: tuple[str, ...]
    shuffled: float
    gold: str | None = None
    place: str | None = None

    def as_json(self) -> dict[str, Any]:
        return {
            "text": self.text,
            **({"place": self.place, "gold": self.gold} if self.gold else {}),
            "answer": self.answer.text,
            "probability": self.answer.probability,
            "logit": self.logit,
            "words": [asdict(word) for word in self.words],
            "unknown": list(self.unknown),
            "shuffles": SHUFFLES,
            "largest_change_by_shuffling": self.shuffled,
        }

    def in_words(self) -> list[str]:
        """The text's beginning, then what was found, line by line."""
        text = " ".join(self.text.split())
        sure = f"{100 * self.answer.probability:.1f} % by the model's own probability"
        gold = f", but it is {self.gold} ({self.place})" if self.gold else ""
        lines = [
            f"{text[:_TITLE]}..." if len(text) > _TITLE else text,
            f"{self.answer.text} ({sure}){gold}; logit {self.logit:+.2f}",
        ]
        for side, sign in (("positive", 1), ("negative", -1)):
            shown = [_show(word) for word in self.words if word.effect * sign > 0][:_SHOWN]
            lines.append(f"for {side}: {', '.join(shown) or 'nothing'}")
        if self.unknown:
            lines.append(f"unknown words, left out: {', '.join(self.unknown[:_SHOWN])}")
        return [
            *lines,
            f"{SHUFFLES} shuffles of the words change the logit by at most {self.shuffled:.2g}",
        ]


class Explainer:
    """Leaves one word out at a time; in double precision, so that rounding is not a finding."""

    def __init__(self, classifier: Classifier) -> None:
        model = deepcopy(classifier.model).cpu().double()
        self.classifier = Classifier(model, classifier.vocabulary)
        self.vocabulary = classifier.vocabulary

    def explain(self, text: str) -> Explanation:
        self.vocabulary.check(text)
        bag = self.vocabulary.encode(text)
        words, times = np.unique(bag, return_counts=True)
        without = [bag[bag != word] for word in words]
        logit, *others = self._logits([bag, *without])
        effects = logit - np.array(others)
        order = np.argsort(-np.abs(effects), kind="stable")
        names = self.vocabulary.decode(words.tolist())
        shown = [Contribution(names[i], int(times[i]), float(effects[i])) for i in order]
        unknown = dict.fromkeys(w for w in split_words(text) if w not in self.vocabulary)
        changes = np.abs(self._logits(_shuffles(bag)) - logit)
        (answer,) = self.classifier.answer([text])
        return Explanation(
            text, answer, float(logit), tuple(shown), tuple(unknown), float(changes.max())
        )

    def _logits(self, bags: Sequence[np.ndarray]) -> np.ndarray:
        negative, positive = self.classifier.logits(bags).numpy().T
        return positive - negative


def _show(word: Contribution) -> str:
    times = f" x{word.times}" if word.times > 1 else ""
    return f"{word.word}{times} {word.effect:+.2f}"


def open_explainer(run: Run) -> Explainer:
    if not isinstance(run.recipe.model, DANConfig):
        raise BadData(
            f"{run.path}: expected a run of an averaging network, found '{run.recipe.name}', whose "
            f"model is a '{run.recipe.model.kind}'; 'wherefrom run sentiment' makes one"
        )
    run.require_finished()
    return Explainer(run.predictor())


def explain_errors(run: Run, explainer: Explainer, count: int) -> list[Explanation]:
    """The primary model's surest errors on the run's first task, explained."""
    task = run.recipe.tasks[0]
    wrong = [p for p in run.predictions(run.recipe.primary, task.name) if not p.correct]
    wrong.sort(key=lambda p: (-p.answer.probability, p.subject))
    texts = {q.subject: q.text for q in run.questions(task)}
    return [
        replace(explainer.explain(texts[p.subject]), gold=p.gold, place=p.subject)
        for p in wrong[:count]
    ]


def _shuffles(bag: np.ndarray) -> list[np.ndarray]:
    """Backwards, and by counted random words."""
    place = np.arange(len(bag), dtype=np.int64)
    words = draws(SHUFFLES - 1, seed=0, stream=Stream.SAMPLING, stage=0, step=0, row=place)
    return [bag[::-1], *(bag[np.argsort(word, kind="stable")] for word in words)]
