"""One update of several models: each ends as it would by itself."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from wherefrom.training.optimisers import AdamWConfig, MuonConfig

ADAMW, MUON = AdamWConfig(rate=0.01), MuonConfig(rate=0.02, adam_rate=0.01)


@pytest.mark.parametrize("optimiser", [ADAMW, MUON], ids=["adamw", "muon"])
def test_models_with_vocabularies_of_two_sizes_are_each_updated_alone(stacks, optimiser):
    size = stacks.plain.vocab_size
    configs = [replace(stacks.plain, vocab_size=size + more) for more in (0, 3)]
    given = {"dtype": torch.float64, "optimiser": optimiser}
    alone, together = ([stacks.build(3, config, **given) for config in configs] for _ in range(2))
    stack = stacks.build_stack(together)
    stack.advance([0, 0], 6)
    stack.advance([None, 6], 2)  # a model that is passed over stays as it is
    for one, other, steps in zip(alone, together, (6, 8), strict=True):
        one.advance(0, steps)
        assert stacks.largest_difference(one, other) < 1e-8
        assert np.isfinite(other.state().arrays["model.head.weight"]).all()
