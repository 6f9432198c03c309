"""The demonstrations by name, in the order in which they are best read: one entry each."""

from collections.abc import Callable

from wherefrom.course.lab import (
    attention,
    distribution,
    gradients,
    heads,
    key_noise,
    self_attention,
    two_heads,
)
from wherefrom.course.lab.demonstration import Demonstration

DEMONSTRATIONS: dict[str, Callable[[int], Demonstration]] = {
    "categorical": distribution.categorical,
    "copying": attention.copying,
    "average-of-two": attention.average_of_two,
    "projection": attention.projection,
    "small-noise-in-keys": key_noise.small_noise,
    "range-of-a-key": key_noise.range_of_a_key,
    "one-head-is-fragile": heads.one_head,
    "two-heads-are-robust": two_heads.two_heads,
    "key-query-value": self_attention.key_query_value,
    "without-key-query-value": self_attention.without_key_query_value,
    "softmax-cross-entropy": gradients.softmax_cross_entropy,
    "synthesizer": self_attention.synthesizer,
    "input-gradient": gradients.input_gradient,
    "perplexity-base": gradients.perplexity_base,
}
