"""AdamW against torch's own, and which weights each optimiser takes."""

import math

import pytest
import torch
from torch import nn

from wherefrom.core.errors import UsageError
from wherefrom.core.recipe import Schedule
from wherefrom.models.gpt import GPT, GPTConfig
from wherefrom.training.optimisers import (
    OPTIMISERS,
    AdamW,
    AdamWConfig,
    Muon,
    MuonConfig,
    TokenCount,
    factor,
)

GOOD, BAD = torch.tensor(0.0), torch.tensor(1.0)


class Bits(nn.Module):
    """A matrix in a block, an embedding outside, a vector, and something with three sides."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.tok_emb = nn.Embedding(7, 4)
        self.pos_emb = nn.Parameter(torch.randn(1, 5, 4))
        self.blocks = nn.ModuleList([nn.Linear(4, 6), nn.Linear(4, 6), nn.Linear(6, 4)])


def give_gradients(model: nn.Module, seed: int, scale: float = 1.0) -> None:
    generator = torch.Generator().manual_seed(seed)
    for p in model.parameters():
        p.grad = torch.randn(p.shape, generator=generator) * scale


def weights(model: nn.Module) -> dict[str, torch.Tensor]:
    return {name: p.detach().clone() for name, p in model.named_parameters()}


def build(model: nn.Module, config) -> list:
    return OPTIMISERS[config.kind](model, config)


# --- AdamW -----------------------------------------------------------------------------------


def test_adamw_is_torchs_on_the_same_gradients():
    config = AdamWConfig(rate=0.01, decay=0.3, beta1=0.8, beta2=0.9)
    ours, theirs = Bits(), Bits()
    (optimiser,) = build(ours, config)
    matrices = [p for p in theirs.parameters() if p.dim() > 1]
    vectors = [p for p in theirs.parameters() if p.dim() == 1]
    reference = torch.optim.AdamW(
        [{"params": matrices, "weight_decay": 0.3}, {"params": vectors, "weight_decay": 0.0}],
        lr=0.01, betas=(0.8, 0.9), foreach=False, fused=False,
    )  # fmt: skip
    for step in range(8):
        give_gradients(ours, step)
        give_gradients(theirs, step)
        factor = 1 / (1 + step)
        optimiser.step(factor, GOOD)
        for group in reference.param_groups:
            group["lr"] = 0.01 * factor
        reference.step()
    for (name, a), b in zip(ours.named_parameters(), theirs.parameters(), strict=True):
        torch.testing.assert_close(a, b, atol=1e-6, rtol=1e-5, msg=name)
    moments = optimiser.state()
    for name, p in theirs.named_parameters():
        for key in ("exp_avg", "exp_avg_sq", "step"):
            torch.testing.assert_close(moments[f"adamw.{name}.{key}"], reference.state[p][key])


def test_norms_decay_too_where_all_but_biases_do():
    model = nn.LayerNorm(3)
    (optimiser,) = build(model, AdamWConfig(decay=0.5, decayed="all but bias"))
    assert optimiser.groups == [(0.5, ["weight"]), (0.0, ["bias"])]


@pytest.mark.parametrize("config", [AdamWConfig(rate=0.01), MuonConfig()], ids=lambda c: c.kind)
@pytest.mark.parametrize("value", [1.0, float("nan"), float("inf")])
def test_a_step_that_is_forbidden_changes_no_bit(config, value):
    model = Bits()
    optimisers = build(model, config)

    def state() -> dict[str, bytes]:
        kept = {k: v for o in optimisers for k, v in o.state().items()} | weights(model)
        return {name: value.detach().numpy().tobytes() for name, value in kept.items()}

    def step(seed: int, bad: torch.Tensor, scale: float = 1.0) -> None:
        give_gradients(model, seed, scale)
        for optimiser in optimisers:
            optimiser.step(1.0, bad)

    step(0, GOOD)
    before = state()
    step(1, BAD, value)
    assert state() == before
    step(2, GOOD)
    after = state()
    assert all(after[name] != before[name] for name in before)


def test_muon_takes_the_matrices_of_the_blocks_and_adamw_the_rest():
    sizes = {"vocab_size": 9, "block_size": 8, "n_layer": 2, "n_head": 2, "n_embd": 8}
    model = GPT(GPTConfig(**sizes, ngrams=2, ngram_buckets=16))
    adamw, muon = build(model, MuonConfig(adam_rate=0.5, decay=0.25))
    assert isinstance(adamw, AdamW)
    assert isinstance(muon, Muon)
    rest = {name.removeprefix("adamw.").rsplit(".", 1)[0] for name in adamw.state()}
    names = {name for name, _ in model.named_parameters()}
    inner = ("attn.key", "attn.query", "attn.value", "attn.proj", "mlp.0", "mlp.2")
    assert names - rest == {f"blocks.{i}.{name}.weight" for i in (0, 1) for name in inner}
    assert rest < names
    assert {"tok_emb.weight", "pos_emb", "head.weight", "ngram_emb.table.weight"} < rest
    assert {k: tuple(v.shape) for k, v in muon.state().items()} == {
        "muon.8x8": (8, 8, 8), "muon.32x8": (2, 32, 8), "muon.8x32": (2, 8, 32),
    }  # fmt: skip
    assert adamw.rate == 0.5
    assert adamw.groups[0][0] == 0.25


HALF = math.sqrt(0.5)
COSINE = [1, (1 + HALF) / 2, 0.5, (1 - HALF) / 2]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"shape": "constant", "warmup": 0.0}, [1.0] * 10),
        ({"shape": "constant", "warmup": 0.4, "floor": 0.5}, [0.25, 0.5, 0.75] + [1.0] * 7),
        ({"shape": "linear", "warmup": 0.0}, [1 - i / 10 for i in range(10)]),
        ({"shape": "linear", "warmup": 0.2}, [0.5, 1, 1, *(i / 8 for i in range(7, 0, -1))]),
        ({"shape": "linear", "warmup": 0.0, "floor": 0.2}, [1 - 0.08 * i for i in range(10)]),
        ({"shape": "cosine", "warmup": 0.0}, COSINE),
        ({"shape": "cosine", "warmup": 0.0, "floor": 0.1}, [0.1 + 0.9 * f for f in COSINE]),
        ({"shape": "cosine", "warmup": 0.2}, [1.0, *COSINE]),
        # Any warm-up takes at least a step, and may take all.
        ({"shape": "constant", "warmup": 0.01}, [1.0] * 10),
        ({"shape": "linear", "warmup": 1.0}, [0.25, 0.5, 0.75, 1.0]),
        ({"shape": "linear"}, [1.0]),
    ],
)
def test_factors_by_hand(given, expected):
    steps = len(expected)
    found = [factor(Schedule(**given), step, steps) for step in range(steps)]
    assert found == pytest.approx(expected)


COURSE = Schedule(shape="course", floor=0.1)
# 2,937 documents, 128 a step, rows of 127 places; 200 epochs of 128 a row until the floor.
PRETRAIN = TokenCount(2937, 128, 127, 200 * 2937 * 128)


def course(epoch: float) -> float:
    return factor(COURSE, round(epoch * 23), 650 * 23, PRETRAIN)


def test_tokens_are_counted_with_their_padding_and_a_short_last_step():
    assert PRETRAIN.before(0) == 0
    assert PRETRAIN.before(1) == 128 * 127
    assert PRETRAIN.before(22) == 22 * 128 * 127
    assert PRETRAIN.before(23) == 2937 * 127
    assert PRETRAIN.before(24) == (2937 + 128) * 127
    assert PRETRAIN.final == 75_187_200


def test_the_courses_rate_falls_and_comes_back():
    assert course(0) == 1.0
    assert factor(COURSE, 1, 14950, PRETRAIN) == pytest.approx(1.0, abs=1e-6)
    assert course(160) > 0.1
    assert all(course(e) == 0.1 for e in (162, 200, 241))
    assert course(244) > 0.1
    assert course(403) == pytest.approx(1.0, abs=1e-4)
    assert all(course(e) == 0.1 for e in (565, 600, 644))
    assert 6e-3 * factor(COURSE, 650 * 23, 650 * 23, PRETRAIN) == pytest.approx(7.18e-4, rel=3e-3)


def test_the_course_warms_up_in_tokens():
    few = TokenCount(10, 2, 100, 10**6)
    assert [factor(COURSE, s, 99, few) for s in (1, 4)] == pytest.approx([200 / 10240, 800 / 10240])


def test_a_schedule_that_counts_needs_something_to_count():
    with pytest.raises(UsageError, match="course"):
        factor(COURSE, 0, 10)
