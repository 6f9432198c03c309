"""Which phrases look like answers, by the words around them: learnt from asked subjects' texts.

An asked subject's answer is known, so a phrase of their text that equals it is an example of what
is asked for, and every other phrase of the same text is not. What stands around the former
("born in", "the capital of") finds the answers in texts whose answers nobody has given.
"""

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from wherefrom.core.contracts import Span

# A text, its phrases, and which of them (folded) answer the question about its subject.
Example = tuple[str, Sequence[Span], Collection[str]]
Feature = tuple[str, str]
Features = tuple[Feature, ...]

_TOKEN = re.compile(r"\w+|[^\w\s]")
_DIGIT = re.compile(r"\d")
_LETTERS = re.compile(r"[^\W\d_]+")
_AROUND = 40  # characters looked at on either side
_MISSED = 0.02  # share of the known answers that may be missed
_FEWEST = 5  # known answers; with fewer nothing is learnt


@dataclass(frozen=True)
class AnswerContexts:
    """Naive Bayes for one relation: the log-odds of each feature of an answer's surroundings."""

    odds: Mapping[Feature, float]
    threshold: float

    @classmethod
    def fit(cls, examples: Iterable[Example]) -> "AnswerContexts | None":
        """Learn what stands around answers; None if too few answers stand in their texts."""
        right: list[Features] = []
        wrong: list[Features] = []
        for text, spans, answers in examples:
            for span in spans:
                is_answer = span.of(text).casefold() in answers
                (right if is_answer else wrong).append(describe(text, span))
        if len(right) < _FEWEST:
            return None
        yes, no = (Counter(f for found in group for f in found) for group in (right, wrong))

        def odds(feature: Feature, own: int = 0) -> float:
            """How much likelier a feature is of an answer, `own` of the counted answers aside."""
            likely = math.log((yes[feature] - own + 0.5) / (len(right) - own + 1))
            return likely - math.log((no[feature] + 0.5) / (len(wrong) + 1))

        # Each known answer is scored by the others: a new subject's words are new, too.
        scores = sorted(sum(odds(feature, 1) for feature in found) for found in right)
        threshold = scores[int(_MISSED * len(scores))]
        return cls({feature: odds(feature) for feature in yes | no}, threshold)

    def fit_for(self, found: Features) -> bool:
        """Whether a phrase with such surroundings may be an answer."""
        return sum(self.odds.get(feature, 0.0) for feature in found) >= self.threshold


def describe(text: str, span: Span) -> Features:
    """The words before and behind a phrase, and what the phrase looks like."""
    before = _words(text[max(0, span.start - _AROUND) : span.start])
    behind = _words(text[span.end : span.end + _AROUND])
    return (
        ("before", " ".join(before[-2:])),
        ("just before", " ".join(before[-1:])),
        ("just behind", " ".join(behind[:1])),
        ("behind", " ".join(behind[:2])),
        ("shape", _shape(span.of(text))),
    )


def _words(text: str) -> list[str]:
    return [_reduce(word) for word in _TOKEN.findall(text)]


@lru_cache(maxsize=1 << 16)
def _reduce(word: str) -> str:
    """A word, folded; of a number only how long it is, of a name only that it is one."""
    word = _DIGIT.sub("0", word)
    return word.casefold() if word.islower() else _shape(word)


@lru_cache(maxsize=1 << 16)
def _shape(phrase: str) -> str:
    """Kinds of characters instead of the characters: 'Aa', 'Aa Aa', '0000', 'a'."""
    shape = _LETTERS.sub(lambda match: _letters(match[0]), phrase)
    return _DIGIT.sub("0", shape)[:12]


def _letters(word: str) -> str:
    if word.isupper() and len(word) > 1:
        return "AA"
    return "Aa" if word[:1].isupper() else "a"
