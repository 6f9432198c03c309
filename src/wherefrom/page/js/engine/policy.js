/**
 * When an answer is given, and when not and why; as answering/policy.py, decisions.py and abstention.py.
 *
 * With a risk, the threshold is chosen again on the run's calibration questions, in the way in which the
 * policy's own was chosen. That risk is observed there and is no guarantee.
 */

import { sigmoid } from './arithmetic.js';
import { lookUp } from './text.js';

const REFUSE_ALL = 2;
const DOUBT = 0.1; // of a relation's own threshold
const EDGE = 1e-9;
const ROUNDING = 1e-12;
const NOT_CALIBRATED = 'no calibration question asks for this';
export const UNKNOWN_NAME = 'unknown name';
export const LOW_CONFIDENCE = 'low confidence';
export const OTHER_SPELLING = 'another spelling';

/** The probability that a logistic curve gives features. */
export function applyCurve(curve, features) {
  let total = curve.bias;
  curve.features.forEach((name, i) => {
    const value = features[name];
    if (!Number.isFinite(value)) throw new Error(`expected a finite '${name}', found ${value}`);
    total += ((value - curve.mean[i]) / curve.scale[i]) * curve.weights[i];
  });
  return sigmoid(total);
}

/** Python's %g: six digits, without zeros at the end. */
const short = (value) => String(Number(value.toPrecision(6)));

export class Policy {
  /**
   * `leastSure` is the least of all thresholds, `evenOdds` for those who accept more risk than the policy.
   * @param {any} policy @param {any} calibration @param {number} leastSure @param {number} evenOdds
   */
  constructor(policy, calibration, leastSure, evenOdds) {
    this.policy = policy;
    this.leastSure = leastSure;
    this.evenOdds = evenOdds;
    this.byRelation = Object.keys(policy?.relations ?? {}).length > 0;
    this.answers = (calibration?.score ?? []).map((score, i) => ({
      score,
      right: Boolean(calibration.right[i]),
      relation: calibration.relation[i],
    }));
  }

  /** Confidence, whether the name is known, and the probability that it was read. */
  judge(features, relation) {
    if (!this.policy) return { confidence: null, nameKnown: null, probabilityRead: 1, score: 1 };
    const { calibration, names, relations } = this.policy;
    const confidence = applyCurve(lookUp(relations, relation)?.calibration ?? calibration, features);
    if (!names) return { confidence, nameKnown: null, probabilityRead: 1, score: confidence };
    const read = applyCurve(names.curve, features);
    const nameKnown = read >= names.least;
    const clip = (p) => Math.min(Math.max(p, EDGE), 1 - EDGE);
    const least = clip(names.least);
    const odds = (clip(read) / (1 - clip(read))) * ((1 - least) / least);
    return {
      confidence: nameKnown ? confidence : null,
      nameKnown,
      probabilityRead: odds / (1 + odds),
      score: nameKnown ? confidence : 0,
    };
  }

  /** The threshold of a relation: the policy's own, or one for this risk. */
  threshold(relation, risk = null) {
    if (!this.policy) return null;
    if (risk !== null && risk !== undefined && this.answers.length) return this.choose(relation, risk);
    if (!this.byRelation) return this.policy.threshold;
    const own = lookUp(this.policy.relations, relation)?.threshold;
    return own ?? refuseAll(this.policy.threshold.precision_target, 0, NOT_CALIBRATED);
  }

  /**
   * What is decided about a judged answer. `judged.meant` are names of the text that somebody probably
   * meant who wrote another: confidence does not hold for a name that the text does not have.
   */
  decide(judged, relation, risk = null) {
    const found = this._decide(judged, relation, risk);
    const meant = judged.meant ?? [];
    if (!found.answered || !meant.length) return found;
    const whyNot = `the text has no such name; it has ${meant.join(' and ')}`;
    return { ...found, answered: false, reason: OTHER_SPELLING, whyNot, confidence: null };
  }

  _decide(judged, relation, risk) {
    const threshold = this.threshold(relation, risk);
    const unknown = judged.nameKnown === false;
    const confidence = this.policy && !unknown ? judged.score : null;
    if (!threshold) {
      return { answered: true, reason: null, whyNot: null, threshold: null, confidence };
    }
    const answered = judged.score >= threshold.value && judged.score > 0;
    return {
      confidence,
      answered,
      reason: answered ? null : unknown ? UNKNOWN_NAME : LOW_CONFIDENCE,
      whyNot: answered ? null : explain(unknown, threshold),
      threshold: {
        value: threshold.value,
        target: threshold.precision_target,
        why: threshold.why_not ?? null,
      },
    };
  }

  /** The threshold for a risk that answers most calibration questions. */
  choose(relation, risk) {
    const precision = 1 - risk;
    const stricter = precision >= this.policy.threshold.precision_target - ROUNDING;
    const floor = stricter ? this.leastSure : this.evenOdds;
    const doubt = this.byRelation && precision < 1 ? DOUBT : null;
    const ranked = this._ranked(relation);
    const n = ranked.length;
    if (!n) return refuseAll(precision, 0, NOT_CALIBRATED);
    const steps = countSteps(ranked).filter(({ score }) => score > 0 && score >= floor);
    const good = steps.filter(({ right, answered }) => right / answered >= precision - ROUNDING);
    const sure = good.filter(
      (s) => doubt === null || binomialTail(s.answered, 1 - precision, s.answered - s.right) <= doubt,
    );
    const found = sure[sure.length - 1];
    if (!found) return refuseAll(precision, n, explainNone(steps, ranked, precision, floor, doubt));
    const share = found.answered / n;
    return {
      value: found === steps[steps.length - 1] && floor > 0 ? floor : found.score,
      precision_target: precision,
      answered_share: share,
      precision: found.right / found.answered,
      n,
      why_not: null,
    };
  }

  /** Risk and coverage at every threshold, on the calibration questions. */
  curve(relation = null) {
    const ranked = this._ranked(this.byRelation ? relation : null);
    const points = countSteps(ranked).map(({ score, answered, right }) => ({
      threshold: score,
      coverage: answered / ranked.length,
      risk: (answered - right) / answered,
      answered,
      wrong: answered - right,
    }));
    return { points: points.filter(({ threshold }) => threshold > 0), n: ranked.length };
  }

  _ranked(relation) {
    const all = this.byRelation && relation !== null;
    const own = all ? this.answers.filter((each) => each.relation === relation) : this.answers;
    return [...own].sort((a, b) => b.score - a.score);
  }
}

/** After each distinct score from the top: how many answers there are, and how many are right. */
function countSteps(ranked) {
  const steps = [];
  let right = 0;
  ranked.forEach((each, i) => {
    right += Number(each.right);
    const last = i + 1 === ranked.length || ranked[i + 1].score !== each.score;
    if (last) steps.push({ score: each.score, answered: i + 1, right });
  });
  return steps;
}

function refuseAll(precision, n, why) {
  return {
    value: REFUSE_ALL,
    precision_target: precision,
    answered_share: 0,
    precision: null,
    n,
    why_not: why,
  };
}

/** Why an answer is withheld, in the words of `wherefrom ask`. */
function explain(unknown, threshold) {
  if (unknown) return 'the model does not know the name';
  const target = `${short(100 * threshold.precision_target)} %`;
  if (threshold.value < REFUSE_ALL) {
    const least = (100 * threshold.value).toFixed(1);
    return (
      `its confidence is below ${least} %, the threshold that was set for ` +
      `${target} right among such answers`
    );
  }
  const none = `no threshold reaches ${target} on the ${threshold.n} calibration questions`;
  return `no such question is answered: ${threshold.why_not || none}`;
}

/** Why no threshold will do. */
function explainNone(steps, ranked, precision, floor, doubt) {
  const n = ranked.length;
  const target = `${short(100 * precision)} %`;
  const fewest = doubt === null ? 1 : leastAnswers(1 - precision, doubt);
  const needed = `at least ${fewest} right answers without a wrong one`;
  if (n < fewest) return `${n} calibration questions are too few for a threshold: it takes ${needed}`;
  if (!steps.length) {
    const highest = ranked[0].score;
    if (!highest) return `the model knows none of the names in the ${n} calibration questions`;
    return (
      `no answer to the ${n} calibration questions has a confidence of ${short(100 * floor)} % or ` +
      `more (the highest is ${below(highest, floor)})`
    );
  }
  const enough = steps.filter(({ answered }) => answered >= fewest);
  if (!enough.length) {
    const most = steps[steps.length - 1].answered;
    return (
      `only ${most} of the ${n} calibration questions get an answer whose confidence is ` +
      `${short(100 * floor)} % or more, and ${target} takes ${needed}`
    );
  }
  let best = enough[0];
  for (const s of enough) if (s.right / s.answered > best.right / best.answered) best = s;
  const share = best.right / best.answered;
  if (share < precision) {
    return (
      `no threshold reaches ${target} on the ${n} calibration questions ` +
      `(the best reaches ${below(share, precision)})`
    );
  }
  return (
    `no threshold reaches ${target} on the ${n} calibration questions by more than luck ` +
    `(the best has ${best.right} of ${best.answered} answers right)`
  );
}

/** A share below the target, with as many digits as it takes to see that. */
function below(share, target) {
  for (let digits = 0; digits < 3; digits++) {
    const text = (100 * share).toFixed(digits);
    if (Number(text) < 100 * target) return `${text} %`;
  }
  return `less than ${short(100 * target)} %`;
}

/** P(Bin(n, chance) <= most). */
function binomialTail(n, chance, most) {
  const p = Math.min(Math.max(chance, 1e-300), 1 - 1e-16);
  let log = n * Math.log1p(-p);
  let total = Math.exp(log);
  for (let k = 1; k <= Math.min(most, n); k++) {
    log += Math.log((n - k + 1) / k) + Math.log(p) - Math.log1p(-p);
    total += Math.exp(log);
  }
  return Math.min(total, 1);
}

/** The fewest answers, all of them right, that would be this unlikely at a risk of alpha. */
function leastAnswers(alpha, delta) {
  return Math.ceil(Math.log(delta) / Math.log1p(-alpha));
}
