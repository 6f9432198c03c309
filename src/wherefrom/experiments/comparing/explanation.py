"""Why an averaging network gives its answer: how much the logit changes without each word.

The network sees which words a text has but not their order, so words alone can explain its answer.
Each text is also shuffled, to check that the order does not matter. Possible causes of an error are
tested too (`causes`).
"""

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from wherefrom.core.answer_table import Prediction
from wherefrom.core.bags import split_words
from wherefrom.core.config import check
from wherefrom.core.errors import BadData, UsageError
from wherefrom.core.randomness import Stream, draws
from wherefrom.experiments.comparing.causes import TriedCause, try_causes, words_to_flip
from wherefrom.experiments.resources import use_threads
from wherefrom.models.dan import Classifier, DANConfig
from wherefrom.runs.opened_run import AnyRun, Run, open_run

SHUFFLES = 10
_TITLE = 200  # characters of a text that are shown
_SHOWN = 8  # words for either label

Bag = np.ndarray[Any, np.dtype[Any]]  # the numbers of a text's words


@dataclass(frozen=True)
class Contribution:
    """A word of the text, and how often it occurs there.

    `effect` is the logit minus the logit of the text without any occurrence of the word.
    """

    word: str
    times: int
    effect: float


@dataclass(frozen=True)
class Explanation:
    """The answer of `model` to a text, and the words that led to it.

    `answer` is the label, `probability` the model's own probability of it, `logit` the log-odds
    of positive. `words` have the largest effects first; `unknown` are the words that the network
    does not know. The words were shuffled `shuffles` times, and `largest_change_by_shuffling` is
    the largest change of the logit, in double precision. A review of the run's task also has its
    right label, `gold`, and its `place` in the data; if the answer is wrong, `causes` has what was
    tried, and `words_to_flip` how many different words, the strongest first, must go before the
    answer is right (None: leaving out words does not do it).
    """

    text: str
    model: str
    answer: str
    probability: float
    logit: float
    words: tuple[Contribution, ...]
    unknown: tuple[str, ...]
    shuffles: int
    largest_change_by_shuffling: float
    gold: str | None = None
    place: str | None = None
    causes: tuple[TriedCause, ...] = ()
    words_to_flip: int | None = None

    def in_words(self) -> list[str]:
        """The beginning of the text, then the explanation, line by line."""
        text = " ".join(self.text.split())
        sure = f"{100 * self.probability:.1f} % by the model's own probability"
        gold = f", but it is {self.gold} ({self.place})" if self.gold else ""
        lines = [
            f"{text[:_TITLE]}..." if len(text) > _TITLE else text,
            f"{self.answer} ({sure}){gold}; logit {self.logit:+.2f}",
        ]
        for label, sign in (("positive", 1), ("negative", -1)):
            shown = [_show(word) for word in self.words if word.effect * sign > 0][:_SHOWN]
            lines.append(f"for {label}: {', '.join(shown) or 'nothing'}")
        if self.unknown:
            lines.append(f"unknown words, left out: {', '.join(self.unknown[:_SHOWN])}")
        change = f"{self.largest_change_by_shuffling:.2g}"
        lines.append(f"{self.shuffles} shuffles of the words change the logit by at most {change}")
        return [*lines, *self._causes_in_words()]

    def _causes_in_words(self) -> list[str]:
        if not self.causes:
            return []
        number = self.words_to_flip
        return [
            f"tested: what the probability of '{self.answer}' becomes",
            *(f"  {cause.in_words()}" for cause in self.causes),
            "  strongest words left out until the answer flips: "
            + (f"{number}" if number else "it never does"),
        ]


class Explainer:
    """Leaves out one word at a time; in double precision, so that rounding is not a finding."""

    def __init__(self, classifier: Classifier, model: str) -> None:
        network = deepcopy(classifier.model).cpu().double()
        self.classifier = Classifier(network, classifier.vocabulary)
        self.vocabulary, self.model = classifier.vocabulary, model

    def explain(self, text: str) -> Explanation:
        self.vocabulary.check(text)
        bag = self.vocabulary.encode(text)
        words, times = np.unique(bag, return_counts=True)
        without = [bag[bag != word] for word in words]
        logit, *others = self._logits([bag, *without])
        effects = logit - np.array(others)
        order = np.argsort(-np.abs(effects), kind="stable")
        names = self.vocabulary.decode(words.tolist())
        unknown = dict.fromkeys(w for w in split_words(text) if w not in self.vocabulary)
        changes = np.abs(self._logits(_shuffle(bag)) - logit)
        (answer,) = self.classifier.answer([text])
        return Explanation(
            text=text,
            model=self.model,
            answer=answer.text,
            probability=answer.probability,
            logit=float(logit),
            words=tuple(
                Contribution(names[i], int(times[i]), float(effects[i])) for i in map(int, order)
            ),
            unknown=tuple(unknown),
            shuffles=SHUFFLES,
            largest_change_by_shuffling=float(changes.max()),
        )

    def explain_error(self, text: str, wrong: Prediction) -> Explanation:
        """A wrong answer explained, and what may have caused it tested."""
        found = self.explain(text)
        label = self.classifier.labels.index(found.answer)
        bag = self.vocabulary.encode(text)
        return replace(
            found,
            gold=wrong.question.answer,
            place=wrong.question.subject,
            causes=try_causes(text, label, self.vocabulary, self._logits),
            words_to_flip=words_to_flip(bag, found.logit, self._logits),
        )

    def _logits(self, bags: Sequence[Bag]) -> np.ndarray[Any, np.dtype[np.float64]]:
        """The log-odds of positive, one for each bag."""
        negative, positive = self.classifier.logits(bags).numpy().T
        return positive - negative


def explain(
    run: AnyRun,
    texts: str | Sequence[str] = (),
    *,
    errors: int | None = None,
    sampled: bool = False,
    seed: int = 0,
    threads: int | None = None,
) -> tuple[Explanation, ...]:
    """Rank the words of texts by how much the logit changes when each word is left out.

    The run must be a run of an averaging network (`sentiment`); its primary model is explained.
    With `errors` instead of texts, the wrong answers that the model is surest of are explained,
    on the run's own task; if `sampled`, wrong answers drawn by `seed` instead. Of each error,
    possible causes are tested by changing the text: negation, irony, unseen words, length.
    """
    if isinstance(texts, str):  # a sequence too, of letters
        texts = [texts]
    if bool(texts) == (errors is not None):
        found = "both" if texts else "neither"
        raise UsageError(
            f"explain: expected texts or a number of errors, found {found}; give one of them"
        )
    if errors is not None and errors < 1:
        raise UsageError(f"explain: expected the number of errors to be at least 1, found {errors}")
    if sampled and errors is None:
        raise UsageError("explain: expected a number of errors to sample, found texts")
    check(0 <= seed < 2**32, "explain", "seed", seed, "a whole number from 0, below 2**32")
    opened = open_run(run)
    use_threads(threads, opened.recipe.threads)
    explainer = open_explainer(opened)
    if errors is not None:
        return tuple(explain_errors(opened, explainer, errors, seed if sampled else None))
    return tuple(explainer.explain(text) for text in texts)


def open_explainer(run: Run) -> Explainer:
    """An explainer of the primary model of a finished run of an averaging network."""
    if not isinstance(run.recipe.model, DANConfig):
        raise BadData(
            f"{run.path}: expected a run of an averaging network, found '{run.recipe.name}', whose "
            f"model is a '{run.recipe.model.kind}'; 'wherefrom run sentiment' makes one"
        )
    run.require_finished()
    return Explainer(run.predictor(), run.recipe.primary)


def explain_errors(
    run: Run, explainer: Explainer, count: int, seed: int | None = None
) -> list[Explanation]:
    """Explanations of wrong answers of the primary model on the first task.

    Without a seed, they are those that the model is surest of; with one, they are drawn by it.
    """
    task = run.recipe.tasks[0]
    wrong = [p for p in run.predictions(run.recipe.primary, task.name) if not p.correct]
    wrong.sort(key=lambda p: (-p.answer.probability, p.question.subject))
    if seed is not None:
        place = np.arange(len(wrong), dtype=np.int64)
        (key,) = draws(1, seed=seed, stream=Stream.SAMPLING, stage=2, step=0, row=place)
        wrong = [wrong[int(i)] for i in np.argsort(key, kind="stable")]
    texts = {q.subject: q.text for q in run.questions(task)}
    return [explainer.explain_error(texts[p.question.subject], p) for p in wrong[:count]]


def _show(word: Contribution) -> str:
    times = f" x{word.times}" if word.times > 1 else ""
    return f"{word.word}{times} {word.effect:+.2f}"


def _shuffle(bag: Bag) -> list[Bag]:
    """The words backwards, and in orders drawn from counted randomness."""
    place = np.arange(len(bag), dtype=np.int64)
    keys = draws(SHUFFLES - 1, seed=0, stream=Stream.SAMPLING, stage=0, step=0, row=place)
    return [bag[::-1], *(bag[np.argsort(key, kind="stable")] for key in keys)]
