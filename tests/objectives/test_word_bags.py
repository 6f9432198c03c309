import numpy as np
import pytest

from wherefrom.core.bags import NO_WORD, BagVocabulary
from wherefrom.core.contracts import Bags, Objective, Question
from wherefrom.core.errors import BadData
from wherefrom.core.randomness import Stream, draws
from wherefrom.data.reviews import LABELS
from wherefrom.objectives.word_bags import BagsConfig, LabelledBags

VOCABULARY = BagVocabulary((NO_WORD, "good", "bad", "film"))
TEXTS = {"good film": 1, "bad": 0, "good good film film": 1, "bad bad film": 0, "unheard": 1}
REVIEWS = [Question(t, t, "sentiment", LABELS[n], "asked") for t, n in TEXTS.items()]


def objective(word_dropout: float = 0.0, rows: int = 2, order: str = "shuffled") -> LabelledBags:
    return LabelledBags(
        BagsConfig(word_dropout),
        REVIEWS,
        VOCABULARY,
        LABELS,
        rows=rows,
        seed=7,
        stage=1,
        order=order,
    )


def bags(batch_inputs: Bags) -> list[list[int]]:
    ends = [*batch_inputs.offsets.tolist()[1:], len(batch_inputs.words)]
    pairs = zip(batch_inputs.offsets.tolist(), ends, strict=True)
    return [batch_inputs.words[a:b].tolist() for a, b in pairs]


def test_a_batch_is_the_words_of_each_review_and_its_label():
    made: Objective = objective(rows=5, order="file")
    batch = made.render(made.plan(0, 1), 0)
    assert bags(batch.inputs) == [[1, 3], [2], [1, 1, 3, 3], [2, 2, 3], []]
    assert batch.targets.tolist() == [[1], [0], [1], [0], [1]]
    assert batch.weights.tolist() == [[1.0]] * 5
    assert batch.lengths.tolist() == [2, 1, 4, 3, 0]


def test_words_are_dropped_by_counted_draws():
    made = objective(0.25, rows=5, order="file")
    batch = made.render(made.plan(3, 1), 0)
    words = np.array([1, 3, 2, 1, 1, 3, 3, 2, 2, 3])
    drawn = draws(4, seed=7, stream=Stream.WORDS, stage=1, step=3, row=np.arange(3))
    dropped = (np.stack(drawn, 1).ravel()[:10]) < 2**30
    np.testing.assert_array_equal(batch.inputs.words, np.where(dropped, 0, words))


def test_without_reviews_there_is_nothing_to_train_on():
    with pytest.raises(BadData, match="at least one to train on"):
        LabelledBags(BagsConfig(), [], VOCABULARY, LABELS, rows=1, seed=0, stage=0)
