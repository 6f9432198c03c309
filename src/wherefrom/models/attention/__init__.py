"""Attention mixers: one file each, one entry here."""

from wherefrom.models.attention.cache import Cache
from wherefrom.models.attention.causal import CausalSelfAttention
from wherefrom.models.attention.rope import RotarySelfAttention

MIXERS = {"causal": CausalSelfAttention, "rope": RotarySelfAttention}

__all__ = ["MIXERS", "Cache", "CausalSelfAttention", "RotarySelfAttention"]
