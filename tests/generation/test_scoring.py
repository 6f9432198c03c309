import numpy as np
import pytest
import torch

from tests.support.drawn_models import draw_gpt
from wherefrom.core.errors import BadData
from wherefrom.generation import language_model
from wherefrom.generation.scoring import following, score, score_with_entropy
from wherefrom.models.attention import MIXERS
from wherefrom.models.gpt import GPT, GPTConfig


def random_model(mixer: str = "causal") -> GPT:
    layers = max(2, MIXERS[mixer].arrangement.least_layers)
    return draw_gpt(
        GPTConfig(vocab_size=10, block_size=16, n_layer=layers, n_head=2, n_embd=16,
                  attention=mixer, ngrams=3, ngram_buckets=32)
    )  # fmt: skip


def texts(count: int) -> list[list[int]]:
    generator = np.random.default_rng(1)
    return [generator.integers(0, 10, generator.integers(1, 18)).tolist() for _ in range(count)]


@torch.no_grad()
def by_hand(model: GPT, text: list[int], start: int) -> np.ndarray:
    """One text, unpadded: the softmax before each character, looked up at that character."""
    model.eval()
    if len(text) < 2:
        return np.zeros(0)
    table = model(torch.tensor([text[:-1]]))[0].double().log_softmax(-1)
    return np.array([float(table[i - 1, text[i]]) for i in range(start, len(text))])


@pytest.mark.parametrize("mixer", MIXERS)
def test_scores_are_those_of_each_text_alone(mixer, monkeypatch):
    model = random_model(mixer)
    sequences = [text[: model.max_input + 1] for text in texts(20)]
    starts = [1 + i % 3 for i in range(len(sequences))]
    found = [score(model, sequences, starts)]
    for budget in (40, 1):
        monkeypatch.setattr(language_model, "ON_CPU", budget)
        found.append(score(model, sequences, starts))
    assert model.training
    for text, start, *ways in zip(sequences, starts, *found, strict=True):
        expected = by_hand(model, text, start)
        for one in ways:
            np.testing.assert_allclose(one, expected, atol=1e-4)


def test_entropies_are_those_of_what_each_text_alone_makes_the_model_expect():
    model = random_model().eval()
    sequences = [text[: model.max_input + 1] for text in texts(20)]
    starts = [1 + i % 3 for i in range(len(sequences))]
    found = score_with_entropy(model, sequences, starts)
    alone = score(model, sequences, starts)
    for (likely, entropy), same, text, start in zip(found, alone, sequences, starts, strict=True):
        np.testing.assert_array_equal(likely, same)
        if len(text) < 2:
            assert entropy.shape == (0,)
            continue
        with torch.no_grad():
            expected = model(torch.tensor([text[:-1]]))[0].double().softmax(-1)[start - 1 :]
        wanted = -(expected * expected.log()).sum(-1)
        np.testing.assert_allclose(entropy, wanted.numpy(), atol=1e-4)


def test_the_last_character_need_not_be_read():
    model = random_model()
    assert len(score(model, [[2] * 17])[0]) == 16
    with pytest.raises(BadData, match=r"text 1: expected at most 17 characters.*found 18"):
        score(model, [[2], [2] * 18])


@pytest.mark.parametrize("mixer", MIXERS)
def test_what_may_follow_is_that_of_each_text_alone(mixer):
    model = random_model(mixer)
    sequences = [text[: model.max_input] for text in texts(20) if len(text) > 1]
    found = following(model, sequences, 2)
    assert found.shape == (len(sequences), 2, 10)
    assert model.training
    with torch.no_grad():
        model.eval()
        for chances, text in zip(found, sequences, strict=True):
            alone = model(torch.tensor([text]))[0, -2:].double().softmax(-1)
            np.testing.assert_allclose(chances, alone, atol=1e-5)


def test_a_text_must_be_there_and_fit_to_go_on_from():
    model = random_model()
    for text in ([1], [1] * (model.max_input + 1)):
        with pytest.raises(BadData, match=rf"text 1: expected 2 to 16 .* found {len(text)}"):
            following(model, [[1, 2], text], 2)
