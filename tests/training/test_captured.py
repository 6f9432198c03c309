"""Captured steps on a GPU: the same arithmetic as steps taken one by one, without the host."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from msgspec.structs import replace

from wherefrom.core.recipe import Schedule, Share, Stage
from wherefrom.models.gpt import GPT, GPTConfig
from wherefrom.models.gru import GRU, GRUConfig
from wherefrom.objectives.mix import Mix
from wherefrom.objectives.windows import Windows
from wherefrom.training.optimisers import AdamWConfig, MuonConfig
from wherefrom.training.torch_learner import TorchLearner

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA GPU here")
DROPPING = {"embd_pdrop": 0.2, "resid_pdrop": 0.2, "attn_pdrop": 0.2}
STEPS = 12
ADAMW = AdamWConfig(rate=0.01)
Build = Callable[..., TorchLearner]


@pytest.fixture
def plain(stacks) -> GPTConfig:
    return replace(stacks.plain, n_layer=3, n_embd=32, ngrams=0, init_std=0.1)


@pytest.fixture
def build(stacks, plain) -> Build:
    def make(model: dict[str, Any] | None = None, device: str = "cuda", **changed) -> TorchLearner:
        given = {"steps": STEPS, "batch": 8} | changed
        return stacks.build(5, replace(plain, **model or {}), device=device, **given)

    return make


@pytest.mark.parametrize("optimiser", [ADAMW, MuonConfig()], ids=lambda c: c.kind)
@pytest.mark.parametrize("mixer", ["causal", "rope", "synthesizer", "perceiver"])
def test_captured_steps_are_the_steps_of_a_cpu(build, mixer, optimiser, monkeypatch):
    monkeypatch.setattr("wherefrom.training.muon.has_bf16", lambda device: False)
    model = {"attention": mixer, "bottleneck_dim": 16}
    here, there = (build(model, device, optimiser=optimiser) for device in ("cpu", "cuda"))
    assert here.captured is None
    assert there.captured is not None
    slow, fast = here.advance(0, STEPS), there.advance(0, STEPS)
    np.testing.assert_array_equal(slow["targets"], fast["targets"])
    np.testing.assert_allclose(slow["loss"], fast["loss"], rtol=2e-3)
    assert fast["finite"].all()
    assert slow["loss"][-1] < slow["loss"][0]


@pytest.fixture(params=[False, True], ids=["as it is", "compiled"])
def compiled(request, monkeypatch) -> bool:
    """Short stages are compiled as long ones are, or not."""
    if request.param:
        monkeypatch.setattr("wherefrom.training.captured.WORTH_COMPILING", 1)
    return request.param


@pytest.mark.parametrize("optimiser", [ADAMW, MuonConfig()], ids=lambda c: c.kind)
@pytest.mark.parametrize("prepared", [True, False])
def test_a_resumed_run_goes_on_as_the_whole_one(build, optimiser, prepared, compiled, monkeypatch):
    """A state may be loaded before the step is captured, or after.

    In bf16 Muon rounds what compiled sums in changing order leave, and the runs part.
    """
    monkeypatch.setattr("wherefrom.training.muon.has_bf16", lambda device: False)
    whole, first, second = (build(DROPPING, optimiser=optimiser) for _ in range(3))
    losses = whole.advance(0, STEPS)["loss"]
    first.advance(0, 6)
    if prepared:
        second.prepare(6)
    second.load(first.state())
    assert second.state().arrays.keys() == first.state().arrays.keys()
    for name, array in first.state().arrays.items():
        np.testing.assert_array_equal(array, second.state().arrays[name], err_msg=name)
    np.testing.assert_allclose(losses[6:], second.advance(6, 6)["loss"], rtol=1e-4)


@pytest.mark.parametrize("arithmetic", ["tf32", "bf16"])
def test_coarser_arithmetic_stays_near(build, arithmetic):
    exact, coarse = build(), build(arithmetic=arithmetic)
    loss, near = exact.advance(0, STEPS)["loss"], coarse.advance(0, STEPS)["loss"]
    np.testing.assert_allclose(loss, near, rtol=0.1)
    assert not np.array_equal(loss, near)


@pytest.mark.parametrize("optimiser", [ADAMW, MuonConfig()], ids=lambda c: c.kind)
def test_each_model_of_a_stack_takes_its_own_steps(stacks, plain, optimiser, compiled, monkeypatch):
    """All are packed, in a stack and alone: masks are counted along the slots."""
    monkeypatch.setattr("wherefrom.training.muon.has_bf16", lambda device: False)
    monkeypatch.setattr("wherefrom.training.captured_rows._ROUND", 1)
    config = replace(plain, embd_pdrop=0.2, resid_pdrop=0.2, attention="rope", ngrams=3)
    given = {"device": "cuda", "steps": STEPS, "batch": 8, "optimiser": optimiser}
    alone, together = (
        [stacks.build(seed, config, **given) for seed in (3, 4, 6)] for _ in range(2)
    )
    stack = stacks.build_stack(together)
    found = [stack.advance(*at) for at in (([0, 0, None], 6), ([6, 6, 0], 6))]
    assert stack.captured.notes == []
    for k, steps in enumerate((12, 12, 6)):
        losses = [chunk[k]["loss"] for chunk in found if chunk[k] is not None]
        np.testing.assert_allclose(
            np.concatenate(losses), alone[k].advance(0, steps)["loss"], rtol=5e-3
        )


def build_windows(model: GPT | GRU, device: str) -> TorchLearner:
    here = torch.device(device)
    tokens = torch.arange(500, device=here) % 7
    stage = Stage("s", (Share("text", None),), ADAMW, Schedule(), steps=STEPS, batch=8)
    windows = Windows(tokens, length=48, rows=8, seed=3, stage=0)
    mix = Mix(stage.mix, 8, STEPS, lambda share, rows, part: windows)
    return TorchLearner(model.to(here), mix, stage, number=0, seed=1)


def make_gru(plain: GPTConfig) -> GRU:
    torch.manual_seed(5)
    return GRU(GRUConfig(vocab_size=7, n_embd=8, n_hidden=16, n_layer=2))


def make_gpt(plain: GPTConfig) -> GPT:
    torch.manual_seed(5)
    return GPT(replace(plain, vocab_size=7))


@pytest.mark.parametrize("make", [make_gpt, make_gru])
def test_windows_of_a_text_take_the_steps_of_a_cpu(plain, make):
    here, there = (build_windows(make(plain), device) for device in ("cpu", "cuda"))
    slow, fast = here.advance(0, STEPS), there.advance(0, STEPS)
    np.testing.assert_allclose(slow["loss"], fast["loss"], rtol=2e-3)
    assert fast["finite"].all()


def test_rows_without_padding_are_not_packed_and_a_recurrence_is_not_captured(plain):
    captured = build_windows(make_gpt(plain), "cuda").captured
    captured.prepare(4)
    assert captured._capacity == 0
    assert build_windows(make_gru(plain), "cuda").captured is None
