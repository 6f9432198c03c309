"""Which phrases look like answers, by the words around them: learnt from asked subjects' texts.

An asked subject's answer is known, so a phrase of their text that equals it is an example of what
is asked for, and every other phrase of the same text is not. What stands around the former
("born in", "was the capital of") finds the answers in texts whose answers nobody has given.
"""

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from wherefrom.core.contracts import Span

_TOKEN = re.compile(r"\w+|[^\w\s]")
_AROUND = 40  # characters looked at on either side
_MISSED = 0.02  # share of the known answers that may be missed
_FEWEST = 5  # known answers; with fewer nothing is learnt


@dataclass(frozen=True)
class AnswerContexts:
    """Naive Bayes over what stands before and behind a phrase, and what the phrase looks like."""

    odds: dict[tuple[str, str], float]
    prior: float
    threshold: float

    @classmethod
    def fit(
        cls, texts: Iterable[tuple[str, Sequence[Span], Collection[str]]]
    ) -> "AnswerContexts | None":
        """From (text, its phrases, the subject's answers, folded); None if too few are known."""
        right: list[list[tuple[str, str]]] = []
        wrong: list[list[tuple[str, str]]] = []
        for text, spans, answers in texts:
            for span in spans:
                known = span.of(text).casefold() in answers
                (right if known else wrong).append(_features(text, span))
        if len(right) < _FEWEST:
            return None
        yes = Counter(feature for features in right for feature in features)
        no = Counter(feature for features in wrong for feature in features)
        odds = {
            feature: math.log((yes[feature] + 0.5) / (len(right) + 1))
            - math.log((no[feature] + 0.5) / (len(wrong) + 1))
            for feature in yes | no
        }
        scores = sorted(sum(odds[f] for f in features) for features in right)
        return cls(odds, 0.0, scores[int(_MISSED * len(scores))])

    def looks_asked_for(self, text: str, span: Span) -> bool:
        return sum(self.odds.get(f, 0.0) for f in _features(text, span)) >= self.threshold


def _features(text: str, span: Span) -> list[tuple[str, str]]:
    before = _TOKEN.findall(text[max(0, span.start - _AROUND) : span.start])
    behind = _TOKEN.findall(text[span.end : span.end + _AROUND])
    return [
        ("before", " ".join(before[-2:]).casefold()),
        ("just before", " ".join(before[-1:]).casefold()),
        ("just behind", " ".join(behind[:1]).casefold()),
        ("behind", " ".join(behind[:2]).casefold()),
        ("shape", _shape(span.of(text))),
    ]


def _shape(phrase: str) -> str:
    """Kinds of characters, the length of numbers: 'Aa', 'Aa Aa', '0000', 'a'."""
    shape = re.sub(r"[^\W\d_]+", lambda m: _letters(m[0]), phrase)
    return re.sub(r"\d", "0", shape)[:12]


def _letters(word: str) -> str:
    if word.isupper() and len(word) > 1:
        return "AA"
    return "Aa" if word[:1].isupper() else "a"
