"""Policies made by hand."""

from wherefrom.answering.policy import (
    AnswerPolicy,
    LogisticCalibration,
    NameGate,
    RelationPolicy,
    Threshold,
)


def share_threshold(
    curve: LogisticCalibration,
    threshold: Threshold,
    *relations: str,
    gate: NameGate | None = None,
) -> AnswerPolicy:
    """A policy whose relations all have this curve and this threshold."""
    each = dict.fromkeys(relations, RelationPolicy(curve, threshold))
    return AnswerPolicy(curve, threshold, each, gate)
