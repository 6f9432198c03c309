"""The risk bound: a threshold with a guarantee that at most a share `alpha` of answers is wrong.

What is guaranteed. The model is fixed, and the calibration people must be drawn from the same
population as later people: with the same mix of people whose text states the answer, people whose
text omits it, and people without text. Some calibration people fit the curve that turns features
into a probability, and decide which thresholds to try; the others test these thresholds. If a
threshold is certified, at most a share alpha of all later answers at or above it is wrong. The
guarantee itself fails for at most a share delta of all sets of calibration people that could have
been drawn. Nothing is assumed about the curve: a bad curve costs coverage, but the guarantee holds.
Nothing is guaranteed about other kinds of people, about a single person, or about another model,
even of the same recipe. In a small set of later answers the share may exceed alpha by chance.

How it works (learn then test: Angelopoulos, Bates, Candès, Jordan and Lei, 2021). Whether an answer
is given depends on its features alone. So among the n answers that certifying people get, the
number of wrong ones is binomial: if the true share of wrong answers were above alpha, then the
probability of this number or fewer would be at most P(Bin(n, alpha) <= wrong), for any n.
Thresholds are tested from strict to loose in an order that is fixed beforehand, each at the full
level delta, until the first one fails. A false certificate needs the first threshold whose risk is
above alpha to pass its test, so testing many thresholds costs nothing.

More accepted risk never answers fewer. The order depends on the fitting people, on how many people
certify, and on delta, but not on alpha (`plan_thresholds`). A threshold that passes at alpha has a
smaller p-value at a larger alpha, so the walk gets at least as far there. An order that begins
elsewhere for another alpha would keep the guarantee of each alpha, but not this: the walk of the
larger alpha could fail at once where that of the smaller one passed.

Why the people are split in two. One could also score each half by a curve that was fitted on the
other half, and test all scores together. But those scores depend on the outcomes of other people,
so the number of wrong answers would not be binomial. And the test would be about two curves,
neither of which is used afterwards. The guarantee is for the fitted curve and the threshold
together.

Three in ten people fit, seven certify. A curve of six weights needs few people, and the test needs
many: with half and half, thresholds are certified in far fewer draws (docs/research/LOG.md).

Several values of alpha. Each certificate holds with probability 1 - delta by itself. To ask for k
of them and keep the best, ask for each at delta / k: commands refuse more than one.

Several relations. Each has its own curve and threshold, and is tested at the level delta / R, where
R is the number of relations (Bonferroni's correction). So all certificates hold together, except
with probability delta. This is the price of several relations: with delta = 0.1 and three of them,
a threshold that gives no wrong answer needs 33 answers to pass instead of 22, so about 48
calibration questions about that relation instead of 32, and more with every wrong answer. The
certificate of each relation says what it would take. The bound over all answers follows without a
further test, in whatever mix the relations are asked: a mean of shares of at most alpha is at most
alpha. A relation without a certificate is not answered, so it adds no wrong answer. All relations
of a person are on one side, so that no certifying person helped to fit a curve. Within a relation,
one answer about each person certifies. Answers about one person to different relations need not be
independent: Bonferroni's correction does not ask for that. docs/TRUST.md explains more.
"""

import math
from bisect import bisect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256

import numpy as np
import scipy  # pyright: ignore[reportMissingTypeStubs]

from wherefrom.answering.abstention import choose_threshold
from wherefrom.answering.calibration import fit_by_relation, fit_calibration
from wherefrom.answering.certificate import FITTING, Certificate, Trial, least_people
from wherefrom.answering.name_gate import choose_known
from wherefrom.answering.policy import (
    DECLINE_ALL,
    NOT_CALIBRATED,
    LogisticCalibration,
    NameGate,
    Thresholds,
)
from wherefrom.core.answer_table import FeatureTable
from wherefrom.core.errors import BadData, UsageError
from wherefrom.core.sample_size import least_answers
from wherefrom.evaluation.relations import group

GRID = 20  # thresholds that are planned; each answers a twentieth more of the fitting people
HOPE = 0.8  # the probability with which a plan, or the advised number of people, should be enough
_MOST_ANSWERS = 2**17  # more are never advised
_SALT = "certify "  # keeps this split independent of other splits that hash the same names

Sides = tuple[np.ndarray, np.ndarray]  # which answers to fit on, and which to certify with


@dataclass(frozen=True)
class Bounds:
    """The fitted curves, their certificate, and thresholds with and without a guarantee.

    `common` is the curve of all answers, `curves` has one for each relation.
    `uncertified` has the thresholds that answer most certifying people with an observed risk of at
    most alpha.
    """

    common: LogisticCalibration
    curves: Mapping[str, LogisticCalibration]
    certificate: Certificate
    certified: Thresholds
    uncertified: Thresholds


@dataclass(frozen=True)
class Scores:
    """A relation's scores: of the fitting people, and of the certifying people with outcomes."""

    fitted: np.ndarray
    tested: np.ndarray
    right: np.ndarray


def gated_probability(
    curve: LogisticCalibration, gate: NameGate | None, features: FeatureTable
) -> np.ndarray:
    """The calibrated probability, or 0 for unknown names."""
    probability = curve.probability(features)
    return probability if gate is None else np.where(gate.opens(features), probability, 0.0)


def fit_bounds(
    features: FeatureTable,
    right_N: np.ndarray,
    names: Sequence[str],
    sides: Mapping[str, Sides],
    alpha: float,
    delta: float,
    gate: NameGate | None = None,
) -> Bounds:
    """Fit on one part of the calibration people, certify every relation on the other.

    `names` are the features of the curves, `sides` has the places of each relation's answers (see
    `split_people`). A gate must have been fitted on the first part too. The common curve is that of
    an only relation.
    """
    for name, value in (("risk", alpha), ("delta", delta)):
        if not 0 < value < 1:
            raise UsageError(f"{name}: expected a number between 0 and 1, found {value}")
    right = np.asarray(right_N, dtype=bool)
    fit, test = (np.concatenate([side[i] for side in sides.values()]) for i in (0, 1))
    if not fit.size or not test.size:
        raise BadData(
            f"calibration people: expected some to fit on and some to certify with, found "
            f"{fit.size} and {test.size}; a risk bound needs at least "
            f"{least_people(alpha, delta / len(sides))} people"
        )
    fit = np.sort(fit)
    fit = fit[choose_known(gate, features.rows(fit))]
    rows, outcome = features.rows(fit), right[fit]
    common = fit_calibration(rows, outcome, names)
    curves = dict.fromkeys(sides, common)
    if len(sides) > 1:
        curves |= fit_by_relation(rows, outcome, names, _group_places(fit, sides))
    scores: dict[str, Scores] = {}
    for name, both in sides.items():
        fitted, tested = (gated_probability(curves[name], gate, features.rows(at)) for at in both)
        scores[name] = Scores(fitted, tested, right[both[1]])
    observed = {
        name: choose_threshold(each.tested, each.right, 1 - alpha)
        for name, each in scores.items()
        if each.tested.size
    }
    certificate = certify_relations(scores, alpha, delta)
    if gate is not None and gate.leaks:  # unknown names would be answered, and no test has any
        certificate = certificate.refuse(gate.leaks)
    parts = certificate.by_relation or dict.fromkeys(scores, certificate)
    each = {name: part.as_threshold() for name, part in parts.items()}
    over_all = replace(certificate.as_threshold(), why_not=NOT_CALIBRATED)
    thresholds = (Thresholds.join(found, over_all) for found in (each, observed))
    return Bounds(common, curves, certificate, *thresholds)


def _group_places(fit: np.ndarray, sides: Mapping[str, Sides]) -> dict[str, np.ndarray]:
    """Where each relation's answers stand in `fit`."""
    relations = {i: name for name, (own, _) in sides.items() for i in own.tolist()}
    return group([relations[i] for i in fit.tolist()])


def split_people(subjects: Sequence[str]) -> Sides:
    """Masks of the answers to fit on and of those to certify with, by a hash of the subject alone.

    A person's side does not depend on who else is in the data. Of several answers about one person
    only one certifies, since they are not independent; the hash chooses which.
    """
    places: dict[str, list[int]] = {}
    for i, subject in enumerate(subjects):
        places.setdefault(subject, []).append(i)
    fit, test = (np.zeros(len(subjects), dtype=bool) for _ in range(2))
    for subject, rows in places.items():
        digest = sha256((_SALT + subject).encode(errors="surrogatepass")).digest()
        if int.from_bytes(digest[:4]) < FITTING * 2**32:
            fit[rows] = True
        else:
            test[rows[int.from_bytes(digest[4:8]) % len(rows)]] = True
    return fit, test


def certify_relations(scores: Mapping[str, Scores], alpha: float, delta: float) -> Certificate:
    """The certificate of each relation at the level delta / R, and what they come to together.

    That of an only relation is the certificate.
    """
    each = {name: certify(found, alpha, delta / len(scores)) for name, found in scores.items()}
    if len(each) == 1:
        return next(iter(each.values()))
    n = sum(certificate.n for certificate in each.values())
    answered = sum(certificate.n_answered for certificate in each.values())
    return Certificate(
        threshold=None,
        alpha=alpha,
        delta=delta,
        certified=any(certificate.certified for certificate in each.values()),
        n_answered=answered,
        wrong=sum(certificate.wrong for certificate in each.values()),
        coverage=answered / n if n else 0.0,
        n=n,
        sequence=(),
        more_people=None,
        by_relation=each,
    )


def certify(scores: Scores, alpha: float, delta: float) -> Certificate:
    """Test thresholds planned on the probabilities of the fitting people alone."""
    fitted, p, is_right = scores.fitted, scores.tested, scores.right
    if not fitted.size or not p.size:
        return replace(_certify_nothing(alpha, delta, p.size, ()), enough_to_tell=False)
    grid, start = plan_thresholds(fitted, p.size, delta)
    tried = walk(grid[start:], p, is_right, alpha, delta)
    passed = [trial for trial in tried if trial.p_value <= delta]
    if passed:
        last = passed[-1]
        return Certificate(
            threshold=last.threshold,
            alpha=alpha,
            delta=delta,
            certified=True,
            n_answered=last.n_answered,
            wrong=last.wrong,
            coverage=last.n_answered / p.size,
            n=p.size,
            sequence=tried,
            more_people=None,
        )
    # Nothing is certified, so looking at every threshold can no longer break the guarantee.
    tries = [_try(t, p, is_right, alpha) for t in grid]
    best = min(tries, key=lambda trial: trial.p_value, default=None)
    more, fewest = _more_people(best, p.size, fitted.size, alpha, delta)
    # A threshold with too few answers to pass can hardly be given up either.
    seen = 0 if best is None else best.n_answered
    enough = more is not None or seen >= least_answers(alpha, delta)
    nothing = _certify_nothing(alpha, delta, p.size, tried)
    return replace(nothing, more_people=more, fewest_more=fewest, enough_to_tell=enough)


def _certify_nothing(alpha: float, delta: float, n: int, tried: tuple[Trial, ...]) -> Certificate:
    return Certificate(DECLINE_ALL, alpha, delta, False, 0, 0, 0.0, n, tried, None)


def walk(
    thresholds: Sequence[float], p: np.ndarray, right: np.ndarray, alpha: float, delta: float
) -> tuple[Trial, ...]:
    """Test one threshold after the other; stop after the first that fails."""
    tried: list[Trial] = []
    for threshold in thresholds:
        tried.append(_try(threshold, p, right, alpha))
        if tried[-1].p_value > delta:
            break
    return tuple(tried)


def plan_thresholds(fitted: np.ndarray, n: int, delta: float) -> tuple[list[float], int]:
    """Thresholds from strict to loose, and the index of the first to test.

    If the first test fails, nothing is certified, so the choice of the first threshold matters. The
    strictest threshold that can pass at all passes only without a single wrong answer, and fails
    if a few answers fewer come in than expected. So testing begins at the threshold with which the
    smallest risk can be certified, if the curve is right about the fitting people and `n` others
    are about as lucky as HOPE asks for. Every larger alpha is then likelier to pass there, too.
    """
    p = np.sort(np.asarray(fitted, dtype=np.float64))[::-1]
    last = np.ceil(np.arange(1, GRID + 1) * p.size / GRID).astype(int) - 1
    grid = np.unique(p[last])[::-1]
    grid = grid[grid > 0]  # an answer whose score is 0 is never given
    if not grid.size:
        return [], 0
    count = np.searchsorted(-p, -grid, side="right")
    risk = np.cumsum(1 - p)[count - 1] / count
    start, smallest = 0, 1.0
    for i, answers in enumerate((count * n / p.size).astype(int).tolist()):
        tails = scipy.special.bdtr(np.arange(answers + 1), answers, risk[i])
        wrong = int(np.searchsorted(tails, HOPE))
        if scipy.special.bdtr(wrong, answers, smallest) < delta:  # they allow for a smaller one
            start, smallest = i, scipy.special.betaincinv(wrong + 1, answers - wrong, 1 - delta)
    return grid.tolist(), start


def _try(threshold: float, p: np.ndarray, right: np.ndarray, alpha: float) -> Trial:
    given = p >= threshold
    n, wrong = int(given.sum()), int((given & ~right).sum())
    return Trial(threshold, n, wrong, float(scipy.special.bdtr(wrong, n, alpha)))


def _chance(n: int, risk: float, alpha: float, delta: float) -> float:
    """The probability that n answers with this risk pass the test."""
    allowed = bisect(range(n + 1), delta, key=lambda wrong: scipy.special.bdtr(wrong, n, alpha)) - 1
    return float(scipy.special.bdtr(allowed, n, risk)) if allowed >= 0 else 0.0


def _more_people(
    best: Trial | None, n: int, fitting: int, alpha: float, delta: float
) -> tuple[int | None, int | None]:
    """How many more people make the best threshold pass with probability `HOPE`, and how many do
    if no further answer is wrong; None if more would not help.

    The threshold is assumed to answer the same share as before, with a risk of
    (wrong + 1/2) / (answered + 1): no errors among a few answers do not mean a risk of 0. This risk
    is capped half-way between the observed risk and alpha; without the cap, a threshold with few
    answers could never be expected to pass.
    """
    seen = best.wrong / best.n_answered if best and best.n_answered else 1.0
    if best is None or seen >= alpha:
        return None, None
    risk = min((best.wrong + 0.5) / (best.n_answered + 1), (seen + alpha) / 2)
    high = least_answers(alpha, delta)
    while _chance(high, risk, alpha, delta) < HOPE:
        high *= 2
        if high > _MOST_ANSWERS:
            return None, None
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _chance(middle, risk, alpha, delta) >= HOPE else (middle, high)
    people = (n + fitting) / best.n_answered  # for each answer that certifies
    likely, fewest = (
        max(1, math.ceil(answers * people) - n - fitting)
        for answers in (high, least_answers(alpha, delta, best.wrong))
    )
    return likely, fewest
