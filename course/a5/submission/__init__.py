# ruff: noqa: F401
"""The assignment's own names; what they do is in the package wherefrom."""

from .attention import CausalCrossAttention, CausalSelfAttention, SynthesizerAttention
from .dataset import CharCorruptionDataset, NameDataset
from .helper import (
    finetune,
    initialize_perceiver_model,
    initialize_rope_model,
    initialize_synthesizer_model,
    initialize_vanilla_model,
    pretrain,
    train,
)
from .model import GPT, DownProjectBlock, GPTConfig, UpProjectBlock
from .trainer import Trainer, TrainerConfig
from .utils import evaluate_places, sample, set_seed
