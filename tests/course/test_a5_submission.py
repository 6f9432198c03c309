"""The assignment's names against a plain reference written here, and against the library."""

import cmath
import copy
import math
from types import SimpleNamespace

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from tests.course.files import A5, load
from wherefrom.core.errors import BadData
from wherefrom.models.attention import rope, synthesizer
from wherefrom.models.attention.packing import Packing

submission, helper, utils = load(A5, "submission", "submission.helper", "submission.utils")
GPT, GPTConfig = submission.GPT, submission.GPTConfig
CausalSelfAttention = submission.CausalSelfAttention
CausalCrossAttention = submission.CausalCrossAttention
SynthesizerAttention = submission.SynthesizerAttention
CharCorruptionDataset = submission.CharCorruptionDataset

WIKI = "\n".join(f"{n} Grey. {n} was born in Oslo, and sang." for n in ("Ann", "Bo", "Cy"))
WIKI += " Where? Rome."
NAMES = "Where was Ann Grey born?\tOslo\nWhere was Bo Grey born?\tRome\n"
TINY = {"n_layer": 3, "n_head": 2, "n_embd": 8}
VARIANTS = ["vanilla", "synthesizer", "perceiver", "rope"]


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


def reference(variant, vocab, block, n_layer, n_head, n_embd, latents=4):
    """The hand-outs' module tree: what the lines of their constructors make, one by one."""

    def attention(kind, block):
        def linear():
            return nn.Linear(n_embd, n_embd)

        given = kind == "SynthesizerAttention"
        first = {"w1": linear()} if given else {"key": linear(), "query": linear()}
        part = Plain(
            **first, value=linear(), attn_drop=nn.Dropout(0.1), resid_drop=nn.Dropout(0.1),
            proj=linear(),
        )  # fmt: skip
        part.register_buffer("mask", torch.tril(torch.ones(block, block))[None, None])
        if given:
            part.w2 = nn.Parameter(torch.zeros(n_embd // n_head, block - 1))
            part.b2 = nn.Parameter(torch.zeros(block - 1))
        if variant == "rope":
            part.register_buffer("rope_cache", torch.zeros(block, n_embd // n_head // 2, 2))
        return named(kind, part)

    def one_block(name="Block", kind="CausalSelfAttention", block=block):
        mlp = nn.Sequential(
            nn.Linear(n_embd, 4 * n_embd), nn.GELU(), nn.Linear(4 * n_embd, n_embd), nn.Dropout(0.1)
        )
        attn = attention(kind, block)
        return named(
            name, Plain(ln1=nn.LayerNorm(n_embd), ln2=nn.LayerNorm(n_embd), attn=attn, mlp=mlp)
        )

    if variant == "perceiver":
        down, up = (one_block(f"{w}ProjectBlock", "CausalCrossAttention") for w in ("Down", "Up"))
        down.C = nn.Parameter(torch.zeros(1, latents, n_embd))
        inner = nn.Sequential(*(one_block(block=latents) for _ in range(n_layer - 2)))
        middle = {"down_block": down, "blocks": inner, "up_block": up}
    else:
        kind = "SynthesizerAttention" if variant == "synthesizer" else "CausalSelfAttention"
        middle = {"blocks": nn.Sequential(*(one_block(kind=kind) for _ in range(n_layer)))}
    whole = Plain(
        tok_emb=nn.Embedding(vocab, n_embd), drop=nn.Dropout(0.1), **middle,
        ln_f=nn.LayerNorm(n_embd), head=nn.Linear(n_embd, vocab, bias=False),
    )  # fmt: skip
    if variant != "rope":
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


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_model_prints_and_loads_like_the_reference(variant, corpus):
    extra = {"bottleneck_dim": 4} if variant == "perceiver" else {}
    model = tiny(corpus, getattr(helper, f"initialize_{variant}_model"), **extra)
    plain = reference(variant, corpus.vocab_size, 64, **TINY)
    assert str(model) == str(plain)
    state = model.state_dict()
    assert set(state) == set(plain.state_dict())
    plain.load_state_dict(state, strict=True)
    model.load_state_dict(plain.state_dict(), strict=True)
    assert utils.variant_of(state) == variant


def rotate(x, base=10000.0):
    """x (B, H, T, D): neighbours as complex numbers, turned one position at a time."""
    pairs = torch.view_as_complex(x.unflatten(-1, (-1, 2)).contiguous())
    half = pairs.shape[-1]
    turns = [
        [cmath.exp(1j * t * base ** (-i / half)) for i in range(half)] for t in range(x.shape[2])
    ]
    return torch.view_as_real(pairs * torch.tensor(turns, dtype=pairs.dtype)).flatten(-2)


def test_rotary_attention_turns_neighbours():
    torch.manual_seed(0)
    config = SimpleNamespace(
        n_embd=12, n_head=2, block_size=9, attn_pdrop=0.0, resid_pdrop=0.0, rope=True
    )
    layer = CausalSelfAttention(config).double()
    x = torch.randn(2, 7, 12, dtype=torch.double)
    assert layer.rope_cache.shape == (9, 3, 2)
    assert layer.rope_cache[1, 0].tolist() == pytest.approx([math.cos(1), math.sin(1)])
    q, k, v = (m(x).view(2, 7, 2, 6).transpose(1, 2) for m in (layer.query, layer.key, layer.value))
    scores = rotate(q) @ rotate(k).transpose(-2, -1) / math.sqrt(6)
    scores = scores.masked_fill(torch.ones(7, 7).tril() == 0, -1e10).softmax(-1)
    expected = layer.proj((scores @ v).transpose(1, 2).flatten(2))
    assert (layer(x) - expected).abs().max() < 1e-6  # the table is kept in single precision
    # The library's is the same with a head's rows of queries and keys in another order.
    library = rope.RotarySelfAttention(config).double()
    order = torch.cat([torch.arange(h, h + 6).view(3, 2).T.flatten() for h in (0, 6)])
    state = layer.state_dict()
    moved = {n: state[n][order] for n in state if n.split(".")[0] in ("key", "query")}
    library.load_state_dict({k: v for k, v in state.items() if k != "rope_cache"} | moved)
    assert (layer(x) - library(x)).abs().max() < 1e-6


def test_cross_attention_is_given_what_is_looked_at_first():
    torch.manual_seed(0)
    sizes = {"n_embd": 6, "n_head": 2, "block_size": 9}
    layer = CausalCrossAttention(SimpleNamespace(**sizes, attn_pdrop=0.0, resid_pdrop=0.0)).double()
    x_kv, x_q = (torch.randn(rows, t, 6, dtype=torch.double) for rows, t in ((3, 7), (1, 4)))
    k, v = (m(x_kv).view(3, 7, 2, 3).transpose(1, 2) for m in (layer.key, layer.value))
    q = layer.query(x_q).view(1, 4, 2, 3).transpose(1, 2)
    scores = q @ k.transpose(-2, -1) / math.sqrt(3)
    weights = scores.masked_fill(torch.ones(4, 7).tril() == 0, -1e10).softmax(-1)
    expected = layer.proj((weights @ v).transpose(1, 2).flatten(2))
    for found in (layer(x_kv, x_q), layer(x_q=x_q, x_kv=x_kv)):
        assert found.shape == (3, 4, 6)
        assert (found - expected).abs().max() < 1e-8


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


def test_blocks_by_themselves_have_the_courses_children(corpus):
    def names(module):
        return [name for name, _ in module.named_children()]

    assert copy.deepcopy(tiny(corpus, helper.initialize_rope_model)).get_block_size() == 64
    duck = SimpleNamespace(
        n_embd=8, n_head=2, block_size=12, attn_pdrop=0.0, resid_pdrop=0.0, bottleneck_dim=4
    )
    for part in ("Block", "DownProjectBlock", "UpProjectBlock"):
        assert names(getattr(submission, part)(duck)) == ["ln1", "ln2", "attn", "mlp"]


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


@pytest.mark.parametrize("variant", VARIANTS)
def test_sampling_is_the_plain_loop(variant, corpus):
    # In double precision, so that no two characters are as likely as rounding can tell.
    model = tiny(corpus, getattr(helper, f"initialize_{variant}_model")).eval().double()
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


@pytest.mark.parametrize("rotary", [False, True])
def test_rows_without_their_padding_read_the_same(rotary):
    """As a GPU trains on them."""
    model = GPT(GPTConfig(30, 16, rope=rotary, **TINY)).eval()
    assert model.packable
    lengths, text = torch.tensor([4, 0, 16, 1]), torch.randint(30, (4, 16))
    with torch.no_grad():
        packed = model.features(text, packing=Packing.of(lengths, 16, 24))
        padded = model.features(text)[torch.arange(16) < lengths[:, None]]
    torch.testing.assert_close(packed[: lengths.sum()], padded)
