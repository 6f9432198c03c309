"""The generated text against the chain it was drawn from."""

import numpy as np

from wherefrom.data.tiny_text import (
    TinyTextConfig,
    load,
    sentences,
    transitions,
)

SMALL = TinyTextConfig(sentences=300, words=12, classes=3, held_out=0.2)
LARGE = TinyTextConfig(sentences=20_000, words=12, classes=3, held_out=0.9)


def test_sentences_do_not_depend_on_how_many_are_made():
    fewer = TinyTextConfig(sentences=50, words=12, classes=3)
    assert load(SMALL, 0).documents[:50] == load(fewer, 0).documents
    assert load(SMALL, 1).documents[:50] != load(fewer, 0).documents, "they depend on the seed"


def test_all_words_differ():
    many = TinyTextConfig(sentences=4000, words=1000)
    text = " ".join(d.text for d in load(many, 0).documents).split()
    numbers = [w for s in sentences(many, 0) for w in s]
    spelt = dict(zip(numbers, text, strict=True))
    assert len(set(spelt.values())) == len(spelt) > 900


def test_words_follow_each_other_as_often_as_the_chain_says():
    """By chi squared, whose mean is the number of its terms, and whose variance twice that."""
    found = np.zeros((13, 13))
    for sentence in sentences(LARGE, 1):
        np.add.at(found, ([12, *sentence], [*sentence, 12]), 1)
    weights = transitions(LARGE, 1)
    expected = weights / weights.sum(1, keepdims=True) * found.sum(1, keepdims=True)
    assert found[expected == 0].sum() == 0
    seen = expected >= 5  # where chi-square may be used
    statistic = ((found - expected)[seen] ** 2 / expected[seen]).sum()
    assert statistic < seen.sum() + 4 * np.sqrt(2 * seen.sum())
