"""Fitting the source predictor on people whose answers' memorisation was measured by retraining."""

from collections.abc import Sequence

import numpy as np

from wherefrom.answering.calibration import fit_by_relation, fit_calibration
from wherefrom.answering.policy import LogisticCalibration
from wherefrom.answering.source import FILE, RECALLED_ABOVE, SOURCE_FEATURES, SourcePredictor
from wherefrom.core.answer_table import FeatureTable
from wherefrom.core.config import to_json
from wherefrom.evaluation.relations import divide
from wherefrom.runs.folder import RunFolder


def fit_source_predictor(
    features: FeatureTable,
    m_N: np.ndarray,
    models: int,
    relations: Sequence[str] = (),
) -> SourcePredictor:
    """Fit on calibration people with text whose m was measured; if m is NaN, they are left out.

    People without text have m = 0 by definition. They would teach the curve what unknown names look
    like, which is the name gate's task, and not what guesses about known names look like.
    `relations` has what each question asks for; with several, each gets a curve of its own.
    """
    known = np.isfinite(m_N)
    rows, recalled = features.rows(known), m_N[known] > RECALLED_ABOVE
    curve = fit_calibration(rows, recalled, SOURCE_FEATURES)
    parts = divide([r for r, here in zip(relations, known, strict=False) if here])
    each: dict[str, LogisticCalibration] = {}
    if parts:
        each = fit_by_relation(rows, recalled, SOURCE_FEATURES, parts)
    return SourcePredictor(curve, models, relations=each)


def write_source_predictor(folder: RunFolder, predictor: SourcePredictor) -> None:
    folder.write_json(FILE, to_json(predictor))
