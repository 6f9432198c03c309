"""How well answers' sources are predicted: the figures, from arrays alone.

An audit and the files that are kept of it (`labelled_answers.py`) give the same figures. Beside
the predictor stand four things that it must be compared with: the confidence alone, which costs
nothing; the evidence alone ("recalled" if the text supports the answer); the best constant label;
and the ceiling that noisy labels allow.

Shapes: N answers.
"""

from dataclasses import dataclass, replace

import numpy as np

from wherefrom.answering.policy import EVEN_ODDS
from wherefrom.core.replies import GUESSED, RECALLED
from wherefrom.evaluation.evaluator import Score
from wherefrom.evaluation.intervals import paired_difference
from wherefrom.evaluation.selective import auroc, compare_aurocs, spearman
from wherefrom.memorisation.counterfactual import CounterfactualMemorisation
from wherefrom.memorisation.reliability import LabelReliability, measure_reliability

_GOOD_KAPPA = 0.6  # "substantial" by the usual reading (Landis and Koch 1977)


@dataclass(frozen=True)
class PredictedSources:
    """Answers, what was predicted about their source, and what retraining showed.

    predicted: the probability of recall by the run's predictor. probability: the model's own;
    confidence: the calibrated one, or None. supported: whether the evidence supports the answer.
    """

    memorisation: CounterfactualMemorisation
    has_text: np.ndarray
    predicted: np.ndarray
    probability: np.ndarray
    supported: np.ndarray
    confidence: np.ndarray | None = None


@dataclass(frozen=True)
class Quartiles:
    least: float
    lower: float
    median: float
    upper: float
    most: float


@dataclass(frozen=True)
class Baseline:
    """What another score alone reaches among people with text, and what the predictor adds."""

    auroc: Score
    gain: Score


@dataclass(frozen=True)
class MeasuredSource:
    """How well the source predictor does, compared with m from retrained models.

    People without text have m = 0 and count as guessed; `auroc_with_text` leaves them out, and so
    do `spearman` (of the predicted probability and m), the baselines and `reliability`. m is
    itself an estimate: `reliability` says how good its labels are, and what they allow at best
    (`pairs_agree` is the first figure of it).
    `constant` is the share of labels that one label for every answer gets right, `evidence` that of
    "recalled if the text supports it", and `gain` how many more than this the predictor does.
    `in_words` says what to make of it.
    """

    models: int
    auroc: Score | None
    auroc_with_text: Score | None
    agreement: Score
    m: Quartiles
    pairs_agree: Score | None
    recalled_share: Score
    constant: Score
    evidence: Score
    gain: Score
    reliability: LabelReliability | None = None
    spearman: Score | None = None
    probability_alone: Baseline | None = None
    confidence_alone: Baseline | None = None
    in_words: tuple[str, ...] = ()


def measure_source(found: PredictedSources, which: np.ndarray) -> MeasuredSource | None:
    """The figures over the answers of the mask `which` whose m is known; None if there are none."""
    judged = which & np.isfinite(found.memorisation.m)
    if not judged.any():
        return None
    with_text = judged & found.has_text
    m, recalled, n = found.memorisation.m, found.memorisation.recalled, int(judged.sum())
    right = ((found.predicted > EVEN_ODDS) == recalled)[judged]
    by_text = (found.supported == recalled)[judged]
    constant = bool(2 * recalled[judged].sum() > n)
    best = recalled[judged] == constant
    difference, interval = paired_difference(right, by_text)
    own = _baseline(found.predicted, found.probability, recalled, with_text)
    sure = None
    if found.confidence is not None:
        sure = _baseline(found.predicted, found.confidence, recalled, with_text)
    labels = {"label": RECALLED if constant else GUESSED}
    reliability = measure_reliability(found.memorisation.m_by_pair[:, with_text])
    measured = MeasuredSource(
        models=found.memorisation.models,
        auroc=_area(found.predicted, recalled, judged),
        auroc_with_text=_area(found.predicted, recalled, with_text),
        agreement=Score.of_share("accuracy", int(right.sum()), n),
        m=Quartiles(*map(float, np.quantile(m[judged], (0, 0.25, 0.5, 0.75, 1)))),
        pairs_agree=None if reliability is None else reliability.pairs_agree,
        recalled_share=Score.of_share("share", int(recalled[judged].sum()), n),
        constant=Score.of_share("accuracy", int(best.sum()), n, details=labels),
        evidence=Score.of_share("accuracy", int(by_text.sum()), n),
        gain=Score("difference", difference, interval, n),
        reliability=reliability,
        spearman=spearman(found.predicted[with_text], m[with_text]),
        probability_alone=own,
        confidence_alone=sure,
    )
    return _put_into_words(measured)


def _area(score: np.ndarray, labels: np.ndarray, which: np.ndarray) -> Score | None:
    return auroc(score[which], labels[which]) if which.any() else None


def _baseline(
    predicted: np.ndarray, alone: np.ndarray, labels: np.ndarray, which: np.ndarray
) -> Baseline | None:
    area = _area(alone, labels, which)
    gain = compare_aurocs(predicted[which], alone[which], labels[which])
    return Baseline(area, gain) if area and gain else None


# -- in words ------------------------------------------------------------------------


def _put_into_words(found: MeasuredSource) -> MeasuredSource:
    lines = [_compare_with_confidence(found), _compare_with_evidence(found), _judge_labels(found)]
    return replace(found, in_words=tuple(filter(None, lines)))


def _compare_with_confidence(found: MeasuredSource) -> str:
    """Against the better of the two: the model's own probability, or the confidence."""
    named = {
        "the model's own probability alone": found.probability_alone,
        "the confidence alone": found.confidence_alone,
    }
    known = {name: alone for name, alone in named.items() if alone}
    if not known or found.auroc_with_text is None:
        return ""
    name = max(known, key=lambda each: known[each].auroc.value)
    alone = known[name]
    low, high = alone.gain.interval
    figures = (
        f"AUROC {found.auroc_with_text.value:.3f} against {alone.auroc.value:.3f} among "
        f"{alone.auroc.n} answers about people with text, difference {_signed(alone.gain)}"
    )
    if low > 0:
        return f"the predictor separates recalled from guessed better than {name}: {figures}"
    if high < 0:
        return f"the predictor is worse than {name}, so use that instead: {figures}"
    return f"the predictor is not shown to be better than {name}: {figures}"


def _compare_with_evidence(found: MeasuredSource) -> str:
    figures = (
        f"{100 * found.agreement.value:.1f} % of its labels are right; 'recalled' where the text "
        f"supports the answer would be right for {100 * found.evidence.value:.1f} %"
    )
    if found.gain.interval[0] > 0:
        return f"the predictor is better than the evidence alone: {figures}"
    better = "no better" if found.gain.value <= 0 else "not shown to be better"
    return f"the predictor is {better} than the evidence alone: {figures}"


def _judge_labels(found: MeasuredSource) -> str:
    """Say that labels are rough if halves of the pairs agree too little, or cannot be compared."""
    known = found.reliability
    if known is None:
        return "the labels come from one pair of models and may be rough; 8 pairs are recommended"
    if known.kappa_of_halves.value >= _GOOD_KAPPA:
        return ""
    return (
        f"the labels are rough: halves of the {known.pairs} pairs agree with a kappa of only "
        f"{known.kappa_of_halves.value:.2f}; more pairs give better labels (--pairs)"
    )


def _signed(score: Score) -> str:
    low, high = score.interval
    return f"{score.value:+.3f} [{low:+.3f}, {high:+.3f}]"
