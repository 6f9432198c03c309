"""What transformers would compute from the arrays, computed here from its formulas."""

from functools import partial

import pytest
import torch
import torch.nn.functional as F
from msgspec.structs import replace

from wherefrom.core.errors import BadData
from wherefrom.models.dan import DANConfig
from wherefrom.models.gpt import GPT, GPTConfig
from wherefrom.models.gru import GRUConfig
from wherefrom.show.export.native_models import require_native, to_native, twin_settings
from wherefrom.training.weights import copy_weights

COURSE = GPTConfig(vocab_size=11, block_size=9, n_layer=2, n_head=2, n_embd=8)
MODERN = replace(COURSE, attention="rope", norm="rms", activation="relu2", bias=False)
KINDS = {
    "GPT2LMHeadModel": COURSE,
    "GPT2LMHeadModel without biases": replace(COURSE, bias=False, activation="relu2"),
    "ArceeForCausalLM": MODERN,
    "ArceeForCausalLM with biases": replace(MODERN, bias=True, activation="gelu"),
    "ApertusForCausalLM": replace(MODERN, qk_norm=True, rope_base=500.0),
}


ACTIVATIONS = {"gelu": F.gelu, "relu2": lambda x: F.relu(x) ** 2}


def attend(q, k, v, heads, change=lambda x: x):
    """Causal attention of one row; `change` is made to each head's q and k."""
    q, k, v = (x.unflatten(-1, (heads, -1)).transpose(0, 1) for x in (q, k, v))
    mixed = F.scaled_dot_product_attention(change(q), change(k), v, is_causal=True)
    return mixed.transpose(0, 1).flatten(1)


def gpt2(config, arrays, tokens):
    def layer(x, name):  # Conv1D: not transposed, always with a bias
        return x @ arrays[f"{name}.weight"] + arrays[f"{name}.bias"]

    def norm(x, name):
        weight, bias = arrays[f"{name}.weight"], arrays[f"{name}.bias"]
        return F.layer_norm(x, weight.shape, weight, bias, config["layer_norm_epsilon"])

    activate = ACTIVATIONS[config["activation_function"]]
    x = arrays["transformer.wte.weight"][tokens] + arrays["transformer.wpe.weight"][: len(tokens)]
    for i in range(config["n_layer"]):
        block = f"transformer.h.{i}"
        q, k, v = layer(norm(x, f"{block}.ln_1"), f"{block}.attn.c_attn").chunk(3, -1)
        x = x + layer(attend(q, k, v, config["n_head"]), f"{block}.attn.c_proj")
        inner = activate(layer(norm(x, f"{block}.ln_2"), f"{block}.mlp.c_fc"))
        x = x + layer(inner, f"{block}.mlp.c_proj")
    return norm(x, "transformer.ln_f") @ arrays["lm_head.weight"].T


def llama(config, arrays, tokens):
    heads, activate = config["num_attention_heads"], ACTIVATIONS[config["hidden_act"]]
    half = config["hidden_size"] // heads // 2
    rates = config["rope_parameters"]["rope_theta"] ** (-torch.arange(half) / half)
    angles = (torch.arange(len(tokens))[:, None] * rates).tile(2).double()
    apertus = config["model_type"] == "apertus"
    norms = ("attention", "feedforward") if apertus else ("input", "post_attention")

    def norm(x, weight):
        return F.rms_norm(x, weight.shape, weight, config["rms_norm_eps"])

    def turn(own, x):
        x = norm(x, own) if apertus else x
        rotated = torch.cat((-x[..., half:], x[..., :half]), -1)
        return x * angles.cos() + rotated * angles.sin()

    def layer(x, name):
        return x @ arrays[f"{name}.weight"].T + arrays.get(f"{name}.bias", 0)

    x = arrays["model.embed_tokens.weight"][tokens]
    for i in range(config["num_hidden_layers"]):
        block = f"model.layers.{i}"
        before, behind = (arrays[f"{block}.{name}_layernorm.weight"] for name in norms)
        own = arrays.get(f"{block}.self_attn.q_norm.weight")
        inner = norm(x, before)
        q, k, v = (layer(inner, f"{block}.self_attn.{name}_proj") for name in "qkv")
        x = x + layer(attend(q, k, v, heads, partial(turn, own)), f"{block}.self_attn.o_proj")
        inner = activate(layer(norm(x, behind), f"{block}.mlp.up_proj"))
        x = x + layer(inner, f"{block}.mlp.down_proj")
    return norm(x, arrays["model.norm.weight"]) @ arrays["lm_head.weight"].T


@pytest.mark.parametrize("name", KINDS)
def test_the_formulas_of_transformers_give_our_logits(name):
    config = KINDS[name]
    torch.manual_seed(3)
    model = GPT(config).eval()
    with torch.no_grad():
        for weight in model.parameters():  # norms, biases and positions too, and tiny queries
            weight.add_(torch.randn_like(weight) * 0.3)
        if config.qk_norm:
            model.blocks[0].attn.query.weight.mul_(1e-3)
    native = to_native(config, copy_weights(model.state_dict()))
    assert native.architecture == name.split()[0] == native.config["architectures"][0]
    require_native("here", "people", config)
    tokens = torch.tensor([1, 0, 10, 5, 5, 2, 7, 3, 9])
    compute = gpt2 if config.attention == "causal" else llama
    arrays = {key: torch.tensor(array).double() for key, array in native.arrays.items()}
    ours = model(tokens[None])[0].detach().double()
    assert torch.allclose(compute(native.config, arrays, tokens), ours, atol=1e-4)


@pytest.mark.parametrize(
    ("changed", "twin"),
    [
        ({"ngrams": 4}, {"ngrams": 0}),
        ({"attention": "synthesizer"}, {"attention": "causal"}),
        ({"attention": "perceiver", "norm": "rms", "n_layer": 3}, {"attention": "rope"}),
        ({"norm": "rms"}, {"norm": "layer"}),
        ({"attention": "rope"}, {"norm": "rms"}),
        ({"qk_norm": True}, {"qk_norm": False}),
        ({"attention": "rope", "norm": "rms", "qk_norm": True}, {"bias": False}),
    ],
)
def test_the_twin_differs_in_what_has_no_class(changed, twin):
    config = replace(COURSE, **changed)
    assert twin_settings(config) == twin
    assert twin_settings(replace(config, **twin)) == {}


@pytest.mark.parametrize(
    ("config", "words"),
    [
        (replace(COURSE, ngrams=4), "found model.ngrams=4; train its twin: 'wherefrom run people "
         "--set model.ngrams=0 --out FOLDER'"),
        (replace(COURSE, qk_norm=True), "--set model.qk_norm=false"),
        (GRUConfig(), "found a 'gru'; 'wherefrom run shakespeare-gpt --set model.ngrams=0'"),
        (DANConfig(), "found a 'dan', which is no language model"),
    ],
)  # fmt: skip
def test_a_model_without_a_class_is_refused_in_one_line(config, words):
    with pytest.raises(BadData) as error:
        require_native("here", "people", config)
    assert words in str(error.value)
    assert "\n" not in str(error.value)
