"""The assignment's names against the library.

What its solution computes is graded in test_a5_grader.py and test_a5_years.py.
"""

import re

import pytest
import torch
from torch import nn

from tests.course.files import A5, load
from wherefrom.models.attention.packing import Packing

submission, helper, utils = load(A5, "submission", "submission.helper", "submission.utils")
GPT, GPTConfig = submission.GPT, submission.GPTConfig

TINY = {"n_layer": 3, "n_head": 2, "n_embd": 8}
# The fields of minGPT's two classes of 2020, and those that the course's hand-outs add.
FIELDS = {
    submission.TrainerConfig: {
        "max_epochs": 10, "batch_size": 64, "learning_rate": 3e-4, "betas": (0.9, 0.95),
        "grad_norm_clip": 1.0, "weight_decay": 0.1, "lr_decay": False, "warmup_tokens": 375e6,
        "final_tokens": 260e9, "ckpt_path": None, "num_workers": 0, "writer": None,
    },
    GPTConfig: {
        "embd_pdrop": 0.1, "resid_pdrop": 0.1, "attn_pdrop": 0.1, "additive": False,
        "synthesizer": False, "perceiver": False, "bottleneck_dim": None, "rope": False,
    },
}  # fmt: skip


@pytest.mark.parametrize("config", FIELDS)
def test_configs_have_every_field_with_its_default(config):
    made = config(10, 20) if config is GPTConfig else config()
    assert {name: getattr(made, name) for name in FIELDS[config]} == FIELDS[config]
    more = {"ckpt_path": "a.params", "anything": 3}
    made = config(10, 20, **more) if config is GPTConfig else config(**more)
    assert {name: getattr(made, name) for name in more} == more


def tiny(corpus, build=helper.initialize_vanilla_model, **extra):
    utils.set_seed(3)
    return build(GPTConfig(corpus.vocab_size, 64, **TINY), **extra)


# What a model's state holds besides torch's own layers, whose names the grader compares.
OWN = {
    "vanilla": {"pos_emb", "attn.mask"},
    "synthesizer": {"pos_emb", "attn.mask", "attn.w2", "attn.b2"},
    "perceiver": {"pos_emb", "attn.mask", "down_block.C"},
    "rope": {"attn.mask", "attn.rope_cache"},
}


@pytest.mark.parametrize("variant", OWN)
def test_a_models_state_has_the_hand_outs_names(variant, corpus):
    state = tiny(corpus, getattr(helper, f"initialize_{variant}_model")).state_dict()
    own = [name for name in state if not name.endswith((".weight", ".bias"))]
    assert {re.sub(r"^.*\.(?=attn\.)", "", name) for name in own} == OWN[variant]
    assert utils.variant_of(state) == variant


def test_a_model_reads_a_block_at_most_and_has_no_loss_without_targets(corpus):
    model = tiny(corpus).eval()
    assert model(corpus[0][0][None])[1] is None
    with pytest.raises(AssertionError):
        model(torch.zeros(1, 65, dtype=torch.long))


@pytest.mark.parametrize("variant", OWN)
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
    assert len({tuple(row) for text in (first, second) for row in text.tolist()}) == 4
    utils.set_seed(1)
    assert torch.equal(first, utils.sample(model, x, 20, sample=True))
    best = utils.sample(model, x, 20)
    assert torch.equal(best, utils.sample(model, x, 20, 2.0, sample=True, top_k=1))
    assert model.training


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
