"""AdamW and Muon behind one small face: set the rate's factor, take a step if all is finite.

The flag `bad` (1.0 where something is not finite) stays on the device: an update that it
forbids leaves weights and moments as they were, without the host looking.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Protocol

import torch
from torch import Tensor, nn

from wherefrom.core.bounds import (
    LARGEST_RATE,
    check_number,
    check_positive,
    check_share,
    check_whole,
)
from wherefrom.core.config import check
from wherefrom.training.lanes import Lanes

_NEWTON_SCHULZ = (3.4445, -4.7750, 2.0315)

MOST_ITERATIONS = 100  # of Muon: the matrix is orthogonal after five


@dataclass(frozen=True)
class AdamWConfig:
    """Decay falls on matrices and embeddings, not on vectors (norms, biases).

    decayed='all but bias' is the course's: it names the norms among what it spares, by a name
    that they do not have, so that only what is called bias is spared.
    """

    kind: ClassVar[str] = "adamw"
    rate: float = 1e-3
    decay: float = 0.1
    beta1: float = 0.9
    beta2: float = 0.95
    decayed: str = "matrices"  # matrices, all but bias

    def __post_init__(self) -> None:
        known = self.decayed in ("matrices", "all but bias")
        check(known, "AdamWConfig", "decayed", self.decayed, "'matrices' or 'all but bias'")
        check_positive(self, "rate", LARGEST_RATE)
        check_number(self, "decay", 0, LARGEST_RATE)
        for name in ("beta1", "beta2"):  # the average is divided by 1 - beta
            check_share(self, name)


@dataclass(frozen=True)
class MuonConfig:
    """Muon on the matrices of the blocks, AdamW on everything else."""

    kind: ClassVar[str] = "muon"
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


class Optimiser(Protocol):
    def step(self, factor: float | Tensor, bad: Tensor) -> None:
        """The factor is a tensor on the device where the step is captured."""
        ...

    def state(self) -> dict[str, Tensor]: ...


class AdamW:
    """torch's fused AdamW, which knows how to skip a step that `found_inf` forbids.

    The operation is called by itself: the first `torch.optim.Optimizer` of a process loads torch's
    compiler, which takes longer than many a run of a small model.
    """

    def __init__(self, named: Sequence[tuple[str, nn.Parameter]], config: AdamWConfig) -> None:
        self.config, self.parameters = config, dict(named)
        device = named[0][1].device
        # A captured step reads its rate from the device.
        self.rate = torch.zeros((), device=device) if device.type == "cuda" else config.rate
        self.moments = {
            name: {
                "step": torch.zeros((), dtype=torch.float32, device=p.device),
                "exp_avg": torch.zeros_like(p),
                "exp_avg_sq": torch.zeros_like(p),
            }
            for name, p in named
        }
        decayed = [name for name, p in named if self._is_decayed(name, p)]
        plain = [name for name, p in named if not self._is_decayed(name, p)]
        self.groups = [(config.decay, decayed), (0.0, plain)]

    def _is_decayed(self, name: str, p: nn.Parameter) -> bool:
        return p.dim() > 1 if self.config.decayed == "matrices" else "bias" not in name

    @torch.no_grad()
    def step(self, factor: float | Tensor, bad: Tensor) -> None:
        rate = self.config.rate * factor
        if isinstance(self.rate, Tensor):
            self.rate.copy_(rate) if isinstance(rate, Tensor) else self.rate.fill_(rate)
        else:
            self.rate = float(rate)
        for decay, names in self.groups:
            self._update([n for n in names if self.parameters[n].grad is not None], decay, bad)

    def _update(self, names: Sequence[str], decay: float, bad: Tensor) -> None:
        if not names:
            return
        parameters: list[Any] = [self.parameters[name] for name in names]
        rate: Any = self.rate  # a number, or a tensor on a GPU
        keys = ("exp_avg", "exp_avg_sq", "step")
        means, squares, steps = ([self.moments[name][key] for name in names] for key in keys)
        torch._foreach_add_(steps, 1)  # pyright: ignore
        torch._fused_adamw_(  # pyright: ignore[reportPrivateImportUsage]
            parameters, [p.grad for p in parameters], means, squares, [], steps,
            amsgrad=False, lr=rate, beta1=self.config.beta1, beta2=self.config.beta2,
            weight_decay=decay, eps=1e-8, maximize=False, grad_scale=None, found_inf=bad,
        )  # fmt: skip
        torch._foreach_sub_(steps, [bad] * len(steps))  # pyright: ignore

    def state(self) -> dict[str, Tensor]:
        """The moments by parameter name, the tensors themselves: copy into them to load."""
        return {
            f"adamw.{name}.{key}": value
            for name, moments in self.moments.items()
            for key, value in moments.items()
        }


class Muon:
    """Momentum whose matrices are brought near to orthogonal before they are applied.

    Matrices of one shape are stacked, so that the iteration is a few batched products.
    """

    def __init__(self, named: Sequence[tuple[str, nn.Parameter]], config: MuonConfig) -> None:
        self.config = config
        self.names: dict[str, list[str]] = {}  # of the matrices of each shape
        for name, p in named:
            self.names.setdefault("x".join(map(str, p.shape)), []).append(name)
        parameters = dict(named)
        self.groups = {key: [parameters[n] for n in names] for key, names in self.names.items()}
        self.momenta = {k: _stack(ps).zero_() for k, ps in self.groups.items()}

    @torch.no_grad()
    def step(self, factor: float | Tensor, bad: Tensor) -> None:
        config, good = self.config, bad == 0
        # Where the step is forbidden the rate is zero, and so is what it would multiply.
        rate = config.rate * factor * good
        for key, ps in self.groups.items():
            gradient = _stack([p.grad for p in ps])
            momentum = self.momenta[key]
            fresh = momentum.lerp(gradient, 1 - config.momentum)
            update = orthogonalise(gradient.lerp(fresh, config.momentum), config.iterations)
            update = update * max(1.0, update.shape[-2] / update.shape[-1]) ** 0.5
            momentum.copy_(torch.where(good, fresh, momentum))
            change = torch.where(good, update * -rate, 0.0)
            torch._foreach_mul_(ps, 1 - rate * config.decay)  # pyright: ignore
            torch._foreach_add_(ps, list(change))  # pyright: ignore

    def state(self) -> dict[str, Tensor]:
        return {f"muon.{key}": value for key, value in self.momenta.items()}


class StackedAdamW:
    """AdamW of K models; each keeps its own moments and updates its own part of the stack."""

    def __init__(self, members: Sequence[AdamW]) -> None:
        self.members = members
        self.lanes = Lanes(next(iter(members[0].parameters.values())).device)

    def compile(self, wanted: bool) -> None:
        """Nothing to do: torch has this update as one operation."""

    def step(self, factors: Sequence[float] | Tensor, bad_K: Tensor) -> None:
        each = zip(self.members, factors, bad_K, strict=True)
        self.lanes.run([partial(member.step, factor, bad) for member, factor, bad in each])


def turn_matrices(
    gradients: Sequence[Tensor | None],
    momentum: Tensor,
    matrices: Tensor,
    rate: Tensor,
    good: Tensor,
    config: MuonConfig,
) -> None:
    """Muon's update of the matrices of one shape in K models, (matrices, K, a, b), in place."""
    gradient = _stack(gradients)
    fresh = momentum.lerp(gradient, 1 - config.momentum)
    update = gradient.lerp(fresh, config.momentum).flatten(0, 1)
    update = orthogonalise(update, config.iterations).view_as(gradient)
    update = update * max(1.0, update.shape[-2] / update.shape[-1]) ** 0.5
    momentum.copy_(torch.where(good, fresh, momentum))
    matrices.copy_(matrices * (1 - rate * config.decay) + torch.where(good, update * -rate, 0.0))


class StackedMuon:
    """Muon of K models: one iteration over the matrices of one shape in all of them.

    The matrices of a shape lie in one tensor, (matrices, K, a, b), whose parts are the stacked
    weights; each model's own momenta are parts of one tensor in the same way.
    """

    def __init__(self, members: Sequence[Muon], stacked: Mapping[str, nn.Parameter]) -> None:
        self.config, self.stacked, self.names = members[0].config, stacked, members[0].names
        self._turn: Callable[..., None] = turn_matrices
        self.matrices: dict[str, Tensor] = {}
        self.momenta: dict[str, Tensor] = {}
        for key, names in self.names.items():
            self.matrices[key] = _stack([stacked[name] for name in names])
            for part, name in zip(self.matrices[key], names, strict=True):
                stacked[name].data = part
            self.momenta[key] = torch.stack([member.momenta[key] for member in members], 1)
            for k, member in enumerate(members):
                member.momenta[key] = self.momenta[key][:, k]

    def compile(self, wanted: bool) -> None:
        """Fuse what is done to every number, or take that back."""
        self._turn = torch.compile(turn_matrices, dynamic=False) if wanted else turn_matrices

    @torch.no_grad()
    def step(self, factors: Sequence[float] | Tensor, bad_K: Tensor) -> None:
        config = self.config
        if isinstance(factors, Tensor):
            rate = config.rate * factors
        else:
            rate = torch.tensor([config.rate * factor for factor in factors], device=bad_K.device)
        good = (bad_K == 0)[:, None, None]
        rate = rate[:, None, None] * good
        for key, names in self.names.items():
            gradients = [self.stacked[name].grad for name in names]
            self._turn(gradients, self.momenta[key], self.matrices[key], rate, good, config)


def stack_optimisers(
    members: Sequence[Sequence[Any]], stacked: Mapping[str, nn.Parameter]
) -> list[StackedAdamW | StackedMuon]:
    """The optimisers of K models as one for each kind; the models' own share its moments.

    `stacked` has the stacked weights by name. Some of them are moved: views are taken afterwards.
    """
    found: list[StackedAdamW | StackedMuon] = []
    for kind in zip(*members, strict=True):
        muon = isinstance(kind[0], Muon)
        found.append(StackedMuon(kind, stacked) if muon else StackedAdamW(kind))
    return found


def _stack(tensors: Sequence[Tensor | None]) -> Tensor:
    return torch.stack([t.detach() for t in tensors if t is not None])


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
    for _ in range(iterations):
        gram = x @ x.mT
        x = torch.baddbmm(x, torch.baddbmm(gram, gram, gram, beta=b, alpha=c), x, beta=a)
    return (x.mT if tall else x).to(matrices.dtype)


def has_bf16(device: torch.device) -> bool:
    """Whether bf16 products are fast there: on a GPU of compute capability 8 or more."""
    return device.type == "cuda" and torch.cuda.get_device_capability(device)[0] >= 8


def build_adamw(model: nn.Module, config: AdamWConfig) -> list[Any]:
    return [AdamW(list(model.named_parameters()), config)]


def build_muon(model: nn.Module, config: MuonConfig) -> list[Any]:
    named = list(model.named_parameters())
    inside = ("blocks.", "down_block.", "up_block.")
    matrices = [(n, p) for n, p in named if n.startswith(inside) and _is_layer(n, p)]
    taken = {n for n, _ in matrices}
    rest = [(n, p) for n, p in named if n not in taken]
    return [
        AdamW(rest, AdamWConfig(rate=config.adam_rate, decay=config.decay)),
        Muon(matrices, config),
    ]


def _is_layer(name: str, p: nn.Parameter) -> bool:
    """The matrix of a linear layer; the synthesizer's own tables are none."""
    return p.dim() == 2 and name.endswith(".weight")


OPTIMISERS: dict[str, Callable[[nn.Module, Any], list[Any]]] = {
    AdamWConfig.kind: build_adamw,
    MuonConfig.kind: build_muon,
}
