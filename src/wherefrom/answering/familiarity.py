"""How familiar a model is with a name: what it expects of the name's second part and of its end.

A model that has read about Clara Whitfield expects "Whitfield" after "Clara"; one that has
only met Claras and Whitfields does not. Nor does it expect a name to end after "Clara", or after
"Clara Whitf". Names are put where the text puts them: after the openings that most often stand
before a subject.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from wherefrom.answering.feature_table import FeatureTable
from wherefrom.core.contracts import Document
from wherefrom.core.errors import BadData
from wherefrom.core.vocabulary import Alphabet
from wherefrom.generation.language_model import LanguageModel
from wherefrom.generation.scoring import following, score

# What is measured of a name, each a log-probability averaged over the openings:
REST = "rest"  # of all that comes after the first word
LEAST_EXPECTED = "least_expected"  # of the least expected character there
FIRST_WORD = "first_word"  # of the first word's least expected character after its first
ENDING = "ending"  # that the name ends where it ends
MEASURES = (REST, LEAST_EXPECTED, FIRST_WORD, ENDING)

# What calibration and the name gate use: two of them, in spreads of known names.
_FEATURES = {"familiarity": REST, "least_familiar": LEAST_EXPECTED}
FAMILIARITY = tuple(_FEATURES)

_OPENINGS = 4
_JOINS = "-"  # continues a word as letters do; an apostrophe may begin the 's after a name
_LEAST = 1e-6  # probability of an end
_SPREADS = 6.0  # beyond this many standard deviations a name is as unfamiliar as it gets
_TINY = 1e-12
# Nearly all known names surely end where they end, so the spread of that is nearly 0. A fifth of
# the usual probability is strange enough to count as unfamiliar.
_SURE_END = np.log(5) / _SPREADS


@dataclass(frozen=True)
class FamiliarityReference:
    """Mean and standard deviation of each measure over names that the model must know.

    They are stored with the calibration, which was fitted on features in these units.
    """

    mean: Mapping[str, float]
    spread: Mapping[str, float]

    def __post_init__(self) -> None:
        for name, part in (("mean", self.mean), ("spread", self.spread)):
            if {*part} != {*MEASURES} or not np.isfinite([*part.values()]).all():
                raise BadData(
                    f"familiarity: expected a finite {name} of {', '.join(MEASURES)}, found {part}"
                )
        if min(self.spread.values()) <= 0:
            raise BadData(f"familiarity: expected spreads above 0, found {self.spread}")

    @classmethod
    def of(cls, known: FeatureTable) -> "FamiliarityReference":
        values = known.matrix(MEASURES)
        mean, spread = values.mean(0), values.std(0) + _TINY
        spread[MEASURES.index(ENDING)] = max(spread[MEASURES.index(ENDING)], _SURE_END)
        return cls(
            dict(zip(MEASURES, mean.tolist(), strict=True)),
            dict(zip(MEASURES, spread.tolist(), strict=True)),
        )

    def standardise(self, measured: FeatureTable) -> FeatureTable:
        """FAMILIARITY of names: how many spreads they lie from those that the model knows.

        A name may be strange in one part only: after its first word, in one character there, in
        its first word, or because it ends too soon. Calibration people without text are strange
        in the first two ways at once, so a curve cannot learn to mind each by itself. Therefore,
        where one part is as unfamiliar as it gets, the whole name is.
        """
        mean, spread = (np.array([part[m] for m in MEASURES]) for part in (self.mean, self.spread))
        known = np.clip((measured.matrix(MEASURES) - mean) / spread, -_SPREADS, _SPREADS)
        known[known.min(axis=1) == -_SPREADS] = -_SPREADS
        table = FeatureTable.from_matrix(known, MEASURES)
        return FeatureTable({feature: table[measure] for feature, measure in _FEATURES.items()})


def find_openings(documents: Sequence[Document], count: int = _OPENINGS) -> list[str]:
    """What most often stands before a subject in the text, the commonest first."""
    seen = Counter(d.text[: d.subject.start] for d in documents if d.subject)
    return [text for text, _ in sorted(seen.items(), key=lambda x: (-x[1], x[0]))[:count]]


def measure_familiarity(
    model: LanguageModel, vocabulary: Alphabet, names: Sequence[str], openings: Sequence[str]
) -> FeatureTable:
    """The four MEASURES of each name, each the mean over the openings."""
    inside = _inside(model, vocabulary, names, openings)
    end = _ending(model, vocabulary, names, openings)
    return FeatureTable.from_matrix(np.column_stack((inside, end)), MEASURES)


def measure_likelihood(
    model: LanguageModel, vocabulary: Alphabet, names: Sequence[str], openings: Sequence[str]
) -> np.ndarray:
    """REST alone, for thousands of names: the other measures cost more than it does."""
    return _inside(model, vocabulary, names, openings)[:, 0]


def _inside(
    model: LanguageModel, vocabulary: Alphabet, names: Sequence[str], openings: Sequence[str]
) -> np.ndarray:
    """(N, 3): REST, LEAST_EXPECTED and FIRST_WORD."""
    texts: list[list[int]] = []
    starts: list[int] = []
    rests: list[int] = []
    for name in names:
        first, _, rest = name.partition(" ")
        for opening in openings:
            texts.append(vocabulary.encode(opening + name))
            last = len(texts[-1]) - 1
            starts.append(max(1, min(len(opening) + 1, last)))
            rests.append(max(1, min(len(opening) + (len(first) + 1 if rest else 1), last)))
    rows: list[tuple[float, float, float]] = []
    for scores, start, rest in zip(score(model, texts, starts), starts, rests, strict=True):
        after, word = scores[rest - start :], scores[: rest - start]
        rows.append((after.sum(), after.min(initial=0.0), word.min(initial=0.0)))
    return np.array(rows).reshape(len(names), len(openings), 3).mean(1)


def _ending(
    model: LanguageModel, vocabulary: Alphabet, names: Sequence[str], openings: Sequence[str]
) -> np.ndarray:
    """(N,): log P that each name is at an end.

    It is not where a letter follows, or a space and a capital, as in a longer name.
    """
    if not len(names):
        return np.zeros(0)
    characters = vocabulary.characters
    letters = [i for i, c in enumerate(characters) if c.isalpha() or c in _JOINS]
    capitals = [i for i, c in enumerate(characters) if c.isupper()]
    (space,) = vocabulary.encode(" ")
    texts = [vocabulary.encode(f"{opening}{name} ") for name in names for opening in openings]
    after_name, after_space = following(model, texts, 2).swapaxes(0, 1)
    goes_on = after_name[:, letters].sum(1)
    goes_on = goes_on + after_name[:, space] * after_space[:, capitals].sum(1)
    chance = np.log(np.maximum(1 - goes_on.astype(np.float64), _LEAST))
    return chance.reshape(len(names), len(openings)).mean(1)
