"""Models for tests: all weights are drawn, so that nothing is left at one or zero."""

import torch
from torch import Tensor, nn

from wherefrom.models.gpt import GPT, GPTConfig


def draw_weights(model: nn.Module, spread: float, seed: int = 0) -> nn.Module:
    """The model in double precision, with weights of this standard deviation."""
    torch.manual_seed(seed)
    for parameter in model.parameters():
        nn.init.normal_(parameter, 0.0, spread)
    return model.double()


def draw_gpt(config: GPTConfig, spread: float = 0.3, seed: int = 0) -> GPT:
    return draw_weights(GPT(config), spread, seed)


class Uncached(nn.Module):
    """The same function from a model that keeps nothing."""

    cacheable = False

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model, self.max_input = model, min(model.max_input, 64)

    def forward(self, tokens: Tensor, cache: None = None) -> Tensor:
        assert cache is None
        return self.model(tokens)
