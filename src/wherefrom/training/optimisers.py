"""AdamW and Muon behind one small face: set the rate's factor, take a step if all is finite.

The flag `bad` (1.0 where something is not finite) stays on the device: an update that it
forbids leaves weights and moments as they were, without the host looking.
A schedule is the factor that a step puts on every base rate.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from wherefrom.core.bounds import LARGEST_RATE, check_number, check_positive, check_share
from wherefrom.core.config import TaggedConfig, check
from wherefrom.core.errors import UsageError
from wherefrom.core.recipe import Schedule
from wherefrom.training.muon import Muon, MuonConfig

EPS = 1e-8  # beside the root of the mean square, so that nothing is divided by nothing


class AdamWConfig(TaggedConfig, frozen=True, tag="adamw"):
    """Decay falls on matrices and embeddings, not on vectors (norms, biases).

    decayed='all but bias' is the course's: it names the norms among what it spares, by a name
    that they do not have, so that only what is called bias is spared.
    """

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
    def step(self, factor: float | Tensor, bad: Tensor, grad_scale: Tensor | None = None) -> None:
        """The factor is a tensor on the device where the step is captured.

        There, gradients that are too long are clipped on the way: they are divided by `grad_scale`.
        """
        rate = self.config.rate * factor
        if isinstance(self.rate, Tensor):
            self.rate.copy_(rate) if isinstance(rate, Tensor) else self.rate.fill_(rate)
        else:
            self.rate = float(rate)
        for decay, names in self.groups:
            there = [n for n in names if self.parameters[n].grad is not None]
            self._update(there, decay, bad, grad_scale)

    def _update(
        self, names: Sequence[str], decay: float, bad: Tensor, grad_scale: Tensor | None
    ) -> None:
        if not names:
            return
        parameters: list[Any] = [self.parameters[name] for name in names]
        rate: Any = self.rate  # a number, or a tensor on a GPU
        keys = ("exp_avg", "exp_avg_sq", "step")
        means, squares, steps = ([self.moments[name][key] for name in names] for key in keys)
        if grad_scale is not None and not grad_scale.is_cuda:  # the operation takes none in fp64
            torch._foreach_div_([p.grad for p in parameters], grad_scale)  # pyright: ignore
            grad_scale = None
        torch._foreach_add_(steps, 1)  # pyright: ignore
        torch._fused_adamw_(  # pyright: ignore[reportPrivateImportUsage]
            parameters, [p.grad for p in parameters], means, squares, [], steps,
            amsgrad=False, lr=rate, beta1=self.config.beta1, beta2=self.config.beta2,
            weight_decay=decay, eps=EPS, maximize=False, grad_scale=grad_scale, found_inf=bad,
        )  # fmt: skip
        torch._foreach_sub_(steps, [bad] * len(steps))  # pyright: ignore

    def state(self) -> dict[str, Tensor]:
        """The moments by parameter name, the tensors themselves: copy into them to load."""
        return {
            f"adamw.{name}.{key}": value
            for name, moments in self.moments.items()
            for key, value in moments.items()
        }


Optimiser = AdamW | Muon


def build_adamw(model: nn.Module, config: AdamWConfig) -> list[Optimiser]:
    return [AdamW(list(model.named_parameters()), config)]


def build_muon(model: nn.Module, config: MuonConfig) -> list[Optimiser]:
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


OPTIMISERS: dict[str, Callable[[nn.Module, Any], list[Optimiser]]] = {
    "adamw": build_adamw,
    "muon": build_muon,
}


COURSE_WARMUP = 10_240  # tokens
COURSE_EPOCHS = 200  # of the pretraining text, over which the course's cosine falls


@dataclass(frozen=True)
class TokenCount:
    """What the course counts: every place of every row, padding too.

    `items` rows make an epoch of `batch` rows a step, the last of which may be short.
    """

    items: int
    batch: int
    row_tokens: int  # places of a padded row
    final: int  # tokens over which the cosine falls
    warmup: int = COURSE_WARMUP

    def before(self, step: int) -> int:
        """Tokens of the steps before this one."""
        steps = -(-self.items // self.batch)
        epochs, rest = divmod(step, steps)
        return (epochs * self.items + min(rest * self.batch, self.items)) * self.row_tokens


def factor(schedule: Schedule, step: float, steps: int, tokens: TokenCount | None = None) -> float:
    """Warm-up from 1/w to 1, then the shape, which would reach the floor at step `steps`."""
    if schedule.shape == "course":
        if tokens is None:
            raise UsageError("schedule 'course': expected a text whose tokens can be counted")
        return _course(tokens.before(int(step)), tokens, schedule.floor)
    warmup = max(1, int(steps * schedule.warmup)) if schedule.warmup else 0
    if step < warmup:
        return (step + 1) / warmup
    done = (step - warmup) / max(1, steps - warmup)
    if schedule.shape == "constant":
        return 1.0
    if schedule.shape == "linear":
        return schedule.floor + (1 - schedule.floor) * (1 - done)
    return schedule.floor + (1 - schedule.floor) * (1 + math.cos(math.pi * done)) / 2


def _course(tokens: int, count: TokenCount, floor: float) -> float:
    """The course sets a rate after each step, for the next one: the first is at full rate."""
    if tokens == 0:
        return 1.0
    if tokens < count.warmup:
        return tokens / count.warmup
    done = (tokens - count.warmup) / max(1, count.final - count.warmup)
    return max(floor, (1 + math.cos(math.pi * done)) / 2)
