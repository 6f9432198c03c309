from dataclasses import replace

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st

from wherefrom.core.bags import NO_WORD, BagVocabulary
from wherefrom.core.contracts import Bags
from wherefrom.core.errors import BadData
from wherefrom.models.dan import ACTIVATIONS, DAN, Classifier, DANConfig, DANVariant, gather_bags

CONFIG = DANConfig(width=3, hidden=4, vocab_size=6)
TEXTS = st.lists(st.lists(st.integers(1, 5), min_size=1, max_size=7), min_size=1, max_size=4)


def build(config: DANConfig = CONFIG, seed: int = 0) -> DAN:
    torch.manual_seed(seed)
    return DAN(config)


def pad(texts: list[list[int]], width: int) -> torch.Tensor:
    return torch.tensor([text + [0] * (width - len(text)) for text in texts])


def ragged(texts: list[list[int]]) -> Bags:
    return gather_bags([np.array(text) for text in texts])


def test_pooling_is_the_mean_of_the_real_words():
    vectors = np.arange(18, dtype=np.float32).reshape(6, 3)
    model = DAN(CONFIG, vectors)
    found = model.pool(ragged([[1, 2], [5], []]))
    np.testing.assert_array_equal(found.detach(), [[4.5, 5.5, 6.5], [15, 16, 17], [0, 0, 0]])


@settings(deadline=None, max_examples=20)
@given(TEXTS, st.integers(0, 9))
def test_padding_changes_nothing(texts, more):
    model = build()
    width = max(map(len, texts))
    narrow, wide = model(pad(texts, width)), model(pad(texts, width + more))
    torch.testing.assert_close(narrow, wide)
    torch.testing.assert_close(model(ragged(texts)), wide)


@settings(deadline=None, max_examples=20)
@given(TEXTS, st.data())
def test_dropped_words_and_their_absence_are_the_same(texts, data):
    model = build()
    kept = [[w if data.draw(st.booleans()) else 0 for w in text] for text in texts]
    torch.testing.assert_close(
        model(ragged(kept)), model(ragged([[w for w in text if w] for text in kept]))
    )


@settings(deadline=None, max_examples=20)
@given(st.permutations([1, 1, 2, 3, 4, 5, 5, 5]))
def test_the_order_of_words_does_not_matter(words):
    model = build(replace(CONFIG, depth=3)).double()
    torch.testing.assert_close(model(ragged([words])), model(ragged([sorted(words)])))


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
    assert model.embedding.grad is not None
    assert model.embedding.grad[[0, 4]].abs().sum() == 0


def fit_logistic(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The probabilities of a logistic regression with penalty |w|^2 / 2, by Newton's method."""
    x = np.column_stack((x, np.ones(len(x))))
    penalty, w = np.diag([1.0] * (x.shape[1] - 1) + [0.0]), np.zeros(x.shape[1])
    for _ in range(20):
        p = 1 / (1 + np.exp(-x @ w))
        curvature = (x * (p * (1 - p))[:, None]).T @ x + penalty
        w -= np.linalg.solve(curvature, x.T @ (p - y) + penalty @ w)
    return 1 / (1 + np.exp(-x @ w))


def test_without_hidden_layers_it_is_logistic_regression_on_the_mean_vectors():
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(6, 3)).astype(np.float32)
    texts = [rng.integers(1, 6, rng.integers(1, 6)) for _ in range(80)]
    means = np.stack([vectors[text].mean(0) for text in texts])
    labels = (means @ [1.0, -2.0, 0.5] + rng.normal(size=80) > 0).astype(int)
    model = DAN(replace(CONFIG, depth=0, frozen=True), vectors).double()
    bags, y = gather_bags(texts), torch.from_numpy(labels)
    lbfgs = torch.optim.LBFGS(model.parameters(), max_iter=200, tolerance_grad=1e-10)

    def closure():
        lbfgs.zero_grad()
        penalty = (model.head.weight**2).sum()  # w/2 for either class: half of w's own square
        loss = F.cross_entropy(model(bags), y, reduction="sum") + penalty
        loss.backward()
        return loss

    lbfgs.step(closure)  # pyright: ignore
    found = torch.softmax(model(bags), 1)[:, 1].detach().numpy()
    np.testing.assert_allclose(found, fit_logistic(means, labels), atol=1e-4)


def test_frozen_vectors_are_no_parameters_and_are_kept_with_the_weights():
    frozen, trained = build(replace(CONFIG, frozen=True)), build()
    assert "embedding" not in dict(frozen.named_parameters())
    assert "embedding" in dict(trained.named_parameters())
    assert frozen.state_dict().keys() == trained.state_dict().keys()


@pytest.mark.parametrize("depth", [0, 1, 2, 3])
def test_depth_counts_hidden_layers(depth):
    model = build(replace(CONFIG, depth=depth))
    assert len(model.layers) == depth
    assert model(ragged([[1], [2, 3]])).shape == (2, 2)


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


def test_a_variant_changes_what_it_names():
    assert DANVariant(depth=0).of(CONFIG) == replace(CONFIG, depth=0)
    assert DANVariant(frozen=False, activation="tanh").of(replace(CONFIG, frozen=True)) == replace(
        CONFIG, activation="tanh"
    )


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
