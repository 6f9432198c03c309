"""Policies made by hand."""

from wherefrom.answering.abstention import Threshold
from wherefrom.answering.calibration import LogisticCalibration
from wherefrom.answering.name_gate import NameGate
from wherefrom.answering.policy import AnswerPolicy, RelationPolicy


def share_threshold(
    curve: LogisticCalibration,
    threshold: Threshold,
    *relations: str,
    gate: NameGate | None = None,
) -> AnswerPolicy:
    """A policy whose relations all have this curve and this threshold."""
    each = dict.fromkeys(relations, RelationPolicy(curve, threshold))
    return AnswerPolicy(curve, threshold, each, gate)
