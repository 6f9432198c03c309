"""Layers and models of a plain solution with one thing changed, and of other years' part g."""

import pytest

from wherefrom.course.doctor.findings import Finding
from wherefrom.course.doctor.judging import models
from wherefrom.course.doctor.years import find_year

CROSS = """

class CausalCrossAttention(CausalSelfAttention):
    def forward(self, x_kv, x_q):
        q, k, v = (self._split(m(x)) for m, x in
                   ((self.query, x_q), (self.key, x_kv), (self.value, x_kv)))
        scores = q @ k.transpose(-2, -1) / math.sqrt(k.shape[-1])
        scores = scores.masked_fill(self.mask[..., : q.shape[2], : k.shape[2]] == 0, -1e10)
        mixed = (scores.softmax(-1) @ v).permute(0, 2, 1, 3)
        return self.proj(mixed.reshape(*mixed.shape[:2], -1))
"""
BLOCKS = """

class DownProjectBlock(Block):
    def __init__(self, config):
        config.synthesizer = False
        super().__init__(config)
        self.attn = CausalCrossAttention(config)
        self.C = nn.Parameter(torch.empty(1, config.bottleneck_dim, config.n_embd))
        nn.init.xavier_uniform_(self.C)

    def forward(self, x_input):
        x = self.attn(x_input, self.ln1(self.C))
        return x + self.mlp(self.ln2(x))


class UpProjectBlock(DownProjectBlock):
    def forward(self, y, x_input):
        z = self.attn(self.ln1(y), x_input)
        return z + self.mlp(self.ln2(z))
"""
CROSSING = (
    "attention.py",
    "\nclass SynthesizerAttention",
    f"{CROSS}\n\nclass SynthesizerAttention",
)
IMPORTED = ("model.py", "import CausalSelf", "import CausalCrossAttention, CausalSelf")
ROTATED = """
def turn(x):
    half = x.shape[-1] // 2
    angles = torch.arange(x.shape[-2])[:, None] * 10000.0 ** (-torch.arange(half) / half)
    a, b = x[..., ::2], x[..., 1::2]
    turned = a * angles.cos() - b * angles.sin(), a * angles.sin() + b * angles.cos()
    return torch.stack(turned, -1).flatten(-2)


class CausalSelfAttention"""
BOTH = "q, k = turn(q), turn(k)"
QUERIES = "q, k = self._split(self.query(x)), self._split(self.key(x))"


def asked(year: str, *starts: str):
    return [r for r in models.requests(find_year(year), 7) if r.name.startswith(starts)]


@pytest.fixture
def perceiver(claimed):
    """The plain solution with a perceiver's blocks; some text of them replaced."""

    def claim(old="", new=""):
        blocks = ("model.py", "\nclass GPT(", f"{BLOCKS.replace(old, new)}\n\nclass GPT(")
        crossing = (*CROSSING[:2], CROSSING[2].replace(old, new))
        return claimed(asked("xcs2024", "layer-"), crossing, IMPORTED, blocks, year="xcs2024")

    return claim


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("", ""),
        ("x = self.attn(", "x = self.C + self.attn("),
        ("z = self.attn(", "z = x_input + self.attn("),
        ("self.attn(x_input,", "self.attn(self.ln1(x_input),"),
        ("self.ln1(y), x_input", "self.ln1(y), self.ln1(x_input)"),
    ],
)
def test_every_reading_of_a_perceiver_is_right(perceiver, old, new):
    assert models.check_formula(perceiver(old, new)) is None


@pytest.mark.parametrize(
    ("old", "new", "mistake"),
    [
        ("self.ln1(self.C))\n", "self.C)\n", "latents not normalised"),
        ("self.attn(self.ln1(y), x", "self.attn(y, x", "latents not normalised"),
        ("return x + self.mlp", "return self.mlp", "no residual"),
        ("self.mlp(self.ln2(z))", "self.mlp(z)", "mlp not normalised"),
        ("== 0, -1e10", "== 7, -1e10", "unmasked future"),
        ("self.mask[..., : q.shape[2], : k.shape[2]]",
         "self.mask[..., : k.shape[2], : q.shape[2]].transpose(-1, -2)", "wrong mask"),
        (" / math.sqrt(k.shape[-1])", "", "unscaled scores"),
        ("scores.softmax(-1)", "scores.softmax(1)", "softmax over heads"),
        ("nn.Parameter(torch.empty(1, config.bottleneck_dim, config.n_embd))",
         "torch.empty(1, config.bottleneck_dim, config.n_embd)", "latents not trained"),
        ("self.ln1(self.C))\n", "self.ln2(self.C))\n", "formula"),
        ("self.ln1(y), x_input", "x_input, self.ln1(y)", "form"),
        ("return z + self.mlp(self.ln2(z))", "return (z + self.mlp(self.ln2(z)))[:, :2]", "form"),
    ],
)  # fmt: skip
def test_usual_mistakes_in_a_perceiver_have_names(perceiver, old, new, mistake):
    with pytest.raises(Finding) as caught:
        models.check_formula(perceiver(old, new))
    assert caught.value.mistake == mistake


@pytest.fixture
def rotating(claimed):
    """The plain solution with rotary attention, written with sines and cosines."""

    def claim(queries, *changes, year="xcs2025"):
        edits = [("attention.py", "\nclass CausalSelfAttention", ROTATED),
                 ("attention.py", QUERIES, f"{QUERIES}; {queries}")]  # fmt: skip
        edits += [("attention.py", old, new) for old, new in changes]
        return claimed(asked(year, "layer-"), *edits, year=year)

    return claim


def test_sines_and_cosines_give_the_same(rotating):
    assert models.check_formula(rotating(BOTH)) is None


@pytest.mark.parametrize(
    ("queries", "changes", "mistake"),
    [
        ("pass", [], "no rotation"),
        ("q = turn(q)", [], "one rotation"),
        ("k = turn(k)", [], "one rotation"),
        ("q, k = turn(turn(q)), turn(k)", [], "formula"),
        ("q, k = turn(q) * k.shape[-1] ** 0.5, turn(k)", [], "unscaled scores"),
        ("q, k = (turn(x.repeat(1, 1, 1, self.n_head))[..., : x.shape[-1]] for x in (q, k))", [],
         "wide angles"),
        (BOTH, [("10000.0", "1000.0")], "wrong base"),
        (BOTH, [("/ half", "/ half / 2")], "wrong exponent"),
        (BOTH, [("a * angles.sin() +", "-a * angles.sin() +"), ("cos() - b", "cos() + b")],
         "turned back"),
        (BOTH, [("cos() - b", "cos() + b")], "no rotation"),
        (BOTH, [("10000.0 ** (-torch", "10000.0 ** (-2 / x.shape[-1] - torch")], "angles shifted"),
        (BOTH, [("x[..., ::2], x[..., 1::2]", "x[..., :half], x[..., half:]"),
                ("torch.stack(turned, -1).flatten(-2)", "torch.cat(turned, -1)")], "halves paired"),
    ],
)  # fmt: skip
def test_usual_mistakes_in_rotation_have_names(rotating, queries, changes, mistake):
    with pytest.raises(Finding) as caught:
        models.check_formula(rotating(queries, *changes))
    assert caught.value.mistake == mistake


def test_the_slip_in_a_hand_outs_comment_is_taken_by_its_word(rotating):
    slip = ("10000.0 ** (-torch", "10000.0 ** (torch")
    claims = rotating(BOTH, slip, year="cs224n2024")
    claims.package = False
    assert "by a slip of a sign" in (models.check_formula(claims) or "")
    with pytest.raises(Finding, match="as if the exponent had the other sign"):
        models.check_formula(rotating(BOTH, slip))


def test_an_unusual_attention_costs_the_model_nothing(claimed):
    """Its outputs are taken as they are: the rest of the model is computed around them."""
    odd = ("attention.py", "return self._mix(hidden @", "return 3 * self._mix(hidden @")
    claims = claimed(asked("xcs2021", "layer-Synth", "model-synth"), odd)
    models.check_forward(claims, "synthesizer")
    with pytest.raises(Finding, match="differs from what it should be"):
        models.check_formula(claims)


def test_parameters_are_counted(claimed):
    starts = asked("xcs2021", "start-")
    claims = claimed(starts)
    assert models.check_parameters(claims, "vanilla") == "3,323,392 parameters"
    assert models.check_parameters(claims, "synthesizer") == "3,076,988 parameters"
    flagless = claimed(starts[2:] or starts, ("helper.py", "mconf.synthesizer = True", "pass"))
    with pytest.raises(Finding, match="has 3,323,392 parameters, not 3,076,988 or 3,077,120"):
        models.check_parameters(flagless, "synthesizer")


def test_a_function_that_returns_no_model(claimed):
    gone = ("helper.py", "    return GPT(mconf)\n\n\ndef initialize_s",
            "    GPT(mconf)\n\n\ndef initialize_s")  # fmt: skip
    with pytest.raises(Finding, match="initialize_vanilla_model gives NoneType"):
        models.check_forward(claimed(asked("xcs2021", "model-vanilla"), gone), "vanilla")
