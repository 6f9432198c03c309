"""Generated film reviews, for where there are no real ones: they say nothing about English.

A review is a few sentences about parts of a film, four in five of which agree with its label.
One in six praises or blames by denying the opposite ("not boring"), which a model that does not
see the order of words cannot read.
"""

import numpy as np

from wherefrom.core.randomness import Stream, below, draws

_PARTS = (
    "plot acting music ending dialogue camera pace cast script editing humour villain hero "
    "scenery opening soundtrack direction romance mystery action"
).split()
_BLAME = (
    "boring awful wooden clumsy tedious hollow predictable lazy ugly silly shallow dull stale "
    "confusing painful forgettable grating lifeless messy weak"
).split()
_PRAISE = (
    "moving brilliant gripping charming funny elegant fresh clever beautiful warm honest subtle "
    "thrilling tender sharp delightful memorable graceful lively superb"
).split()
_OPENINGS = (
    "i saw this film last week .",
    "my brother chose this one .",
    "we watched it on a rainy evening .",
    "it ran at the small cinema in our town .",
)
_FORMS = (
    "the {part} was {word} .",
    "how {word} the {part} was !",
    "i found the {part} {word} .",
    "its {part} is {word} .",
)
_DENIALS = ("the {part} was not {word} .", "i did n't find the {part} {word} .")
_FEWEST, _SPREAD = 3, 4  # sentences with an opinion: 3 to 6
_AGREE, _DENY = 5, 6  # one in so many disagrees with the label; one in so many denies


def generate(count: int, seed: int, part: int) -> list[tuple[str, int]]:
    """So many reviews with their labels (1: positive); `part` keeps train and test apart."""
    rows = np.arange(count, dtype=np.int64)

    def draw(step: int, *bounds: int) -> list[np.ndarray]:
        words = draws(len(bounds), seed=seed, stream=Stream.WORLD, stage=part, step=step, row=rows)
        return [below(word, bound) for word, bound in zip(words, bounds, strict=True)]

    label, length, opening = draw(0, 2, _SPREAD, len(_OPENINGS))
    sentences = [
        np.stack(draw(1 + i, _AGREE, _DENY, len(_PARTS), len(_PRAISE), len(_FORMS)), 1)
        for i in range(_FEWEST + _SPREAD - 1)
    ]
    texts = [
        " ".join(
            [_OPENINGS[opening[row]]]
            + [_sentence(label[row], *s[row]) for s in sentences[: _FEWEST + length[row]]]
        )
        for row in range(count)
    ]
    return list(zip(texts, label.tolist(), strict=True))


def _sentence(label: int, agree: int, deny: int, part: int, word: int, form: int) -> str:
    praises, denies = (label == 1) != (agree == 0), deny == 0
    words = _PRAISE if praises != denies else _BLAME
    forms = _DENIALS if denies else _FORMS
    return forms[form % len(forms)].format(part=_PARTS[part], word=words[word])
