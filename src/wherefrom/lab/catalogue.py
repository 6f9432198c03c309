"""The demonstrations by name, in the order in which they are best read: one entry each."""

from collections.abc import Callable

from wherefrom.lab import attention, gradients, heads, self_attention
from wherefrom.lab.demonstration import Demonstration

DEMONSTRATIONS: dict[str, Callable[[int], Demonstration]] = {
    "copying": attention.copying,
    "average-of-two": attention.average_of_two,
    "projection": attention.projection,
    "one-head-is-fragile": heads.one_head,
    "two-heads-are-robust": heads.two_heads,
    "key-query-value": self_attention.key_query_value,
    "without-key-query-value": self_attention.without_key_query_value,
    "softmax-cross-entropy": gradients.softmax_cross_entropy,
    "synthesizer": self_attention.synthesizer,
    "input-gradient": gradients.input_gradient,
    "perplexity-base": gradients.perplexity_base,
}
