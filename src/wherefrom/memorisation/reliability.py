"""How reliable labels from retrained models are, and what they allow a predictor to reach.

m is an estimate from P pairs of models, so the label (recalled if m is above 1/2) is noisy, and
even a predictor that knew the true m would disagree with some labels. Without knowing how much,
one cannot tell a poor predictor from poor labels.

Shapes: P pairs, N answers, S ways of dividing the pairs in two halves, R resamples.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from wherefrom.answering.source import RECALLED_ABOVE
from wherefrom.core.randomness import Stream, below, draws
from wherefrom.evaluation.evaluator import Score
from wherefrom.evaluation.intervals import bootstrap_mean, percentiles, resample_counts
from wherefrom.evaluation.selective import auroc, spearman

_MOST_DIVISIONS = 70  # in halves; 8 pairs have 35
_SIMULATIONS = 1000
_FEWEST = 4  # pairs: the spread of fewer is too rough, and the ceiling came out too high
_STAGE = 4  # of the counted draws


@dataclass(frozen=True)
class LabelReliability:
    """How well labels from retrained models agree with each other.

    pairs_agree: how often one pair of models gives an answer the same label as another pair, and
    kappa_of_pairs: the same beyond chance (Cohen's kappa). Both are means over all pairs of pairs.
    kappa_of_halves: one half of the pairs against the other, a mean over all ways of halving them.
    auroc_of_halves: the m of one half as a score for the labels of the other half, and
    spearman_of_halves: the rank correlation of the two halves' m.
    ceiling: the AUROC that the true m would have against labels of this number of pairs; None
    with fewer than four.
    """

    pairs: int
    pairs_agree: Score
    kappa_of_pairs: Score
    kappa_of_halves: Score
    auroc_of_halves: Score | None
    spearman_of_halves: Score | None
    ceiling: Score | None


def measure_reliability(m_PN: np.ndarray) -> LabelReliability | None:
    """The reliability of labels from m by pair; None with fewer than two pairs or two answers.

    Answers that a pair has no m for are left out.
    """
    pairs = len(m_PN)
    m_PN = m_PN[:, np.isfinite(m_PN).all(0)] if pairs else m_PN
    if pairs < 2 or m_PN.shape[1] < 2:
        return None
    label_PN = m_PN > RECALLED_ABOVE
    both = np.array(list(combinations(range(pairs), 2)))
    one_SN, other_SN = label_PN[both[:, 0]], label_PN[both[:, 1]]
    same_N = (one_SN == other_SN).mean(0)
    first_SN, second_SN = _halve(m_PN)
    return LabelReliability(
        pairs=pairs,
        pairs_agree=Score("accuracy", float(same_N.mean()), bootstrap_mean(same_N), same_N.size),
        kappa_of_pairs=mean_kappa(one_SN, other_SN),
        kappa_of_halves=mean_kappa(first_SN > RECALLED_ABOVE, second_SN > RECALLED_ABOVE),
        auroc_of_halves=_score_halves(first_SN, second_SN),
        spearman_of_halves=_mean_score(
            spearman(one, other) for one, other in zip(first_SN, second_SN, strict=True)
        ),
        ceiling=find_ceiling(m_PN),
    )


def mean_kappa(one_SN: np.ndarray, other_SN: np.ndarray) -> Score:
    """Cohen's kappa of each row of labels with the row of the same number, and their mean.

    Where both rows have one and the same label throughout, they agree perfectly, and kappa is 1.
    The interval is a percentile interval of a bootstrap over the answers.
    """
    n = one_SN.shape[1]
    value = _kappas(one_SN, other_SN, np.ones((1, n)))[0]
    sample_R = _kappas(one_SN, other_SN, resample_counts(n))
    return Score("kappa", float(value), percentiles(sample_R), n)


def find_ceiling(m_PN: np.ndarray, simulations: int = _SIMULATIONS) -> Score | None:
    """The AUROC that the true m would have against labels from this number of pairs.

    The mean over the pairs stands for the true m, drawn together so that it varies over the answers
    as much as the true m does: means of noisy pairs vary more. Then labels are simulated: pairs
    are drawn anew with replacement, the same ones for all answers, since models that are bad for
    one person may be bad for others. A mean of drawn pairs varies less about their own mean than a
    mean of new pairs would, by the factor (P - 1) / P in variance, which is made up for. The
    interval has the middle 95 % of the simulated AUROCs.
    """
    pairs, n = m_PN.shape
    if pairs < _FEWEST:
        return None
    mean_N = m_PN.mean(0)
    noise, total = float(m_PN.var(0, ddof=1).mean() / pairs), float(mean_N.var())
    shrink = np.sqrt(max(1 - noise / total, 0.0)) if total > 0 else 1.0
    true_N = mean_N.mean() + shrink * (mean_N - mean_N.mean())
    spread = np.sqrt(pairs / (pairs - 1))
    row = np.arange(pairs, dtype=np.int64)
    words = draws(simulations, seed=0, stream=Stream.BOOTSTRAP, stage=_STAGE, step=0, row=row)
    found: list[float] = []
    for word in words:
        drawn_N = true_N + spread * (m_PN[below(word, pairs)].mean(0) - mean_N)
        if area := auroc(true_N, drawn_N > RECALLED_ABOVE):
            found.append(area.value)
    if not found:
        return None
    sample = np.array(found)
    return Score("auroc", float(sample.mean()), percentiles(sample), n)


def _halve(m_PN: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(S, N) each: m from one half of the pairs, and from the other; an odd pair is left out.

    Every way of halving the pairs is used, or as many, evenly spread, if there are very many.
    """
    half = len(m_PN) // 2
    first, *others = range(2 * half)  # the first pair is in the first half: no way counts twice
    ways = [(first, *rest) for rest in combinations(others, half - 1)]
    ways = ways[:: -(-len(ways) // _MOST_DIVISIONS)]
    rest = [tuple(p for p in range(2 * half) if p not in way) for way in ways]
    return (
        np.stack([m_PN[list(way)].mean(0) for way in ways]),
        np.stack([m_PN[list(way)].mean(0) for way in rest]),
    )


def _score_halves(first_SN: np.ndarray, second_SN: np.ndarray) -> Score | None:
    """The mean AUROC of one half's m against the labels of the other; both ways round."""
    return _mean_score(
        auroc(score, label)
        for score_SN, labels_SN in ((first_SN, second_SN), (second_SN, first_SN))
        for score, label in zip(score_SN, labels_SN > RECALLED_ABOVE, strict=True)
    )


def _mean_score(scores: Iterable[Score | None]) -> Score | None:
    """The mean of the scores that there are, of one measure over the same answers.

    The interval is the mean of theirs: averaging over divisions does not make the people more.
    """
    found = [score for score in scores if score is not None]
    if not found:
        return None
    low, high = (float(np.mean([score.interval[end] for score in found])) for end in (0, 1))
    value = float(np.mean([score.value for score in found]))
    return Score(found[0].measure, value, (low, high), found[0].n)


def _kappas(one_SN: np.ndarray, other_SN: np.ndarray, weight_RN: np.ndarray) -> np.ndarray:
    """(R,): the mean kappa over S rows, for each weighting of the answers."""
    total_1R = weight_RN.sum(1)[None, :]
    one_SR, other_SR, same_SR = (
        labels.astype(np.float64) @ weight_RN.T / total_1R
        for labels in (one_SN, other_SN, one_SN == other_SN)
    )
    chance_SR = one_SR * other_SR + (1 - one_SR) * (1 - other_SR)
    certain = chance_SR > 1 - 1e-12
    kappa_SR = np.where(certain, 1.0, (same_SR - chance_SR) / np.where(certain, 1.0, 1 - chance_SR))
    return kappa_SR.mean(0)
