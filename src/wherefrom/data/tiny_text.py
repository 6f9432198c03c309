"""A generated text whose true perplexity is known: a Markov chain over made-up words.

Words fall into classes, as parts of speech do, and the next word depends on the class of the
one before; so a network with fewer hidden units than words can learn the chain. All its
probabilities are ratios of integers, and so the text is the same on every machine.
"""

import numpy as np

from wherefrom.core.bounds import check_share, check_whole
from wherefrom.core.config import TaggedConfig, check
from wherefrom.core.contracts import Dataset, Document
from wherefrom.core.randomness import Stream, below, draws

_SYLLABLES = [onset + vowel for onset in "bdfgklmnprstvz" for vowel in "aeiou"]
_SPREAD = 337  # shares no factor with the number of two-syllable words: no word comes twice

# Places in the WORLD stream; sentences have stage 1 to themselves, a step a position.
_CLASS, _WEIGHT, _END = 0, 1, 2
_OCTAVES = 10  # weights are powers of two from 1 to 512, so that some words are rare
MOST_SENTENCES = 1_000_000


class TinyTextConfig(TaggedConfig, frozen=True, tag="tiny-text"):
    sentences: int = 4000
    words: int = 60
    classes: int = 6
    held_out: float = 0.1  # share of the sentences, at the end

    def __post_init__(self) -> None:
        name, most = "TinyTextConfig", len(_SYLLABLES) ** 2
        check_whole(self, "words", 2, most)
        check_whole(self, "classes", 1, most)
        check_whole(self, "sentences", 2, MOST_SENTENCES)
        check_share(self, "held_out")
        fits = 0 < round(self.sentences * self.held_out) < self.sentences
        check(fits, name, "held_out", self.held_out, "a share that leaves sentences on both sides")

    @property
    def held_out_sentences(self) -> int:
        return round(self.sentences * self.held_out)


def load(config: TinyTextConfig, seed: int) -> Dataset:
    names = [_spell(i) for i in range(config.words)]
    documents = tuple(
        Document(" ".join(names[i] for i in sentence)) for sentence in sentences(config, seed)
    )
    return Dataset(documents, held_out=config.held_out_sentences)


def transitions(config: TinyTextConfig, seed: int) -> np.ndarray:
    """The chain: integer weights of what may follow, [words + 1, words + 1].

    The last row is a sentence's begin, the last column its end, which never follows the begin.
    """
    count = config.words

    def draw(place: int, size: int) -> np.ndarray:
        rows = np.arange(size, dtype=np.int64)
        return draws(1, seed=seed, stream=Stream.WORLD, stage=0, step=place, row=rows)[0]

    groups = config.classes + 1  # the begin is a class of its own
    class_of = np.append(below(draw(_CLASS, count), config.classes), config.classes)
    octaves = below(draw(_WEIGHT, groups * count), _OCTAVES).reshape(groups, count)
    follow = np.int64(1) << octaves
    ends = np.maximum(follow.sum(1) // (4 + below(draw(_END, groups), 8)), 1)
    ends[-1] = 0
    return np.hstack([follow, ends[:, None]])[class_of]


def sentences(config: TinyTextConfig, seed: int) -> list[list[int]]:
    """All sentences, as word numbers, drawn side by side, one position at a time."""
    edge = config.words
    bounds = transitions(config, seed).cumsum(1)
    totals, span = bounds[:, -1], bounds.max() + 1
    line = (bounds + span * np.arange(edge + 1)[:, None]).ravel()  # all rows on one rising line
    made: list[list[int]] = [[] for _ in range(config.sentences)]
    rows, last, step = np.arange(config.sentences, dtype=np.int64), np.array([edge]), 0
    while rows.size:  # no limit on length: cutting would make it another chain
        word = draws(1, seed=seed, stream=Stream.WORLD, stage=1, step=step, row=rows)[0]
        target = span * last + below(word, totals[last])
        drawn = np.searchsorted(line, target, side="right") - (edge + 1) * last
        rows, last, step = rows[drawn != edge], drawn[drawn != edge], step + 1
        for row, number in zip(rows.tolist(), last.tolist(), strict=True):
            made[row].append(number)
    return made


def _spell(number: int) -> str:
    """A two-syllable word; neighbours in number do not look alike."""
    place = number * _SPREAD % len(_SYLLABLES) ** 2
    return _SYLLABLES[place // len(_SYLLABLES)] + _SYLLABLES[place % len(_SYLLABLES)]
