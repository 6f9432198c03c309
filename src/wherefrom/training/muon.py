"""Muon: momentum whose matrices are brought near to orthogonal before they are applied.

Matrices of one shape are stacked, so that the iteration is a few batched products; those of several
models are, too. On a GPU, matrices that are each other's transpose in shape go through it together.
"""

from collections.abc import Callable, Mapping, Sequence

import torch
from torch import Tensor, nn

from wherefrom.core.bounds import (
    LARGEST_RATE,
    check_number,
    check_positive,
    check_share,
    check_whole,
)
from wherefrom.core.config import TaggedConfig

_NEWTON_SCHULZ = (3.4445, -4.7750, 2.0315)

MOST_ITERATIONS = 100  # the matrix is orthogonal after five


class MuonConfig(TaggedConfig, frozen=True, tag="muon"):
    """Muon on the matrices of the blocks, AdamW on everything else."""

    rate: float = 0.02
    adam_rate: float = 3e-3
    decay: float = 0.1
    momentum: float = 0.95
    iterations: int = 5

    def __post_init__(self) -> None:
        check_positive(self, "rate", LARGEST_RATE)
        check_positive(self, "adam_rate", LARGEST_RATE)
        check_number(self, "decay", 0, LARGEST_RATE)
        check_share(self, "momentum")
        check_whole(self, "iterations", 1, MOST_ITERATIONS)


class _Turning:
    """Updates the matrices of each shape, which lie in one tensor whose parts are the weights."""

    def __init__(self, config: MuonConfig) -> None:
        self.config = config
        self.matrices: dict[str, Tensor] = {}
        self.momenta: dict[str, Tensor] = {}
        self._turn: Callable[..., None] = turn_matrices

    def compile(self, wanted: bool) -> None:
        """Let torch fuse the operations of the update, or take that back."""
        self._turn = torch.compile(turn_matrices, dynamic=False) if wanted else turn_matrices

    def _apply(
        self,
        gradients: Mapping[str, Tensor],
        rate: Tensor,
        good: Tensor,
        grad_scale: Tensor | None,
    ) -> None:
        for keys in self._families():
            each = (gradients, self.momenta, self.matrices)
            parts = [[part[key] for key in keys] for part in each]
            self._turn(*parts, rate, good, grad_scale, self.config)

    def _families(self) -> list[list[str]]:
        """Shapes that go through the iteration together."""
        families: dict[tuple[int, ...], list[str]] = {}
        for number, (key, matrices) in enumerate(self.matrices.items()):
            sides = tuple(sorted(matrices.shape[-2:])) if matrices.is_cuda else (number,)
            families.setdefault(sides, []).append(key)
        return list(families.values())


class Muon(_Turning):
    def __init__(self, named: Sequence[tuple[str, nn.Parameter]], config: MuonConfig) -> None:
        super().__init__(config)
        self.names: dict[str, list[str]] = {}  # of the matrices of each shape
        for name, p in named:
            self.names.setdefault("x".join(map(str, p.shape)), []).append(name)
        parameters = dict(named)
        self.groups = {key: [parameters[n] for n in names] for key, names in self.names.items()}
        for key, ps in self.groups.items():
            self.matrices[key] = _lay_together(ps)
            self.momenta[key] = torch.zeros_like(self.matrices[key])

    @torch.no_grad()
    def step(self, factor: float | Tensor, bad: Tensor, grad_scale: Tensor | None = None) -> None:
        good = bad == 0
        # Where the step is forbidden the rate is zero, and so is what it would multiply.
        rate = self.config.rate * factor * good
        gradients = {key: _stack([p.grad for p in ps]) for key, ps in self.groups.items()}
        self._apply(gradients, rate, good, grad_scale)

    def state(self) -> dict[str, Tensor]:
        return {f"muon.{key}": value for key, value in self.momenta.items()}


class StackedMuon(_Turning):
    """Muon of K models: one iteration over the matrices of one shape in all of them.

    The matrices of a shape lie in one tensor, (matrices, K, a, b), whose parts are the stacked
    weights; each model's own momenta are parts of one tensor in the same way.
    """

    def __init__(self, members: Sequence[Muon], stacked: Mapping[str, nn.Parameter]) -> None:
        self.stacked, self.names = stacked, members[0].names
        super().__init__(members[0].config)
        for key, names in self.names.items():
            self.matrices[key] = _lay_together([stacked[name] for name in names])
            self.momenta[key] = torch.stack([member.momenta[key] for member in members], 1)
            for k, member in enumerate(members):
                member.momenta[key] = self.momenta[key][:, k]
                member.matrices[key] = self.matrices[key][:, k]

    @torch.no_grad()
    def step(self, factors_K: Tensor, bad_K: Tensor, grad_scale_K: Tensor) -> None:
        rate = (self.config.rate * factors_K).float()  # as for one model
        good, grad_scale = (x_K[:, None, None] for x_K in (bad_K == 0, grad_scale_K))
        gradients = {
            key: _stack([self.stacked[name].grad for name in names])
            for key, names in self.names.items()
        }
        self._apply(gradients, rate[:, None, None] * good, good, grad_scale)


def turn_matrices(
    gradients: Sequence[Tensor],
    momenta: Sequence[Tensor],
    matrices: Sequence[Tensor],
    rate: Tensor,
    good: Tensor,
    grad_scale: Tensor | None,
    config: MuonConfig,
) -> None:
    """Muon's update in place: stacks of matrices whose sides are the same, in either order."""
    ahead: list[Tensor] = []
    for gradient, momentum in zip(gradients, momenta, strict=True):
        clipped = gradient if grad_scale is None else gradient / grad_scale
        fresh = momentum.lerp(clipped, 1 - config.momentum)
        ahead.append(clipped.lerp(fresh, config.momentum))
        momentum.copy_(torch.where(good, fresh, momentum))
    for stack, update in zip(matrices, orthogonalise_alike(ahead, config.iterations), strict=True):
        update = update * max(1.0, update.shape[-2] / update.shape[-1]) ** 0.5
        stack.copy_(stack * (1 - rate * config.decay) + torch.where(good, update * -rate, 0.0))


def orthogonalise_alike(stacks: Sequence[Tensor], iterations: int) -> list[Tensor]:
    """Stacks whose matrices have the same sides, in either order, through one iteration."""
    flat = [stack.flatten(0, -3) for stack in stacks]
    if len(flat) == 1:
        return [orthogonalise(flat[0], iterations).view_as(stacks[0])]
    tall = [stack.shape[-2] > stack.shape[-1] for stack in stacks]
    wide = [x.mT if high else x for x, high in zip(flat, tall, strict=True)]
    parts = orthogonalise(torch.cat(wide), iterations).split([len(x) for x in wide])
    each = zip(parts, tall, stacks, strict=True)
    return [(part.mT if high else part).reshape(stack.shape) for part, high, stack in each]


def orthogonalise(matrices: Tensor, iterations: int) -> Tensor:
    """Newton-Schulz on a stack of matrices towards the nearest orthogonal ones.

    In bf16 where the chip has units for it; elsewhere bf16 is emulated and hundreds of times
    slower, so fp32.
    """
    a, b, c = _NEWTON_SCHULZ
    x = matrices.to(torch.bfloat16) if has_bf16(matrices.device) else matrices
    tall = x.shape[-2] > x.shape[-1]
    x = x.mT if tall else x
    x = x / (x.norm(dim=(-2, -1), keepdim=True) + 1e-7)
    unit = torch.eye(x.shape[-2], dtype=x.dtype, device=x.device) * a if x.is_cuda else None
    for _ in range(iterations):
        gram = x @ x.mT
        if unit is None:
            x = torch.baddbmm(x, torch.baddbmm(gram, gram, gram, beta=b, alpha=c), x, beta=a)
        else:  # on a GPU, a sum with a product is first a copy; these sums are fused
            x = (unit + b * gram + c * (gram @ gram)) @ x
    return (x.mT if tall else x).to(matrices.dtype)


def has_bf16(device: torch.device) -> bool:
    """Whether bf16 products are fast there: on a GPU of compute capability 8 or more."""
    return device.type == "cuda" and torch.cuda.get_device_capability(device)[0] >= 8


def _lay_together(parameters: Sequence[nn.Parameter]) -> Tensor:
    """One tensor whose parts are the parameters from now on."""
    together = _stack(parameters)
    for part, parameter in zip(together, parameters, strict=True):
        parameter.data = part
    return together


def _stack(tensors: Sequence[Tensor | None]) -> Tensor:
    return torch.stack([t.detach() for t in tensors if t is not None])
