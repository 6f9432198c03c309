"""The search in the page finds what the decoder finds."""

import numpy as np
import pytest
import torch

from tests.support.engine import pack
from wherefrom.generation.decoder import Decoder
from wherefrom.generation.requests import Request
from wherefrom.models.gpt import GPT, GPTConfig


@pytest.mark.parametrize(("beams", "most"), [(1, 40), (2, 6), (4, 1), (4, 40), (30, 6)])
def test_the_best_continuations(run_js, beams: int, most: int) -> None:
    torch.manual_seed(beams)
    model = GPT(GPTConfig(vocab_size=11, block_size=20, n_layer=1, n_head=2, n_embd=8))
    with torch.no_grad():
        model.head.weight.add_(torch.randn_like(model.head.weight) * 0.8)
        model.tok_emb.weight.add_(torch.randn_like(model.tok_emb.weight))
    prompts = [np.random.default_rng(i).integers(2, 11, 3 + i).tolist() for i in range(5)]
    requests = [Request(tuple(prompt), most, beams) for prompt in prompts]
    expected = Decoder(model.eval()).generate(requests)
    code = """
    const model = openModel(given.manifest, given.weights);
    return given.prompts.map((prompt) => {
      const limit = Math.min(given.most, model.maxInput - prompt.length + 1);
      return finish(search(model.tree(), prompt, given.beams, limit));
    });
    """
    given = {**pack(model), "prompts": prompts, "beams": beams, "most": most}
    modules = {"engine.js": "finish, openModel", "search.js": "search"}
    for here, there in zip(run_js(modules, code, given), expected, strict=True):
        assert [tuple(c["tokens"]) for c in here] == [c.tokens for c in there]
        assert [c["finished"] for c in here] == [c.finished for c in there]
        probabilities = [c["logProbability"] for c in here]
        assert probabilities == pytest.approx([c.log_probability for c in there], abs=1e-4)
