import numpy as np
import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from wherefrom.core.bags import NO_WORD, BagVocabulary
from wherefrom.core.contracts import Bags
from wherefrom.core.errors import BadData
from wherefrom.models.dan import ACTIVATIONS, DAN, Classifier, DANConfig, gather_bags

CONFIG = DANConfig(width=3, hidden=4, vocab_size=6)
TEXTS = st.lists(st.lists(st.integers(1, 5), min_size=1, max_size=7), min_size=1, max_size=4)


def build(config: DANConfig = CONFIG, seed: int = 0) -> DAN:
    torch.manual_seed(seed)
    return DAN(config)


def ragged(texts: list[list[int]]) -> Bags:
    return gather_bags([np.array(text, int) for text in texts])


@settings(deadline=None, max_examples=20)
@given(TEXTS, st.integers(0, 9))
def test_words_that_are_none_change_nothing(texts, more):
    model = build()
    torch.testing.assert_close(model(ragged(texts)), model(ragged([t + [0] * more for t in texts])))
    means = [model.embedding[text].mean(0) for text in texts]
    torch.testing.assert_close(model.pool(ragged(texts)), torch.stack(means))


def test_a_text_without_words_is_zero():
    assert not build().pool(ragged([[], [0]])).any()


def test_the_gradient_is_that_of_torchs_own_embedding_bag():
    model = build()
    peer = torch.nn.EmbeddingBag(6, 3, mode="mean", padding_idx=0)
    peer.weight.data.copy_(model.embedding.data)
    words, offsets = ragged([[1, 2, 0, 3], [5, 5]])
    y = torch.tensor([0, 1])
    F.cross_entropy(model(Bags(words, offsets)), y).backward()
    x = F.relu(model.layers[0](peer(words, offsets)))
    F.cross_entropy(model.head(x), y).backward()
    torch.testing.assert_close(model.embedding.grad, peer.weight.grad)
    assert model.embedding.grad[[0, 4]].abs().sum() == 0


def test_frozen_vectors_are_no_parameters_and_are_kept_with_the_weights():
    frozen, trained = build(replace(CONFIG, frozen=True)), build()
    assert "embedding" not in dict(frozen.named_parameters())
    assert "embedding" in dict(trained.named_parameters())
    assert frozen.state_dict().keys() == trained.state_dict().keys()


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_the_activation_is_the_one_named(name):
    model = build(replace(CONFIG, activation=name))
    x = model.layers[0](model.pool(ragged([[1, 2]])))
    expected = {"relu": torch.relu(x), "tanh": torch.tanh(x), "sigmoid": 1 / (1 + torch.exp(-x)),
                "gelu": x * torch.special.ndtr(x)}[name]  # fmt: skip
    torch.testing.assert_close(model.features(ragged([[1, 2]]))[:, 0], expected)


def test_vectors_of_another_width_are_refused():
    with pytest.raises(
        BadData, match=r"expected 3 numbers for each of 6 words, found 5 for each of 6"
    ):
        DAN(CONFIG, np.zeros((6, 5), np.float32))


def test_the_classifier_says_the_likelier_label_with_its_probability():
    vocabulary = BagVocabulary((NO_WORD, "good", "bad"))
    config = DANConfig(width=1, depth=0, vocab_size=3)
    model = DAN(config, np.array([[0], [1], [-1]], np.float32))
    with torch.no_grad():
        model.head.weight.copy_(torch.tensor([[0.0], [2.0]]))
        model.head.bias.zero_()
    good, bad, mixed = Classifier(model, vocabulary).answer(["good", "so bad!", "good good bad"])
    odds = np.exp(2.0)
    assert (good.text, bad.text, mixed.text) == ("positive", "negative", "positive")
    assert good.probability == pytest.approx(odds / (1 + odds))
    assert bad.probability == pytest.approx(good.probability)
    assert mixed.probability == pytest.approx(np.exp(2 / 3) / (1 + np.exp(2 / 3)))
    assert good.others[0].text == "negative"
    assert good.others[0].probability == pytest.approx(1 - good.probability)


def test_many_texts_are_read_as_few_are():
    vocabulary = BagVocabulary((NO_WORD, *"abcde"))
    texts = ["abcde"[i % 5] + " " + "edcba"[i % 3] for i in range(1100)] + ["unknown"]
    classifier = Classifier(build(), vocabulary)
    together = classifier.answer(texts)
    alone = [classifier.answer([text])[0] for text in texts[-30:]]
    assert [a.text for a in together[-30:]] == [a.text for a in alone]
    np.testing.assert_allclose(
        [a.probability for a in together[-30:]], [a.probability for a in alone], atol=1e-6
    )
