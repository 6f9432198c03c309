"""AdamW of several models as one update: each ends as it would by itself."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from wherefrom.training.optimisers import AdamWConfig, MuonConfig

ADAMW, MUON = AdamWConfig(rate=0.01), MuonConfig(rate=0.02, adam_rate=0.01)


def as_on_a_gpu(stack, monkeypatch) -> None:
    """Factors are a tensor there, and updates are compiled; here they only take that form."""
    monkeypatch.setattr(torch, "compile", lambda function, **_: function)
    for optimiser in stack.weights.optimisers:
        optimiser.compile(True)
    update = stack.weights.update

    def with_tensor(losses, factors, *others):
        return update(losses, torch.tensor(factors, dtype=losses.dtype), *others)

    monkeypatch.setattr(stack.weights, "update", with_tensor)


@pytest.mark.parametrize("optimiser", [ADAMW, MUON], ids=["adamw", "muon"])
def test_the_compiled_form_of_an_update_is_each_models_own(stacks, optimiser, monkeypatch):
    size = stacks.plain.vocab_size
    configs = [replace(stacks.plain, vocab_size=size + more) for more in (0, 3)]
    given = {"dtype": torch.float64, "optimiser": optimiser}
    alone, together = ([stacks.build(3, config, **given) for config in configs] for _ in range(2))
    stack = stacks.build_stack(together)
    as_on_a_gpu(stack, monkeypatch)
    stack.advance([0, 0], 6)
    stack.advance([None, 6], 2)  # a model that is passed over stays as it is
    for one, other, steps in zip(alone, together, (6, 8), strict=True):
        one.advance(0, steps)
        assert stacks.largest_difference(one, other) < 1e-6  # powers of beta are in fp32
        assert np.isfinite(other.state().arrays["model.head.weight"]).all()
