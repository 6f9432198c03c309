"""Our GPT as a model class of the package transformers: the same function under other names.

    causal, LayerNorm                           GPT2LMHeadModel
    rope, RMSNorm                               ArceeForCausalLM
    rope, RMSNorm, normalised queries and keys  ApertusForCausalLM, without biases

Every other model has a twin that differs in a few settings and has a class. Only names, shapes and
constants differ, so the writer needs no transformers.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from msgspec.structs import asdict, replace

from wherefrom.core.errors import BadData
from wherefrom.core.vocabulary import MASK_ID, PAD_ID, Alphabet
from wherefrom.models.attention.causal import NORM_EPS
from wherefrom.models.gpt import GPTConfig
from wherefrom.show.page.making import spell_setting

Arrays = Mapping[str, np.ndarray]

_RMS_EPS = 2.0**-23  # torch's own for RMSNorm in float32; transformers has one for all norms
_LAYER_EPS = 1e-5  # torch's own for LayerNorm
_INSTEAD = "; 'wherefrom run shakespeare-gpt --set model.ngrams=0' makes one that has"
_OTHER_KINDS = {"gru": _INSTEAD, "bigram": _INSTEAD}

# WordLevel raises for a character that it lacks, if this name is not in its vocabulary either: it
# is longer than one character, and so it never is.
_UNKNOWN = "[UNK]"

# The layers of a block: their names there, and ours, which stand beside each other if several.
_GPT2 = {
    "ln_1": ("ln1",),
    "attn.c_attn": ("attn.query", "attn.key", "attn.value"),
    "attn.c_proj": ("attn.proj",),
    "ln_2": ("ln2",),
    "mlp.c_fc": ("mlp.0",),
    "mlp.c_proj": ("mlp.2",),
}
_LLAMA = {
    "self_attn.q_proj": ("attn.query",),
    "self_attn.k_proj": ("attn.key",),
    "self_attn.v_proj": ("attn.value",),
    "self_attn.o_proj": ("attn.proj",),
    "mlp.up_proj": ("mlp.0",),
    "mlp.down_proj": ("mlp.2",),
}
_ARCEE = _LLAMA | {"input_layernorm": ("ln1",), "post_attention_layernorm": ("ln2",)}
_APERTUS = _LLAMA | {"attention_layernorm": ("ln1",), "feedforward_layernorm": ("ln2",)}


@dataclass(frozen=True)
class NativeModel:
    """What `AutoModelForCausalLM` builds (config.json), and the arrays that it loads."""

    architecture: str
    config: dict[str, Any]
    arrays: Arrays


def to_native(config: GPTConfig, weights: Arrays) -> NativeModel:
    """The model as a class of transformers; `require_native` has passed."""
    if config.attention == "causal":
        name, described, arrays = "GPT2LMHeadModel", _describe_gpt2(config), _gpt2(weights)
    else:
        name = "ApertusForCausalLM" if config.qk_norm else "ArceeForCausalLM"
        described, arrays = _describe_llama(config), _llama(config, weights)
    sizes = {"vocab_size": config.vocab_size, "tie_word_embeddings": False, "dtype": "float32"}
    return NativeModel(name, {"architectures": [name]} | described | sizes, dict(arrays))


def require_native(where: str, recipe: str, config: Any) -> None:
    """Refuse a model without a class, in one line that names its twin."""
    expected = f"{where}: expected a model that transformers has a class for"
    if not isinstance(config, GPTConfig):
        advice = _OTHER_KINDS.get(config.kind, ", which is no language model")
        raise BadData(f"{expected}, found a '{config.kind}'{advice}")
    if changed := twin_settings(config):
        found = ", ".join(
            f"model.{name}={spell_setting(getattr(config, name))}" for name in changed
        )
        settings = " ".join(
            f"--set model.{name}={spell_setting(new)}" for name, new in changed.items()
        )
        raise BadData(
            f"{expected}, found {found}; train its twin: 'wherefrom run {recipe} {settings} --out "
            "FOLDER' (docs/EXPORT.md says what that costs)"
        )


def twin_settings(config: GPTConfig) -> dict[str, Any]:
    """The fields that the nearest model with a class has otherwise; none if this one has one."""
    modern = config.attention == "rope" or (config.attention != "causal" and config.norm == "rms")
    twin = replace(
        config,
        ngrams=0,
        attention="rope" if modern else "causal",
        norm="rms" if modern else "layer",
        qk_norm=config.qk_norm and modern,
        bias=config.bias and not (config.qk_norm and modern),
    )
    return {n: new for n, new in asdict(twin).items() if new != getattr(config, n)}


def _describe_gpt2(config: GPTConfig) -> dict[str, Any]:
    same = ("n_embd", "n_layer", "n_head", "embd_pdrop", "resid_pdrop", "attn_pdrop")
    return {name: getattr(config, name) for name in same} | {
        "model_type": "gpt2",
        "n_positions": config.block_size,
        "activation_function": config.activation,  # gelu is the exact one there, too
        "layer_norm_epsilon": _LAYER_EPS,
    }


def _gpt2(weights: Arrays) -> Iterator[tuple[str, np.ndarray]]:
    """GPT-2 has its matrices transposed, and a bias everywhere."""
    yield "transformer.wte.weight", weights["tok_emb.weight"]
    yield "transformer.wpe.weight", weights["pos_emb"][0]
    for name, array in _blocks(weights, _GPT2):
        yield f"transformer.h.{name}", array.T
        bias = name.removesuffix("weight") + "bias"
        if array.ndim == 2:  # the bias of a layer that has one follows, and replaces this one
            yield f"transformer.h.{bias}", np.zeros(len(array), array.dtype)
    yield "transformer.ln_f.weight", weights["ln_f.weight"]
    yield "transformer.ln_f.bias", weights["ln_f.bias"]
    yield "lm_head.weight", weights["head.weight"]


def _describe_llama(config: GPTConfig) -> dict[str, Any]:
    found = {
        "model_type": "apertus" if config.qk_norm else "arcee",
        "max_position_embeddings": config.block_size,
        "hidden_size": config.n_embd,
        "intermediate_size": 4 * config.n_embd,
        "num_hidden_layers": config.n_layer,
        "num_attention_heads": config.n_head,
        "num_key_value_heads": config.n_head,
        "hidden_act": config.activation,
        "rms_norm_eps": _RMS_EPS,
        "rope_parameters": {"rope_type": "default", "rope_theta": config.rope_base},
        "attention_bias": config.bias,
        "attention_dropout": config.attn_pdrop,
    }
    return found if config.qk_norm else found | {"mlp_bias": config.bias}


def _llama(config: GPTConfig, weights: Arrays) -> Iterator[tuple[str, np.ndarray]]:
    """Apertus normalises queries and keys with the epsilon of all its norms, and we with our own.

    c x / sqrt(c^2 m + e) is x / sqrt(m + e / c^2): the factor c gives the norm our epsilon.
    """
    factor = np.float32(math.sqrt(_RMS_EPS / NORM_EPS))
    ones = np.ones(config.n_embd // config.n_head, np.float32)
    yield "model.embed_tokens.weight", weights["tok_emb.weight"]
    for name, array in _blocks(weights, _APERTUS if config.qk_norm else _ARCEE):
        normalised = config.qk_norm and name.endswith(("q_proj.weight", "k_proj.weight"))
        yield f"model.layers.{name}", array * factor if normalised else array
        if normalised:
            yield f"model.layers.{name.replace('_proj', '_norm')}", ones
    yield "model.norm.weight", weights["ln_f.weight"]
    yield "lm_head.weight", weights["head.weight"]


def _blocks(weights: Arrays, table: Mapping[str, tuple[str, ...]]) -> Iterator[Any]:
    """The arrays of all blocks, under their names there: 0.attn.c_attn.weight, ..."""
    count = sum(name.endswith(".ln1.weight") for name in weights)
    for i, (name, ours) in ((i, item) for i in range(count) for item in table.items()):
        for kind in ("weight", "bias"):
            parts = [weights.get(f"blocks.{i}.{each}.{kind}") for each in ours]
            if found := [part for part in parts if part is not None]:
                yield f"{i}.{name}.{kind}", np.concatenate(found)


# -- the tokenizer -------------------------------------------------------------------------


def tokenizer_files(vocabulary: Alphabet, longest: int) -> dict[str, Any]:
    """tokenizer.json and tokenizer_config.json by name: a token is one character.

    A character that is not in the vocabulary is an error there, as it is here: a model that has
    never seen a letter would answer with any name that has others.
    """
    marks = list(vocabulary.marks)
    tokenizer = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [_special(i, mark) for i, mark in enumerate(marks)],
        "normalizer": None,
        # [\s\S], since a full stop is no line break.
        "pre_tokenizer": {
            "type": "Split",
            "pattern": {"Regex": r"[\s\S]"},
            "behavior": "Isolated",
            "invert": False,
        },
        "post_processor": None,
        "decoder": {"type": "Fuse"},
        "model": {
            "type": "WordLevel",
            "vocab": {c: i for i, c in enumerate(vocabulary.characters)},
            "unk_token": _UNKNOWN,
        },
    }
    config: dict[str, Any] = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "model_max_length": longest,
        "clean_up_tokenization_spaces": False,
        "model_input_names": ["input_ids", "attention_mask"],  # GPT-2 would add others
        "padding_side": "left",  # an answer follows its question, not the padding
    }
    if marks:  # the mask opens an answer and closes it
        config |= {"pad_token": marks[PAD_ID], "eos_token": marks[MASK_ID]}
    return {"tokenizer.json": tokenizer, "tokenizer_config.json": config}


def _special(number: int, content: str) -> dict[str, Any]:
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    return {"id": number, "content": content, **flags, "special": True}
