"""Characters as a tokenizer that `AutoTokenizer` loads: a token is one character.

A character that is not in the vocabulary is an error there, as it is here: there is no token for
unknown ones, since a model that has never seen a letter would answer with any name that has others.
"""

from typing import Any

from wherefrom.core.vocabulary import MASK_ID, PAD_ID, Alphabet

# WordLevel raises for a character that it lacks, if this name is not in its vocabulary either: it
# is longer than one character, and so it never is.
_UNKNOWN = "[UNK]"


def tokenizer_files(vocabulary: Alphabet, longest: int) -> dict[str, Any]:
    """tokenizer.json and tokenizer_config.json by name."""
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
