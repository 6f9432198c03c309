"""How familiar a model is with a name: what it expected of the name's second part, and its end.

A model that has read about Clara Whitfield expects "Whitfield" after "Clara"; one that has
only met Claras and Whitfields does not. Nor does it expect a name to end after "Clara", or after
"Clara Whitf". Names are put where the text puts them: after the openings that most often stand
before a subject.
"""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from wherefrom.core.contracts import Document
from wherefrom.core.vocabulary import Alphabet
from wherefrom.generation.language_model import LanguageModel
from wherefrom.generation.scoring import following, score

_CONTEXTS = 4
_JOINS = "-"  # goes on a word as letters do; an apostrophe may begin the 's after a name
_LEAST = 1e-6  # chance of an end


def openings(documents: Sequence[Document], count: int = _CONTEXTS) -> list[str]:
    """What most often stands before a subject in the text, the commonest first."""
    seen = Counter(d.text[: d.subject.start] for d in documents if d.subject)
    return [text for text, _ in sorted(seen.items(), key=lambda x: (-x[1], x[0]))[:count]]


def familiarity(
    model: LanguageModel, vocabulary: Alphabet, names: Sequence[str], contexts: Sequence[str]
) -> np.ndarray:
    """For each name, (N, 3): log P of the rest of the name after its first word, that of its
    least expected character, and that of the first word's least expected one after its first
    letter; each the mean over the contexts."""
    texts, starts, rests = [], [], []
    for name in names:
        first, _, rest = name.partition(" ")
        for context in contexts:
            texts.append(vocabulary.encode(context + name))
            last = len(texts[-1]) - 1
            starts.append(max(1, min(len(context) + 1, last)))
            rests.append(max(1, min(len(context) + (len(first) + 1 if rest else 1), last)))
    table = []
    for scores, start, rest in zip(score(model, texts, starts), starts, rests, strict=True):
        after, word = scores[rest - start :], scores[: rest - start]
        table.append((after.sum(), after.min(initial=0.0), word.min(initial=0.0)))
    return np.array(table).reshape(len(names), len(contexts), 3).mean(1)


def ending(
    model: LanguageModel, vocabulary: Alphabet, names: Sequence[str], contexts: Sequence[str]
) -> np.ndarray:
    """For each name, (N,): log P that it is at an end, the mean over the contexts.

    It is not where a letter follows, or a space and a capital, as in a longer name.
    """
    if not len(names):
        return np.zeros(0)
    characters = vocabulary.characters
    letters = [i for i, c in enumerate(characters) if c.isalpha() or c in _JOINS]
    capitals = [i for i, c in enumerate(characters) if c.isupper()]
    (space,) = vocabulary.encode(" ")
    texts = [vocabulary.encode(f"{context}{name} ") for name in names for context in contexts]
    after_name, after_space = following(model, texts, 2).swapaxes(0, 1)
    goes_on = after_name[:, letters].sum(1)
    goes_on = goes_on + after_name[:, space] * after_space[:, capitals].sum(1)
    chance = np.log(np.maximum(1 - goes_on.astype(np.float64), _LEAST))
    return chance.reshape(len(names), len(contexts)).mean(1)
