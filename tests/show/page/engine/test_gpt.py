"""The GPT in the page against torch's, in every form that a config allows."""

import numpy as np
import pytest
import torch

from tests.support.engine import pack
from wherefrom.generation.scoring import score
from wherefrom.models.gpt import GPT, GPTConfig

SMALL = {"vocab_size": 23, "block_size": 24, "n_layer": 2, "n_head": 2, "n_embd": 12}
MODERN = {"norm": "rms", "activation": "relu2", "bias": False}
FORMS = {
    "vanilla": {},
    "modern": {"attention": "rope", "qk_norm": True, **MODERN},
    "rope with n-grams": {"attention": "rope", "ngrams": 4, "ngram_buckets": 37, **MODERN},
    "synthesizer": {"attention": "synthesizer"},
    "perceiver": {"attention": "perceiver", "n_layer": 3, "bottleneck_dim": 5},
    "deep perceiver": {"attention": "perceiver", "n_layer": 4, "bottleneck_dim": 9, **MODERN},
    "widths that are no multiple of 4": {"n_embd": 6, "n_head": 3, "vocab_size": 9},
}
LARGE = {"vocab_size": 97, "block_size": 128, "n_head": 8, "n_embd": 256, "n_layer": 1}


def build(form: dict) -> GPT:
    """A model with weights as large as training makes them, so that mistakes show."""
    torch.manual_seed(1)
    model = GPT(GPTConfig(**{**SMALL, **form}))
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            parameter.add_(torch.randn_like(parameter) * (0.3 if parameter.dim() > 1 else 0.1))
            if "ln" in name and name.endswith("weight"):
                parameter.clamp_(min=0.5)
    return model.eval()


def ids(model: GPT, count: int, seed: int = 0) -> list[int]:
    chosen = np.random.default_rng(seed).integers(0, model.config.vocab_size, count)
    return [int(i) for i in chosen]


EXPECTED = """
const model = openModel(given.manifest, given.weights);
return given.texts.map((text) => {
  const tree = model.tree(), path = [...tree.path(tree.place(text))];
  tree.expect(path);
  return path.map((node) => [...tree.distribution(node)]);
});
"""


def expect(model: GPT, text: list[int]) -> np.ndarray:
    with torch.inference_mode():
        return model(torch.tensor([text]))[0].log_softmax(-1).numpy()


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS.keys())
def test_log_probabilities_are_torchs(run_js, form: dict) -> None:
    model = build(form)
    texts = [ids(model, model.max_input), ids(model, 1, 1), ids(model, 7, 2)]
    found = run_js({"engine.js": "openModel"}, EXPECTED, {**pack(model), "texts": texts})
    for text, rows in zip(texts, found, strict=True):
        assert np.abs(np.array(rows) - expect(model, text)).max() < 1e-5


@pytest.mark.parametrize("form", ["vanilla", "modern"])
def test_log_probabilities_of_a_wide_model(run_js, form: str) -> None:
    """As wide as the course's: sums of 256 and 1,024 products."""
    torch.manual_seed(0)
    model = GPT(GPTConfig(**LARGE, **FORMS[form])).eval()
    text = ids(model, 20)
    for precision, most in (("fp32", 1e-5), ("fp16", 2e-3), ("int12", 3e-3), ("int8", 5e-2)):
        given = {**pack(model, precision), "texts": [text]}
        (rows,) = run_js({"engine.js": "openModel"}, EXPECTED, given)
        assert np.abs(np.array(rows) - expect(model, text)).max() < most


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS.keys())
def test_texts_that_begin_alike_are_scored_as_if_alone(run_js, form: dict) -> None:
    """In a tree that grows, with batches that divide a text anywhere."""
    model = build(form)
    begin = ids(model, 6)
    texts = [[*begin, *ids(model, n, n)] for n in (5, 1, 9, 3)] + [ids(model, 12, 20), begin]
    starts = [6, 1, 3, 7, 1, 2]
    code = """
    const model = openModel(given.manifest, given.weights);
    model.batch = 5;
    const tree = model.tree();
    const first = tree.score(given.texts.slice(0, 2), given.starts.slice(0, 2));
    return [...first, ...tree.score(given.texts.slice(2), given.starts.slice(2))];
    """
    given = {**pack(model), "texts": texts, "starts": starts}
    found = run_js({"engine.js": "openModel"}, code, given)
    for row, expected in zip(found, score(model, texts, starts), strict=True):
        assert len(row) == len(expected)
        assert np.abs(np.array(row) - expected).max() < 1e-5


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS.keys())
def test_a_trace_has_the_models_attention_and_its_own_last_word(run_js, form: dict) -> None:
    model = build(form)
    text = ids(model, min(11, model.max_input))
    code = """
    const model = openModel(given.manifest, given.weights);
    const { attention, lens } = model.trace(given.text);
    const whole = model.tree();
    const path = whole.path(whole.place(given.text));
    whole.expect(path);
    const last = [...path].map((node) => [...whole.distribution(node)]);
    const heads = attention.map((layer) => layer.map((head) => [...head]));
    return { attention: heads, lens: lens.map((layer) => [...layer]), last };
    """
    found = run_js({"engine.js": "openModel"}, code, {**pack(model), "text": text})
    last = np.array(found["last"])
    assert np.abs(np.array(found["lens"][-1]).reshape(last.shape) - last).max() < 1e-5
    length = len(text)
    attention = np.array(found["attention"])
    assert attention.shape == (model.config.n_layer, model.config.n_head, length**2)
    weights = attention.reshape(-1, length, length)
    assert np.triu(weights, 1).max() == 0  # nobody looks ahead
    rows = weights.sum(2)
    if model.config.attention != "perceiver":  # whose latents are fewer than the characters
        assert np.allclose(rows, 1, atol=1e-5)
        with torch.inference_mode():
            x = model.tok_emb(torch.tensor([text]))
            if hasattr(model, "pos_emb"):
                x = x + model.pos_emb[:, :length]
            if model.config.ngrams:
                x = x + model.ngram_emb(torch.tensor([text]))
            block = model.blocks[0]
            expected = block.attn.weights(block.ln1(x))[0].numpy()
        assert np.allclose(weights[: model.config.n_head], expected, atol=1e-5)
