"""Training as one function that can be differentiated: from weights of rows to trained parameters.

The steps are those of a learner with AdamW, without dropout, in operations that torch can
differentiate twice. So it can be asked how a loss after training would change if some rows had
counted more or less: weights of documents (`Mix.weighted`) that require a gradient get one.

Memory holds every step, so this is for few steps and small models.
"""

from collections.abc import Mapping, Sequence

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.func import functional_call
from torch.nn.attention import SDPBackend, sdpa_kernel

from wherefrom.core.contracts import Batch
from wherefrom.training.optimisers import EPS, AdamW, AdamWConfig
from wherefrom.training.shared_gradient import NOTHING

Parameters = Mapping[str, Tensor]


def find_loss(parameters: Parameters, model: nn.Module, batch: Batch) -> Tensor:
    """The weighted mean of a batch's losses under these parameters (models/plain.py's model)."""
    with sdpa_kernel(SDPBackend.MATH):
        logits_BTV = functional_call(model, dict(parameters), (batch.inputs,))
    losses_BT = F.cross_entropy(logits_BTV.mT, batch.targets, reduction="none")
    return (losses_BT * batch.weights).sum() / batch.weights.sum().clamp(min=NOTHING)


def unroll(
    parameters: Parameters,
    model: nn.Module,
    batches: Sequence[Batch],
    config: AdamWConfig,
    factors: Sequence[float],
    clip: float,
) -> Parameters:
    """The parameters after one step of AdamW for each batch, as a function of all that is given.

    The parameters to begin with must require a gradient, as a model's own do.
    """
    optimiser = AdamW(list(parameters.items()), config)  # pyright: ignore
    decays = {name: decay for decay, names in optimiser.groups for name in names}
    means = {name: torch.zeros_like(p) for name, p in parameters.items()}
    squares = dict(means)
    for step, (batch, factor) in enumerate(zip(batches, factors, strict=True), start=1):
        loss = find_loss(parameters, model, batch)
        found = torch.autograd.grad(loss, list(parameters.values()), create_graph=True)
        norm = torch.stack([g.square().sum() for g in found]).sum().sqrt()
        scale = ((norm + 1e-6) / clip).clamp(min=1.0)  # as torch's clip_grad_norm_
        grads = {name: g / scale for name, g in zip(parameters, found, strict=True)}
        means = {n: m.lerp(grads[n], 1 - config.beta1) for n, m in means.items()}
        squares = {n: s.lerp(grads[n].square(), 1 - config.beta2) for n, s in squares.items()}
        rate = config.rate * factor
        first, second = (1 - beta**step for beta in (config.beta1, config.beta2))
        changed = {}
        for name, weight in parameters.items():
            square = squares[name] / second
            # The root has no derivative at 0, where a weight has had no gradient so far.
            spread = torch.where(square > 0, square, 1.0).sqrt() + EPS
            kept = weight * (1 - rate * decays[name])
            changed[name] = kept - rate / first * means[name] / spread
        parameters = changed
    return parameters
