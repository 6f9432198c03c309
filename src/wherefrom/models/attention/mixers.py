"""The attention mixers by name: one file each, one entry here."""

from wherefrom.models.attention.causal import CausalSelfAttention
from wherefrom.models.attention.mixer import Mixer
from wherefrom.models.attention.perceiver import CausalCrossAttention
from wherefrom.models.attention.rope import RotarySelfAttention
from wherefrom.models.attention.synthesizer import SynthesizerAttention

MIXERS: dict[str, type[Mixer]] = {
    "causal": CausalSelfAttention,
    "rope": RotarySelfAttention,
    "synthesizer": SynthesizerAttention,
    "perceiver": CausalCrossAttention,
}
