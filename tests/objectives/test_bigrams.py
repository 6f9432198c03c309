import numpy as np
import pytest

from wherefrom.core.contracts import Objective
from wherefrom.core.errors import BadData
from wherefrom.core.words import WordVocabulary
from wherefrom.objectives.bigrams import Bigrams, BigramTable

TEXTS = ["the cat sat", "cat", "the the"]
VOCABULARY = WordVocabulary.from_text(TEXTS)  # cat 2, sat 3, the 4
PAIRS = VOCABULARY.bigrams(TEXTS)


def test_bigrams_stand_between_begin_and_end_and_never_cross():
    expected = [(0, 4), (4, 2), (2, 3), (3, 1), (0, 2), (2, 1), (0, 4), (4, 4), (4, 1)]
    assert PAIRS.tolist() == [list(pair) for pair in expected]
    assert PAIRS.dtype == np.int64
    assert VOCABULARY.bigrams([]).shape == (0, 2)
    assert VOCABULARY.bigrams([""]).tolist() == [[0, 1]]


def test_render_gives_the_planned_bigrams_each_counted_once():
    objective = Bigrams(PAIRS, rows=4, seed=0, stage=0)
    batch = objective.render(np.array([[0, 0, 0, 0], [8, 3, 3, 1]]), 1)
    assert batch.inputs.tolist() == [4, 3, 3, 4]
    assert batch.targets.tolist() == [1, 1, 1, 2]
    assert batch.weights.tolist() == [1, 1, 1, 1]


def test_a_table_has_every_different_bigram_and_how_often_it_occurs():
    table: Objective = BigramTable(PAIRS)
    plan = table.plan(3, 5)
    assert plan.tolist() == [3, 4, 5, 6, 7]
    for index in (0, 4):
        batch = table.render(plan, index)
        rows = zip(batch.inputs, batch.targets, batch.weights, strict=True)
        assert sorted(tuple(map(int, row)) for row in rows) == [
            (0, 2, 1), (0, 4, 2), (2, 1, 1), (2, 3, 1), (3, 1, 1), (4, 1, 1), (4, 2, 1), (4, 4, 1),
        ]  # fmt: skip


def test_a_text_without_bigrams_is_refused():
    with pytest.raises(BadData, match="at least one sentence"):
        Bigrams(PAIRS[:0], rows=4, seed=0, stage=0)
    with pytest.raises(BadData, match="at least one sentence"):
        BigramTable(PAIRS[:0])
