"""The assignment's names against a plain reference written here, and against the library."""

import copy
import math
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
import torch.nn.functional as F
from torch import nn

A5 = Path(__file__).parents[2] / "course" / "a5"
sys.path.insert(0, str(A5))

import submission  # noqa: E402
from submission import helper, utils  # noqa: E402
from submission.attention import CausalSelfAttention, SynthesizerAttention  # noqa: E402
from submission.dataset import CharCorruptionDataset  # noqa: E402
from submission.model import GPT, Block, DownProjectBlock, GPTConfig, UpProjectBlock  # noqa: E402

from wherefrom.core.errors import BadData  # noqa: E402
from wherefrom.models.attention import synthesizer  # noqa: E402

WIKI = "\n".join(f"{n} Grey. {n} was born in Oslo, and sang." for n in ("Ann", "Bo", "Cy"))
WIKI += " Where? Rome."
NAMES = "Where was Ann Grey born?\tOslo\nWhere was Bo Grey born?\tRome\n"
TINY = {"n_layer": 2, "n_head": 2, "n_embd": 8}


@pytest.fixture(autouse=True)
def default_year(monkeypatch):
    monkeypatch.delenv("A5_YEAR", raising=False)


@pytest.fixture
def corpus():
    return CharCorruptionDataset(WIKI, 64)


def tiny(corpus, build=helper.initialize_vanilla_model, **extra):
    utils.set_seed(3)
    return build(GPTConfig(corpus.vocab_size, 64, **TINY), **extra)


# -- a reference, as plain as it can be ------------------------------------------------


def named(name, module):
    module.__class__ = type(name, (type(module),), {})
    return module


class Plain(nn.Module):
    """Whatever children it is given, in order."""

    def __init__(self, **children):
        super().__init__()
        for name, child in children.items():
            setattr(self, name, child)


def reference(vocab, block, n_layer, n_head, n_embd, synthesizer=False):
    def attention():
        def linear():
            return nn.Linear(n_embd, n_embd)

        first = {"w1": linear()} if synthesizer else {"key": linear(), "query": linear()}
        part = Plain(
            **first, value=linear(), attn_drop=nn.Dropout(0.1), resid_drop=nn.Dropout(0.1),
            proj=linear(),
        )  # fmt: skip
        part.register_buffer("mask", torch.tril(torch.ones(block, block))[None, None])
        if synthesizer:
            part.w2 = nn.Parameter(torch.zeros(n_embd // n_head, block - 1))
            part.b2 = nn.Parameter(torch.zeros(block - 1))
        return named("SynthesizerAttention" if synthesizer else "CausalSelfAttention", part)

    def one_block():
        mlp = nn.Sequential(
            nn.Linear(n_embd, 4 * n_embd), nn.GELU(), nn.Linear(4 * n_embd, n_embd), nn.Dropout(0.1)
        )
        part = Plain(ln1=nn.LayerNorm(n_embd), ln2=nn.LayerNorm(n_embd), attn=attention(), mlp=mlp)
        return named("Block", part)

    whole = Plain(
        tok_emb=nn.Embedding(vocab, n_embd), drop=nn.Dropout(0.1),
        blocks=nn.Sequential(*(one_block() for _ in range(n_layer))), ln_f=nn.LayerNorm(n_embd),
        head=nn.Linear(n_embd, vocab, bias=False),
    )  # fmt: skip
    whole.pos_emb = nn.Parameter(torch.zeros(1, block, n_embd))
    return named("GPT", whole)


def synthesize(p, x, n_head):
    """Equation (3), one head and one position at a time."""
    _, length, width = x.shape
    size = width // n_head
    hidden, values = F.relu(p.w1(x)), p.value(x)
    out = torch.zeros_like(x)
    for h in range(n_head):
        part = slice(h * size, (h + 1) * size)
        for t in range(length):
            scores = hidden[:, t, part] @ p.w2[:, : t + 1] + p.b2[: t + 1]
            weights = torch.exp(scores) / torch.exp(scores).sum(-1, keepdim=True)
            out[:, t, part] = torch.einsum("bs,bsd->bd", weights, values[:, : t + 1, part])
    return p.proj(out)


@pytest.mark.parametrize("variant", ["vanilla", "synthesizer"])
def test_a_model_prints_and_loads_like_the_reference(variant, corpus):
    model = tiny(corpus, getattr(helper, f"initialize_{variant}_model"))
    plain = reference(corpus.vocab_size, 64, 2, 2, 8, variant == "synthesizer")
    assert str(model) == str(plain)
    assert set(model.state_dict()) == set(plain.state_dict())
    plain.load_state_dict(model.state_dict(), strict=True)
    model.load_state_dict(plain.state_dict(), strict=True)


@pytest.mark.parametrize(
    ("build", "extra", "count"),
    [
        (helper.initialize_vanilla_model, {}, 3_323_392),
        (helper.initialize_synthesizer_model, {}, 3_076_988),
        (helper.initialize_perceiver_model, {}, 3_331_584),
        (helper.initialize_perceiver_model, {"bottleneck_dim": 64}, 3_339_776),
        (helper.initialize_rope_model, {}, 3_290_624),
    ],
)
def test_models_of_the_assignments_size(build, extra, count, capsys):
    model = build(GPTConfig(256, 128, n_layer=4, n_head=8, n_embd=256), **extra)
    assert sum(p.numel() for p in model.parameters()) == count
    assert capsys.readouterr().out == f"number of parameters: {count}\n"


def test_the_order_of_children(corpus):
    def names(module):
        return [name for name, _ in module.named_children()]

    model = tiny(corpus)
    assert names(model) == ["tok_emb", "drop", "blocks", "ln_f", "head"]
    mconf = GPTConfig(corpus.vocab_size, 64, n_layer=3, n_head=2, n_embd=8)
    perceiver = helper.initialize_perceiver_model(mconf, 16)
    assert names(perceiver) == [
        "tok_emb", "drop", "down_block", "blocks", "up_block", "ln_f", "head",
    ]  # fmt: skip
    rope = tiny(corpus, helper.initialize_rope_model)
    assert str(rope).count("CausalSelfAttention(") == 2
    assert copy.deepcopy(rope).get_block_size() == 64
    duck = SimpleNamespace(
        n_embd=8, n_head=2, block_size=12, attn_pdrop=0.0, resid_pdrop=0.0, bottleneck_dim=4
    )
    for part in (Block(duck), DownProjectBlock(duck), UpProjectBlock(duck)):
        assert names(part) == ["ln1", "ln2", "attn", "mlp"]


def test_forward_gives_logits_and_the_loss_of_what_is_no_pad(corpus):
    model = tiny(corpus).eval()
    x, y = (torch.stack(column) for column in zip(*(corpus[i] for i in range(3)), strict=True))
    logits, loss = model(x, y)
    chosen = F.log_softmax(logits, -1).gather(2, y[..., None])[..., 0]
    assert loss.item() == pytest.approx(-chosen[y != 0].mean().item(), rel=1e-5)
    assert model(x)[1] is None
    with pytest.raises(AssertionError):
        model(torch.zeros(1, 65, dtype=torch.long))


def test_attention_from_a_config_of_any_kind():
    torch.manual_seed(0)
    config = SimpleNamespace(n_embd=6, n_head=3, block_size=9, attn_pdrop=0.0, resid_pdrop=0.0)
    x = torch.randn(2, 5, 6, dtype=torch.double)
    ours = SynthesizerAttention(config).double()
    nn.init.normal_(ours.w2)
    nn.init.normal_(ours.b2)
    library = synthesizer.SynthesizerAttention(config).double()
    library.load_state_dict(ours.state_dict())
    assert (ours(x) - library(x)).abs().max() < 1e-8
    assert (ours(x) - synthesize(ours, x, 3)).abs().max() < 1e-8

    causal = CausalSelfAttention(config).double()
    q, k, v = (layer(x).view(2, 5, 3, 2) for layer in (causal.query, causal.key, causal.value))
    scores = torch.einsum("bthd,bshd->bhts", q, k) / math.sqrt(2)
    scores = scores.masked_fill(torch.ones(5, 5).tril() == 0, -1e10).softmax(-1)
    mixed = torch.einsum("bhts,bshd->bthd", scores, v).flatten(2)
    assert (causal(x) - causal.proj(mixed)).abs().max() < 1e-8
    config.rope, config.n_head = True, 1
    assert CausalSelfAttention(config).positional


# -- sampling and scoring --------------------------------------------------------------


@pytest.mark.parametrize("variant", ["vanilla", "synthesizer", "rope"])
def test_sampling_is_the_plain_loop(variant, corpus):
    model = tiny(corpus, getattr(helper, f"initialize_{variant}_model")).eval()
    nn.init.normal_(model.head.weight)
    x = torch.randint(2, corpus.vocab_size, (3, 5))
    expected = x
    with torch.no_grad():
        for _ in range(70):  # past the end of the block
            seen = expected[:, -model.max_input :]
            expected = torch.cat((expected, model(seen)[0][:, -1].argmax(-1, keepdim=True)), 1)
    assert torch.equal(utils.sample(model, x, 70), expected)


def test_sampling_at_random(corpus):
    model = tiny(corpus)
    x = torch.full((2, 3), 4)
    utils.set_seed(1)
    first, second = (utils.sample(model, x, 20, sample=True) for _ in range(2))
    assert first.shape == (2, 23)
    assert not torch.equal(first, second)
    assert not torch.equal(first[0], first[1])
    utils.set_seed(1)
    assert torch.equal(first, utils.sample(model, x, 20, sample=True))
    best = utils.sample(model, x, 20)
    assert torch.equal(best, utils.sample(model, x, 20, 2.0, sample=True, top_k=1))
    assert model.training


def test_evaluate_places(tmp_path):
    path = tmp_path / "dev.tsv"
    path.write_text(NAMES)
    assert utils.evaluate_places(path, ["Oslo", "Paris"]) == (2.0, 1.0)
    with pytest.raises(BadData, match="each of its 2 questions"):
        utils.evaluate_places(path, ["Oslo"])
    path.write_text("Where was Ann Grey born?\n")
    assert utils.evaluate_places(path, ["Oslo"]) == (0, 0)


def test_every_name_is_there():
    assert all(hasattr(submission, name) for name in submission.__all__)
    assert isinstance(GPT(GPTConfig(4, 8, additive=True, **TINY)).blocks[0].attn,
                      SynthesizerAttention)  # fmt: skip
