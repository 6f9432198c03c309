"""Training steps on a CUDA GPU: one captured step, replayed; the host looks once a chunk.

Planning and rendering a chunk is a few dozen operations on whole chunks. The step itself picks
its rows by a counter on the device, so a replay needs nothing from the host but the seed of
its dropout. Rows go through the model without their padding where its mixers allow that. Several
models of one shape take their steps in one graph (stack.py); one model is a stack of one.

Shapes: S steps of a chunk, K models, B rows of each, T characters, N slots of a packing of each.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from wherefrom.core.contracts import EVERY_ROW, Batch, StaticObjective
from wherefrom.training.captured_rows import (
    choose_room,
    count_characters,
    find_usual,
    render_rows,
    round_up,
)
from wherefrom.training.muon import has_bf16
from wherefrom.training.optimisers import AdamW
from wherefrom.training.shared_gradient import NOTHING, SharedGradient, StepSums

# Steps from which compiling gains time, and with one layer. It takes 30 to 40 s for the stages of a
# run; on an H200 it spares a step of four layers 3.9 of 5.4 ms, but one of one layer 0.6 of 1.6.
WORTH_COMPILING, WORTH_WITH_ONE_LAYER = 5000, 60_000
_WARMUPS = 3


def least_compiled(config: object) -> int:
    """The steps from which on those of a model are compiled."""
    layers = getattr(config, "n_layer", 1)
    return WORTH_COMPILING if layers > 1 else WORTH_WITH_ONE_LAYER


Places = Sequence[int | None]  # the next step of each model; None for one that is passed over


class Updates:
    """Clips the gradient of one model and takes its step, on the device; stack.py has K models'."""

    def __init__(self, model: nn.Module, optimisers: Sequence[Any]) -> None:
        self.model, self.optimisers = model, optimisers

    def update(self, losses_K: Tensor, factors_K: Tensor, clip: float, hold_K: Tensor) -> Tensor:
        """Update each model, unless it is held back (1) or its loss or gradient is not finite.

        Returns a flag for each model: 1 where something is not finite.
        """
        norm = measure_gradient(self.model)
        grad_scale = ((norm + 1e-6) / clip).clamp(min=1.0)  # as torch's clip_grad_norm_
        bad_K = (~(torch.isfinite(losses_K) & torch.isfinite(norm))).float()
        for optimiser in self.optimisers:
            optimiser.step(factors_K[0], bad_K.maximum(hold_K)[0], grad_scale)
        return bad_K


class CapturedSteps:
    """Takes steps of K models; weights, moments and objectives are the learners' own."""

    def __init__(
        self,
        model: nn.Module,
        objectives: Sequence[StaticObjective],
        updates: Updates,
        *,
        clip: float,
        arithmetic: str,
        steps: int,
        shared: SharedGradient | None = None,
    ) -> None:
        self.model, self.objectives, self.updates = model, objectives, updates
        self.shared = shared
        self.rows = EVERY_ROW if shared is None else shared.ranks.rows
        self.clip, self.arithmetic, self.steps = clip, arithmetic, steps
        self.device = next(model.parameters()).device
        self.notes: list[str] = []
        self.dropouts = find_dropouts(model)
        self._graph: torch.cuda.CUDAGraph | None = None
        self._full_graph: torch.cuda.CUDAGraph | None = None  # for steps with more characters
        self._full: list[bool] = []  # which steps these are
        self._room = 0  # steps that the buffers hold
        self._places: Places | None = None  # the first step of each model whose rows are there

    def run(
        self,
        places: Places,
        count: int,
        factors: Sequence[Sequence[float]],
        seeds: Sequence[Sequence[int]],
    ) -> Tensor:
        """`count` steps of every model, (S, K, 3): loss, targets and the flag of a bad step.

        `factors` and `seeds` have a row for each step and a column for each model.
        """
        if count > self._room:
            self.prepare(count)
        first = self._find(places, count)
        if first is None:
            self._load_rows(places)
            first = 0
        self._passed.copy_(torch.tensor([float(place is None) for place in places]))
        self._factors[first : first + count].copy_(torch.tensor(factors))
        self._cursor.fill_(first)
        self._set_seeds(seeds, first)
        self._replay([step[0] for step in seeds], places[0] or 0)
        return self._metrics[first : first + count]

    def _replay(self, seeds: Sequence[int], first_step: int = 0) -> None:
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
        models = len(self.objectives)
        objective = max(self.objectives, key=lambda each: each.width)
        one = objective.render_all(objective.plan(0, 1), self.rows)
        self._room = count = choose_room(one, models, count, self.steps)

        def room(like: Tensor) -> Tensor:
            return like.new_zeros((count, models, *like.shape[1:]))

        self._inputs, self._targets = room(one.inputs), room(one.targets)
        self._weights, self._lengths = room(one.weights), room(one.lengths)
        self._factors = torch.zeros(count, models, device=self.device)
        self._metrics = torch.zeros(count, models, 3, device=self.device)
        self._cursor = torch.zeros(1, dtype=torch.long, device=self.device)
        self._hold = torch.ones(models, device=self.device)  # 1: no update is applied
        self._passed = torch.zeros(models, device=self.device)  # 1: the model takes no step
        self._give_seeds(count, models)
        self._load_rows([0] * models)  # to compile and warm up with, and mostly the first ones
        self._choose_capacity(one.inputs[0].numel())
        self._make_graph()

    def _find(self, places: Places, count: int) -> int | None:
        """Where the rows of these steps are, if they are there."""
        if self._places is None:
            return None
        found: set[int] = set()
        for place, first in zip(places, self._places, strict=True):
            if place is not None:
                found.add(-1 if first is None else place - first)
        (at, *others) = found or {-1}
        return at if not others and 0 <= at <= self._room - count else None

    def _load_rows(self, places: Places) -> None:
        """Render the rows of every model from its place on, as many as there is room for."""
        for k, first in enumerate(places):
            if first is None:
                self._weights[:, k].zero_()
                continue
            last = min(first + self._room, self.steps)
            for here, batch in render_rows(self.objectives[k], first, last, self.rows):
                width = batch.inputs.shape[-1]  # places behind narrower rows stay empty
                self._inputs[here, k, :, :width].copy_(batch.inputs)
                self._targets[here, k, :, :width].copy_(batch.targets)
                self._weights[here, k, :, :width].copy_(batch.weights)
                self._lengths[here, k].copy_(batch.lengths)
        self._places = list(places)

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
        """Slots that are enough for nearly all steps, and for all. Notes which steps are fuller.

        Of several models, some one is nearly always in a full step.
        """
        if self._room >= self.steps:  # all rows are there
            characters_KS = self._lengths.sum(-1).T
        else:
            each = [count_characters(own, self.steps, self.rows) for own in self.objectives]
            characters_KS = torch.stack(each)
        most = round_up(int(characters_KS.max()))
        if len(self.objectives) > 1 or not self._worth_compiling:
            return most, most
        usual = find_usual(characters_KS[0])
        self._full = (characters_KS[0] > usual).tolist()
        return usual, most

    @property
    def _worth_compiling(self) -> bool:
        return self.steps >= least_compiled(getattr(self.model, "config", None))

    def _make_graph(self) -> None:
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
        losses_K = self._loss(inputs, targets, weights, lengths)
        losses_K.sum().backward()
        losses_K, counted_K = losses_K.detach().float(), (weights > 0).flatten(1).sum(1).float()
        if self.shared is not None:  # a captured step cannot be stopped within a chunk
            sums = losses_K, weights.sum()[None], counted_K, torch.zeros_like(losses_K)
            found = self.shared.add(StepSums(*(each[0] for each in sums)))
            losses_K, counted_K = found.loss[None], found.targets[None]
        factors_K = self._factors.index_select(0, self._cursor)[0]
        hold_K = self._hold.maximum(self._passed)
        bad_K = self.updates.update(losses_K, factors_K, self.clip, hold_K)
        row = torch.stack((losses_K, counted_K, bad_K), 1)
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

    def _compile_update(self) -> None:
        """Compile what is done to the weights, by a step that is held back and changes nothing.

        One model's AdamW is torch's own, which is fused.
        """
        ours = [each for each in self.updates.optimisers if not isinstance(each, AdamW)]
        try:
            for optimiser in ours:
                optimiser.compile(True)
            self._step()
        except Exception as error:  # slower, and the same
            for optimiser in ours:
                optimiser.compile(False)
            reason = shorten(error)
            self.notes.append(f"the update is not compiled, which costs speed only: {reason}")

    def _plain_loss(
        self, inputs_KBT: Tensor, targets_KBT: Tensor, weights_KBT: Tensor, lengths_KB: Tensor
    ) -> Tensor:
        batch = Batch(inputs_KBT, targets_KBT, weights_KBT, lengths_KB)
        half = self.arithmetic == "bf16" and has_bf16(self.device)
        with torch.autocast("cuda", torch.bfloat16) if half else nullcontext():
            return find_losses(self.model, batch, self._capacity, self.shared is None)

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


def find_losses(model: Any, batch: Batch, capacity: int, divided: bool = True) -> Tensor:
    """The weighted mean of each model's losses; the models are a first dimension of the batch.

    With a `capacity`, the characters of each model's rows are packed into as many slots; a row's
    padding is left out or weighs nothing. For a gradient that is shared, losses are not `divided`:
    the mean is over the rows of all ranks.
    """
    models, rows_KB = len(batch.inputs), batch.inputs.flatten(0, 1)
    targets, weights = batch.targets.flatten(0, 1), batch.weights.flatten(0, 1)
    packing = None
    if capacity:
        packing = model.packing(batch.lengths.flatten(), rows_KB.shape[1], capacity)
        targets, weights = packing.pack(targets), packing.pack(weights)
    logits = model.head(model.features(rows_KB, packing=packing)).flatten(0, -2)
    losses = F.cross_entropy(logits, targets.flatten(), reduction="none")
    weights_KN = weights.view(models, -1)
    totals_K = (losses.view(models, -1) * weights_KN).sum(1)
    return totals_K / weights_KN.sum(1).clamp(min=NOTHING) if divided else totals_K


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
