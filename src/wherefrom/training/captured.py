"""Training steps on a CUDA GPU: one captured step, replayed; the host looks once a chunk.

Planning and rendering a chunk is a few dozen operations on whole chunks. The step itself picks
its rows by a counter on the device, so a replay needs nothing from the host but the seed of
its dropout. Rows go through the model without their padding where its mixers allow that.

Shapes: K steps of a chunk, B rows, T characters, N characters that are not padding.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import partial
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from wherefrom.core.contracts import EVERY_ROW, StaticObjective
from wherefrom.training.captured_rows import (
    choose_room,
    count_characters,
    find_usual,
    render_rows,
    round_up,
)
from wherefrom.training.lanes import Lanes
from wherefrom.training.muon import has_bf16
from wherefrom.training.optimisers import Optimiser
from wherefrom.training.shared_gradient import NOTHING, SharedGradient, StepSums

# Steps from which compiling gains time, and with one layer. It takes 30 to 40 s for the stages of a
# run; on an H200 it spares a step of four layers 2.4 of 3.7 ms, but one of one layer 0.6 of 1.6.
WORTH_COMPILING, WORTH_WITH_ONE_LAYER = 5000, 60_000
_WARMUPS = 3


def least_compiled(config: object) -> int:
    """The steps from which on those of a model are compiled."""
    layers = getattr(config, "n_layer", 1)
    return WORTH_COMPILING if layers > 1 else WORTH_WITH_ONE_LAYER


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
        self.rows = EVERY_ROW if shared is None else shared.ranks.rows
        self.clip, self.arithmetic, self.steps = clip, arithmetic, steps
        self.device = next(model.parameters()).device
        self.notes: list[str] = []
        self.dropouts = find_dropouts(model)
        self.lanes = Lanes(self.device)
        self._graph: torch.cuda.CUDAGraph | None = None
        self._full_graph: torch.cuda.CUDAGraph | None = None  # for steps with more characters
        self._full: list[bool] = []  # which steps these are
        self._room = 0  # steps that the buffers hold
        self._loaded: int | None = None  # the first step whose rows are there

    def run(self, first_step: int, count: int, factors: list[float], seeds: list[int]) -> Tensor:
        """Those steps, (K, 3), still on the device: loss, targets and the flag of a bad one."""
        if count > self._room:
            self.prepare(count)
        if self._loaded is None or not 0 <= first_step - self._loaded <= self._room - count:
            self._load_rows(first_step)
        assert self._loaded is not None
        at = first_step - self._loaded
        self._factors[at : at + count].copy_(torch.tensor(factors))
        self._cursor.fill_(at)
        self._set_seeds([[seed] for seed in seeds], at)
        self._replay(seeds, first_step)
        return self._metrics[at : at + count]

    def _replay(self, seeds: list[int], first_step: int = 0) -> None:
        """The seeds are for dropout inside attention, where a fused form draws by itself."""
        for step, seed in enumerate(seeds, first_step):
            if self.dropouts:
                torch.cuda.manual_seed(seed)
            fuller = self._full_graph is not None and self._full[step]
            graph = self._full_graph if fuller else self._graph
            assert graph is not None
            graph.replay()

    # -- buffers --------------------------------------------------------------------

    def prepare(self, count: int) -> None:
        """Rows of many steps, and the graph that reads them."""
        one = self.objective.render_all(self.objective.plan(0, 1), self.rows)
        self._room = count = choose_room(one, 1, count, self.steps)

        def room(like: Tensor) -> Tensor:
            return like.new_zeros((count, *like.shape[1:]))

        self._inputs, self._targets = room(one.inputs), room(one.targets)
        self._weights, self._lengths = room(one.weights), room(one.lengths)
        self._factors = torch.zeros(count, device=self.device)
        self._metrics = torch.zeros(count, 3, device=self.device)
        self._cursor = torch.zeros(1, dtype=torch.long, device=self.device)
        self._hold = torch.ones((), device=self.device)  # 1: no update is applied
        self._give_seeds(count, 1)
        self._load_rows(0)  # rows to compile and warm up with, and mostly the first ones
        self._choose_capacity(one.inputs[0].numel())
        self._make_graph()

    def _load_rows(self, first: int) -> None:
        """Render the rows from this step on, as many as there is room for."""
        last = min(first + self._room, self.steps)
        for here, batch in render_rows(self.objective, first, last, self.rows):
            self._inputs[here].copy_(batch.inputs)
            self._targets[here].copy_(batch.targets)
            self._weights[here].copy_(batch.weights)
            self._lengths[here].copy_(batch.lengths)
        self._loaded = first

    def _give_seeds(self, count: int, models: int) -> None:
        """A place for each step's dropout seeds, from which the layers compute their masks."""
        shape = (models, 2)
        self._seeds = torch.zeros(shape, dtype=torch.int32, device=self.device)
        self._step_seeds = self._seeds.new_zeros((count, *shape))
        for site, layer in enumerate(self.dropouts):
            layer.seeds, layer.site = self._seeds, site

    def _set_seeds(self, seeds: Sequence[Sequence[int]], first: int = 0) -> None:
        if self.dropouts:
            words = [[(s & 0x7FFFFFFF, (s >> 31) & 0x7FFFFFFF) for s in step] for step in seeds]
            here = slice(first, first + len(words))
            self._step_seeds[here].copy_(torch.tensor(words, dtype=torch.int32))

    def _choose_capacity(self, places: int) -> None:
        if hasattr(self, "_capacity"):
            return
        self._capacity = self._most = 0  # rows without padding need no packing
        if getattr(self.model, "packable", False):
            usual, most = self._find_capacity()
            if most < places:
                self._capacity, self._most = usual, most

    def _find_capacity(self) -> tuple[int, int]:
        """Slots that are enough for nearly all steps, and for all. Notes which steps are fuller."""
        characters = count_characters(self.objective, self.steps, self.rows)
        usual, most = find_usual(characters), round_up(int(characters.max()))
        self._full = (characters > usual).tolist()
        return (usual, most) if self._worth_compiling else (most, most)

    @property
    def _worth_compiling(self) -> bool:
        return self.steps >= least_compiled(getattr(self.model, "config", None))

    def _make_graph(self) -> None:
        if (try_out := getattr(self.model, "try_out", None)) is not None:
            try_out()
        with products(self.arithmetic):
            self._loss = self._choose_loss()
            if self._loss != self._plain_loss:
                self._compile_update()
            if self._most > self._capacity:  # for so few steps, compiling again is not worth it
                usual, self._capacity = (self._loss, self._capacity), self._most
                self._loss = self._plain_loss
                self._full_graph = self._capture()
                self._loss, self._capacity = usual
            self._graph = self._capture()
        self._hold.zero_()

    # -- the step -------------------------------------------------------------------

    def _pick_rows(self) -> Iterator[Tensor]:
        """Inputs, targets, weights and lengths of the step that the counter has reached."""
        if self.dropouts:
            self._seeds.copy_(self._step_seeds.index_select(0, self._cursor)[0])
        for p in self.model.parameters():
            p.grad = None
        for buffer in (self._inputs, self._targets, self._weights, self._lengths):
            yield buffer.index_select(0, self._cursor)[0]

    def _step(self) -> None:
        inputs, targets, weights, lengths = self._pick_rows()
        loss = self._loss(inputs, targets, weights, lengths)
        loss.backward()
        loss, counted = loss.detach(), (weights > 0).sum().float()
        if self.shared is not None:  # a captured step cannot be stopped within a chunk
            own = StepSums(loss, weights.sum(), counted, torch.zeros_like(loss))
            loss, _, counted, _ = self.shared.add(own)
        norm = measure_gradient(self.model)
        grad_scale = ((norm + 1e-6) / self.clip).clamp(min=1.0)  # as torch's clip_grad_norm_
        bad = (~(torch.isfinite(loss) & torch.isfinite(norm))).float()
        factor = self._factors.index_select(0, self._cursor)[0]
        held = bad.maximum(self._hold)
        self.lanes.run([partial(each.step, factor, held, grad_scale) for each in self.optimisers])
        row = torch.stack((loss, counted, bad))
        self._metrics.index_copy_(0, self._cursor, row[None])
        self._cursor.add_(1).remainder_(self._room)

    def _choose_loss(self) -> Callable[..., Tensor]:
        if not self._worth_compiling:
            return self._plain_loss
        torch.compiler.reset()  # or torch gives up compiling this function for a ninth model
        compiled = torch.compile(self._plain_loss, dynamic=False)
        try:
            buffers = (self._inputs, self._targets, self._weights, self._lengths)
            compiled(*(b[0] for b in buffers)).sum().backward()
        except Exception as error:  # no C compiler, no Triton: slower, and the same
            self.notes.append(f"the step is not compiled, which costs speed only: {shorten(error)}")
            return self._plain_loss
        return compiled

    @property
    def _updaters(self) -> Sequence[Any]:
        return self.optimisers

    def _compile_update(self) -> None:
        """Compile what is done to the weights, by a step that is held back and changes nothing."""
        try:
            for optimiser in self._updaters:
                optimiser.compile(True)
            self._step()
        except Exception as error:  # slower, and the same
            for optimiser in self._updaters:
                optimiser.compile(False)
            reason = shorten(error)
            self.notes.append(f"the update is not compiled, which costs speed only: {reason}")

    def _plain_loss(
        self, inputs_BT: Tensor, targets_BT: Tensor, weights_BT: Tensor, lengths_B: Tensor
    ) -> Tensor:
        """The weighted mean of the losses; a row's padding is left out or weighs nothing.

        For a gradient that is shared it is the sum: the mean is over the rows of all ranks.
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
        return total if self.shared else total / weights.sum().clamp(min=NOTHING)

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


def measure_gradient(model: nn.Module) -> Tensor:
    """The length of the gradient of all weights together."""
    gradients = [p.grad for p in model.parameters() if p.grad is not None]
    norms = torch._foreach_norm(gradients)  # pyright: ignore
    return torch.linalg.vector_norm(torch.stack(norms))


def shorten(error: Exception) -> str:
    return " ".join(str(error).split())[:120]


def find_dropouts(model: nn.Module) -> list[Any]:
    """The layers that drop anything and take seeds, in order."""
    return [m for m in model.modules() if hasattr(m, "seeds") and getattr(m, "p", 0) > 0]


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
