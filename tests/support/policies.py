"""Policies made by hand."""

from pathlib import Path

from wherefrom.answering.features import FEATURES
from wherefrom.answering.policy import (
    AnswerPolicy,
    LogisticCalibration,
    NameGate,
    RelationPolicy,
    Threshold,
)
from wherefrom.runs.folder import RunFolder


def share_threshold(
    curve: LogisticCalibration,
    threshold: Threshold,
    *relations: str,
    gate: NameGate | None = None,
) -> AnswerPolicy:
    """A policy whose relations all have this curve and this threshold."""
    each = dict.fromkeys(relations, RelationPolicy(curve, threshold))
    return AnswerPolicy(curve, threshold, each, gate)


def set_threshold(value: float, relation: str) -> AnswerPolicy:
    """The confidence is the logistic curve of the first feature, whatever the others are."""
    width = len(FEATURES)
    weights = (1.0, *(0.0,) * (width - 1))
    curve = LogisticCalibration(FEATURES, (0.0,) * width, (1.0,) * width, weights, 0.0)
    return share_threshold(curve, Threshold(value, 0.9, 0.5, 0.9, 10), relation)


def let_all_pass(run: Path, least: float = 0.0) -> Path:
    """Let a run answer whatever it is asked, about whatever name."""
    folder, file = RunFolder(run), "audit/confidence.json"
    policy = folder.read_json(file)
    policy["relations"]["birthplace"]["threshold"]["value"], policy["names"] = least, None
    folder.write_json(file, policy)
    return run
