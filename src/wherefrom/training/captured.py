"""Training steps on a CUDA GPU: one captured step, replayed; the host looks once a chunk.

Planning and rendering a chunk is a few dozen operations on whole chunks. The step itself picks
its rows by a counter on the device, so a replay needs nothing from the host but the seed of
its dropout. Rows go through the model without their padding where its mixers allow that.

Shapes: K steps of a chunk, B rows, T characters, N characters that are not padding.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from wherefrom.core.contracts import EVERY_ROW, Batch, StaticObjective
from wherefrom.training.optimisers import Optimiser, has_bf16
from wherefrom.training.shared_gradient import SharedGradient, StepSums

WORTH_COMPILING = 5000  # steps: compiling takes as long as some thousands of them
_WARMUPS = 3
_SURVEYED = 256  # steps planned at a time to find the fullest one
_ROUND = 128  # packed characters come in multiples of this
_NOTHING = 1e-30


class CapturedSteps:
    """Takes steps of one stage; weights, moments and objective are the learner's own."""

    def __init__(
        self,
        model: nn.Module,
        objective: StaticObjective,
        optimisers: list[Optimiser],
        *,
        clip: float,
        arithmetic: str,
        steps: int,
        shared: SharedGradient | None = None,
    ) -> None:
        self.model, self.objective, self.optimisers = model, objective, optimisers
        self.shared = shared
        self.rows = EVERY_ROW if shared is None else shared.processes.rows
        self.clip, self.arithmetic, self.steps = clip, arithmetic, steps
        self.device = next(model.parameters()).device
        self.notes: list[str] = []
        self.dropping = any(isinstance(m, nn.Dropout) and m.p > 0 for m in model.modules())
        self._graph: torch.cuda.CUDAGraph | None = None
        self._room = 0  # steps that the buffers hold

    def run(
        self, first_step: int, count: int, factors: list[float], seeds: list[int]
    ) -> dict[str, Tensor]:
        """Those steps, one value a step for each metric, still on the device."""
        if count > self._room:
            self.prepare(count)
        plan = self.objective.plan(first_step, count)
        self._fill(self.objective.render_all(plan, self.rows), factors)
        assert self._graph is not None
        for seed in seeds:
            if self.dropping:
                torch.cuda.manual_seed(seed)
            self._graph.replay()
        loss, targets, bad = self._metrics[:count].unbind(1)
        return {"loss": loss, "targets": targets, "bad": bad}

    # -- buffers --------------------------------------------------------------------

    def prepare(self, count: int) -> None:
        """Buffers for chunks of this size, and the graph that reads them."""
        self._room = count
        plan = self.objective.plan(0, min(count, self.steps))
        batch = self.objective.render_all(plan, self.rows)
        self._inputs, self._targets = batch.inputs.clone(), batch.targets.clone()
        self._weights, self._lengths = batch.weights.clone(), batch.lengths.clone()
        self._factors = torch.zeros(count, device=self.device)
        self._metrics = torch.zeros(count, 3, device=self.device)
        self._cursor = torch.zeros(1, dtype=torch.long, device=self.device)
        self._hold = torch.ones((), device=self.device)  # 1: no update is applied
        if not hasattr(self, "_capacity"):
            self._capacity = self._fullest() if getattr(self.model, "packable", False) else 0
            if self._capacity >= batch.inputs[0].numel():
                self._capacity = 0  # rows without padding need no packing
        with products(self.arithmetic):
            self._loss = self._choose_loss()
            self._graph = self._capture()
        self._hold.zero_()

    def _fill(self, batch: Batch, factors: list[float]) -> None:
        count = len(factors)
        pairs = (
            (self._inputs, batch.inputs),
            (self._targets, batch.targets),
            (self._weights, batch.weights),
            (self._lengths, batch.lengths),
        )
        for buffer, new in pairs:
            buffer[:count].copy_(new)
        self._factors[:count].copy_(torch.tensor(factors))
        self._cursor.zero_()

    def _fullest(self) -> int:
        """Characters of the fullest step of the stage: plans are pure, so all can be asked."""
        most = torch.zeros((), dtype=torch.long, device=self.device)
        for first in range(0, self.steps, _SURVEYED):
            plan = self.objective.plan(first, min(_SURVEYED, self.steps - first))
            most = most.maximum(self.objective.render_all(plan, self.rows).lengths.sum(1).max())
        return -(-int(most) // _ROUND) * _ROUND

    # -- the step -------------------------------------------------------------------

    def _step(self) -> None:
        inputs, targets, weights, lengths = (
            buffer.index_select(0, self._cursor)[0]
            for buffer in (self._inputs, self._targets, self._weights, self._lengths)
        )
        for p in self.model.parameters():
            p.grad = None
        loss = self._loss(inputs, targets, weights, lengths)
        loss.backward()
        loss, counted = loss.detach(), (weights > 0).sum().float()
        if self.shared is not None:  # a captured step cannot be stopped within a chunk
            own = StepSums(loss, weights.sum(), counted, torch.zeros_like(loss))
            loss, _, counted, _ = self.shared.add(own)
        norm = nn.utils.clip_grad_norm_(self.model.parameters(), self.clip, foreach=True)
        bad = (~(torch.isfinite(loss) & torch.isfinite(norm))).float()
        factor = self._factors.index_select(0, self._cursor)[0]
        for optimiser in self.optimisers:
            optimiser.step(factor, bad.maximum(self._hold))
        row = torch.stack((loss, counted, bad))
        self._metrics.index_copy_(0, self._cursor, row[None])
        self._cursor.add_(1).remainder_(self._room)

    def _choose_loss(self) -> Callable[..., Tensor]:
        if self.steps < WORTH_COMPILING:
            return self._plain_loss
        compiled = torch.compile(self._plain_loss, dynamic=False)
        try:
            buffers = (self._inputs, self._targets, self._weights, self._lengths)
            compiled(*(b[0] for b in buffers)).backward()
        except Exception as error:  # no C compiler, no Triton: slower, and the same
            reason = " ".join(str(error).split())[:120]
            self.notes.append(f"the step is not compiled, which costs speed only: {reason}")
            return self._plain_loss
        return compiled

    def _plain_loss(
        self, inputs_BT: Tensor, targets_BT: Tensor, weights_BT: Tensor, lengths_B: Tensor
    ) -> Tensor:
        """The weighted mean of the losses; a row's padding is left out or weighs nothing.

        For a gradient that is shared it is the sum: the mean is over the rows of all processes.
        """
        model: Any = self.model
        half = self.arithmetic == "bf16" and has_bf16(self.device)
        targets, weights = targets_BT.flatten(), weights_BT.flatten()
        with torch.autocast("cuda", torch.bfloat16) if half else nullcontext():
            if self._capacity:
                packing = model.packing(lengths_B, inputs_BT.shape[1], self._capacity)
                features = model.features(inputs_BT, packing=packing)
                targets = packing.pack(targets_BT)
                weights = packing.pack(weights_BT)
            else:
                features = model.features(inputs_BT)
            logits = model.head(features).flatten(0, -2)
        losses = F.cross_entropy(logits.float(), targets, reduction="none")
        total = (losses * weights).sum()
        return total if self.shared else total / weights.sum().clamp(min=_NOTHING)

    def _capture(self) -> torch.cuda.CUDAGraph:
        """Warm up beside the main stream with updates withheld, then record one step."""
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for _ in range(_WARMUPS):
                self._step()
        torch.cuda.current_stream().wait_stream(stream)
        for p in self.model.parameters():
            p.grad = None
        graph = torch.cuda.CUDAGraph()
        # The thread that watches over NCCL may look at its events meanwhile.
        mode = "global" if self.shared is None else "thread_local"
        with torch.cuda.graph(graph, capture_error_mode=mode):
            self._step()
        return graph


@contextmanager
def products(arithmetic: str) -> Iterator[None]:
    """fp32 products in TF32 while the step is made, if that is asked for; cuDNN's too."""
    before = torch.get_float32_matmul_precision(), torch.backends.cudnn.allow_tf32
    torch.set_float32_matmul_precision("high" if arithmetic == "tf32" else "highest")
    torch.backends.cudnn.allow_tf32 = arithmetic == "tf32"
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before[0])
        torch.backends.cudnn.allow_tf32 = before[1]
