"""Possible causes of an averaging network's error, each tested by changing the text.

A cause is an idea: "it did not understand the negation". Its test takes what is meant out of the
text, or repairs it, and asks the network again. To change a text is already to change the answer a
little, so that the same number of words is also changed at random, several times: a cause explains
an error only if the answer flips, and moves further than in any of the random changes.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from wherefrom.core.bags import BagVocabulary, split_words
from wherefrom.core.plurals import plural
from wherefrom.core.randomness import Stream, draws

CONTROLS = 20
NEGATIONS = frozenset(
    "n't not no never nothing nobody none neither nor nowhere without hardly barely cannot".split()
)
# Words that often carry irony; marks and words in quotation marks are looked for too.
IRONY = frozenset(
    "! ? oh wow yeah gee bravo congratulations supposedly supposed apparently obviously sure "
    "surely right genius thanks".split()
)
SCOPE = 3  # words after a negation that it is taken to negate
CUT = 50  # words that a long text is cut to
_QUOTED = re.compile(r'"([^"]{1,30})"')
_PREFIX = 4  # letters that an unseen word must share with one that is known
_SHOWN = 6

Bag = np.ndarray[Any, np.dtype[Any]]
Changed = tuple[list[str], list[str]]  # a text's words after a change, and what was changed
Logits = Callable[[Sequence[Bag]], np.ndarray[Any, np.dtype[np.float64]]]


@dataclass(frozen=True)
class TriedCause:
    """One idea about an error, and what came of testing it.

    `found` are the words that the test concerns and `changed` is their number; with none, the text
    does not have what the idea is about. `before` and `after` are the probabilities of the wrong
    answer, and `control` the lowest and the highest one after changing as many words at random.
    """

    cause: str
    test: str
    found: tuple[str, ...]
    changed: int
    before: float
    after: float
    control: tuple[float, float]

    @property
    def flips(self) -> bool:
        """Whether the answer becomes the right one."""
        return bool(self.changed) and self.after < 0.5

    @property
    def explains(self) -> bool:
        return self.flips and self.after < self.control[0]

    def as_json(self) -> dict[str, Any]:
        written = {f.name: getattr(self, f.name) for f in fields(self)}
        written |= {"found": list(self.found), "control": list(self.control)}
        return written | {"flips": self.flips, "explains": self.explains}

    def in_words(self) -> str:
        if not self.changed:
            return f"{self.cause}: none in the text"
        named = dict.fromkeys(self.found)
        shown = ", ".join(list(named)[:_SHOWN]) + (", ..." if len(named) > _SHOWN else "")
        moved = f"{100 * self.before:.1f} -> {100 * self.after:.1f} %"
        low, high = (f"{100 * p:.1f}" for p in self.control)
        verdict = "explains it" if self.explains else "flips too" if self.flips else "no"
        about = f" ({shown})" if shown else ""
        return (
            f"{self.cause}: {self.test} {self.changed} {plural('word', self.changed)}{about}: "
            f"{moved}; at random {low} to {high} %; {verdict}"
        )


def count_causes(errors: Sequence[Sequence[TriedCause]]) -> list[str]:
    """What the tests of several errors come to, a line for each cause: how many errors have what
    it is about, how many flip by its test, and how many it explains."""
    return [
        f"{each[0].cause}: present in {sum(tried.changed > 0 for tried in each)} of {len(errors)} "
        f"errors, flips {sum(tried.flips for tried in each)}, explains "
        f"{sum(tried.explains for tried in each)}"
        for each in zip(*errors, strict=True)
    ]


def try_causes(
    text: str, label: int, vocabulary: BagVocabulary, logits: Logits
) -> tuple[TriedCause, ...]:
    """Every cause tested on a text that the network wrongly gives this label (1: positive).

    `logits` gives the log-odds of positive of some bags.
    """
    words = split_words(text)
    bag = vocabulary.number(words)

    def wrong(bags: Sequence[Bag]) -> np.ndarray[Any, np.dtype[np.float64]]:
        """The probability of the wrong label."""
        return 1 / (1 + np.exp(-(2 * label - 1) * logits(bags)))

    before = float(wrong([bag])[0])
    found: list[TriedCause] = []
    for cause, (test, change) in CAUSES.items():
        left, changed = change(text, words, vocabulary)
        after = vocabulary.number(left)
        if not changed or not len(after):
            found.append(TriedCause(cause, test, (), 0, before, before, (before, before)))
            continue
        p = wrong([after, *_controls(bag, len(after))])
        count = abs(len(after) - len(bag))
        control = float(p[1:].min()), float(p[1:].max())
        shown = () if cause.startswith("length") else tuple(changed)
        found.append(TriedCause(cause, test, shown, count, before, float(p[0]), control))
    return tuple(found)


def words_to_flip(bag: Bag, logit: float, logits: Logits) -> int | None:
    """How many different words must go before the answer flips, the strongest first.

    The words of the text that speak for the given answer are left out one after the other; None
    if that is not enough.
    """
    sign = 1 if logit > 0 else -1
    numbers = np.unique(bag)
    effects = sign * (logit - logits([bag[bag != n] for n in numbers]))
    left = bag
    for count, place in enumerate(np.argsort(-effects, kind="stable"), 1):
        left = left[left != numbers[place]]
        if effects[place] <= 0 or not len(left):
            return None
        if sign * logits([left])[0] < 0:
            return count
    return None


def _controls(bag: Bag, size: int) -> list[Bag]:
    """Bags of the same size: random words of the text left out, or some of them once more."""
    place = np.arange(max(len(bag), size), dtype=np.int64)
    keys = draws(CONTROLS, seed=0, stream=Stream.SAMPLING, stage=1, step=0, row=place)
    if size <= len(bag):
        return [bag[np.sort(np.argsort(key[: len(bag)], kind="stable")[:size])] for key in keys]
    more = size - len(bag)
    return [np.concatenate([bag, bag[key[:more] % len(bag)]]) for key in keys]


def _without(words: Sequence[str], gone: Iterable[int]) -> Changed:
    left_out = set(gone)
    kept = [w for i, w in enumerate(words) if i not in left_out]
    return kept, [words[i] for i in sorted(left_out)]


def _drop_negations(text: str, words: list[str], vocabulary: BagVocabulary) -> Changed:
    return _without(words, (i for i, w in enumerate(words) if w in NEGATIONS))


def _drop_negated(text: str, words: list[str], vocabulary: BagVocabulary) -> Changed:
    at = [i for i, w in enumerate(words) if w in NEGATIONS]
    reach = {j for i in at for j in range(i, min(i + SCOPE + 1, len(words)))}
    return _without(words, reach)


def _drop_irony(text: str, words: list[str], vocabulary: BagVocabulary) -> Changed:
    """Without marks and words that often carry irony, and without short quotations."""
    gone = [w for w in words if w in IRONY]
    gone += [w for found in _QUOTED.findall(text) for w in split_words(found)]
    unquoted = split_words(_QUOTED.sub(" ", text))
    return [w for w in unquoted if w not in IRONY], gone


def _replace_unseen(text: str, words: list[str], vocabulary: BagVocabulary) -> Changed:
    """Every unseen word becomes the known one that shares the longest beginning with it."""
    unseen = [w for w in dict.fromkeys(words) if w not in vocabulary and len(w) >= _PREFIX]
    if not unseen:
        return words, []
    known = [w for w in vocabulary.words if len(w) >= _PREFIX]
    nearest = {w: near for w in unseen if (near := _nearest(w, known))}
    return [nearest.get(w, w) for w in words], list(nearest)


def _nearest(word: str, known: Sequence[str]) -> str | None:
    for length in range(len(word), _PREFIX - 1, -1):
        same = [w for w in known if w.startswith(word[:length])]
        if same:
            return min(same, key=lambda w: (abs(len(w) - len(word)), w))
    return None


def _keep_first(text: str, words: list[str], vocabulary: BagVocabulary) -> Changed:
    return words[:CUT], words[CUT:]


def _keep_last(text: str, words: list[str], vocabulary: BagVocabulary) -> Changed:
    return words[-CUT:], words[:-CUT]


CAUSES: dict[str, tuple[str, Callable[[str, list[str], BagVocabulary], Changed]]] = {
    "negation": ("without", _drop_negations),
    "negated words": (f"without negations and {SCOPE} words after each, in all", _drop_negated),
    "irony": ("without", _drop_irony),
    "unseen words": ("with a known word that begins alike for", _replace_unseen),
    f"length, first {CUT}": ("without the other", _keep_first),
    f"length, last {CUT}": ("without the other", _keep_last),
}
