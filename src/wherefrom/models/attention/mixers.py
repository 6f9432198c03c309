"""The attention mixers by name: one file each, one entry here."""

from wherefrom.models.attention.causal import CausalSelfAttention
from wherefrom.models.attention.rope import RotarySelfAttention

MIXERS: dict[str, type[CausalSelfAttention]] = {
    "causal": CausalSelfAttention,
    "rope": RotarySelfAttention,
}
