"""How familiar a model is with a name: what it expected of the name's second part.

A model that has read about Clara Whitfield expects "Whitfield" after "Clara"; one that has
only met Claras and Whitfields does not. Names are put where the text puts them: after the
openings that most often stand before a subject.
"""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from wherefrom.core.contracts import Document
from wherefrom.core.vocabulary import Alphabet
from wherefrom.generation.language_model import LanguageModel
from wherefrom.generation.scoring import score

_CONTEXTS = 4


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
