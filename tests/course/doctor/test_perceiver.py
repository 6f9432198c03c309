"""A perceiver's two blocks: the readings that the hand-outs allow, and the usual mistakes."""

import re

import pytest
import torch

from wherefrom.course.doctor import models
from wherefrom.course.doctor.findings import Finding
from wherefrom.course.doctor.perceiver import READINGS, attend, check_formula

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
HELPER = """

def initialize_perceiver_model(mconf, bottleneck_dim=32):
    mconf.bottleneck_dim = bottleneck_dim
    model = GPT(mconf)
    size = mconf.block_size
    model.down_block, model.up_block = DownProjectBlock(mconf), UpProjectBlock(mconf)
    del model.up_block.C
    mconf.block_size = bottleneck_dim
    model.blocks = model.blocks[: mconf.n_layer - 2]
    mconf.block_size = size
    return model
"""


@pytest.fixture
def perceiver(plain):
    """The plain solution with a perceiver in it; some text of its blocks replaced."""

    def make(old="", new="", year="xcs2024"):
        submission = plain(year=year)
        for file, text in (("attention.py", CROSS), ("model.py", BLOCKS), ("helper.py", HELPER)):
            path = submission.folder / file
            own = path.read_text(encoding="utf-8")
            imported = own.replace("import CausalSelf", "import CausalCrossAttention, CausalSelf")
            imported = imported.replace(
                "model import GPT", "model import GPT, DownProjectBlock, UpProjectBlock"
            )
            path.write_text(imported + text.replace(old, new), encoding="utf-8")
        return submission

    return make


def test_a_position_sees_the_others_positions_up_to_its_own():
    layer = torch.nn.Module()
    for name in ("query", "key"):
        setattr(layer, name, lambda x: torch.zeros_like(x))  # all that is seen counts the same
    layer.value = layer.proj = torch.nn.Identity()
    other = torch.tensor([[[1.0], [3.0], [8.0]]])
    mixed = attend(layer, torch.zeros(1, 4, 1), other, heads=1)
    assert mixed[0, :, 0].tolist() == [1.0, 2.0, 4.0, 4.0]
    assert attend(layer, torch.zeros(1, 2, 1), other, 1, masked=False)[0, 0].item() == 4.0


def test_the_first_reading_needs_no_note(perceiver):
    assert len(READINGS) == 4
    said = check_formula(perceiver())
    assert said.startswith("largest difference from the formula")
    assert ";" not in said


@pytest.mark.parametrize(
    ("old", "new", "note"),
    [
        (
            "x = self.attn(",
            "x = self.C + self.attn(",
            "Down.* with a residual around the attention",
        ),
        ("z = self.attn(", "z = x_input + self.attn(", "Up.* with a residual around the attention"),
        ("self.attn(x_input,", "self.attn(self.ln1(x_input),", "Down.* the text normalised too"),
        ("self.ln1(y), x_input", "self.ln1(y), self.ln1(x_input)", "Up.* the text normalised too"),
    ],
)
def test_other_readings_are_right_and_noted(perceiver, old, new, note):
    assert re.search(note, check_formula(perceiver(old, new)))


@pytest.mark.parametrize(
    ("old", "new", "mistake"),
    [
        ("self.ln1(self.C))\n", "self.C)\n", "latents not normalised"),
        ("self.attn(self.ln1(y), x", "self.attn(y, x", "latents not normalised"),
        ("return x + self.mlp", "return self.mlp", "no residual"),
        ("self.mlp(self.ln2(z))", "self.mlp(z)", "mlp not normalised"),
        ("== 0, -1e10", "== 7, -1e10", "unmasked future"),
        ("self.ln1(self.C))\n", "self.ln2(self.C))\n", "formula"),
        ("self.ln1(y), x_input", "x_input, self.ln1(y)", "form"),
        ("return z + self.mlp(self.ln2(z))", "return (z + self.mlp(self.ln2(z)))[:, :2]", "form"),
    ],
)
def test_usual_mistakes_have_names(perceiver, old, new, mistake):
    with pytest.raises(Finding) as caught:
        check_formula(perceiver(old, new))
    assert caught.value.mistake == mistake


@pytest.mark.parametrize(("year", "count"), [("xcs2024", 3_331_584), ("cs224n2023", 3_339_776)])
def test_a_years_latents_are_counted(perceiver, year, count):
    submission = perceiver(year=year)
    models.check_variant(submission, "perceiver")
    assert models.check_parameters(submission, "perceiver") == f"{count:,} parameters"


def test_a_vanilla_model_is_no_perceiver(perceiver):
    submission = perceiver("    model = GPT(mconf)\n", "    return GPT(mconf)\n")
    with pytest.raises(Finding, match="has no down_block and no up_block") as caught:
        models.check_variant(submission, "perceiver")
    assert caught.value.mistake == "flag never set"
