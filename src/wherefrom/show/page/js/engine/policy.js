/**
 * When an answer is given, and when not and why; as answering/policy.py, decisions.py and abstention.py.
 * Where no threshold was shown to keep the risk, answers are unverified: the score is the model's own
 * probability, and there is no confidence.
 * What another risk does is the slider's business: show/page/risk.py chooses its thresholds.
 */

import { sigmoid } from './arithmetic.js';
import { lookUp } from './text.js';

const DECLINE_ALL = 2;
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
  return curve.guess + (1 - curve.guess - curve.lapse) * sigmoid(total);
}

/** Python's %g: six digits, without zeros at the end. */
const short = (value) => String(Number(value.toPrecision(6)));

export class Policy {
  /** @param {any} policy  as in audit/confidence.json; null for a run without calibration people */
  constructor(policy) {
    this.policy = policy;
  }

  /** The score, and whether the name is known. */
  judge(features, relation) {
    const own = Math.min(Math.exp(features.log_probability), 1);
    if (!this.policy) return { own, nameKnown: null, score: own };
    const { names } = this.policy;
    const score = this.unverified(relation) ? own : applyCurve(this.curve(relation), features);
    if (!names) return { own, nameKnown: null, score };
    const nameKnown = applyCurve(names.curve, features) >= names.least;
    return { own, nameKnown, score: nameKnown ? score : 0 };
  }

  /** How far each feature raises or lowers the confidence, against an answer of average features. */
  pulls(features, relation) {
    if (!this.policy) return {};
    const { features: names, mean, scale, weights } = this.curve(relation);
    return Object.fromEntries(names.map((name, i) => [name, (weights[i] * (features[name] - mean[i])) / scale[i]]));
  }

  curve(relation) {
    return lookUp(this.policy.relations, relation)?.calibration ?? this.policy.calibration;
  }

  /** Whether no threshold was shown to keep the risk of such answers. */
  unverified(relation) {
    return !this.policy || Boolean(this.threshold(relation).unverified);
  }

  /** The threshold of a relation. */
  threshold(relation) {
    if (!this.policy) return null;
    const nothing = { value: DECLINE_ALL, why_not: NOT_CALIBRATED };
    return lookUp(this.policy.relations, relation)?.threshold ?? nothing;
  }

  /**
   * What is decided about a judged answer. `judged.meant` are names of the text that somebody probably
   * meant who wrote another: confidence does not hold for a name that the text does not have.
   * `judged.noText`: the text has nothing about the name.
   */
  decide(judged, relation) {
    const usual = this._decide(judged, relation);
    const found = judged.noText ? this._withoutText(usual, judged, relation) : usual;
    const meant = judged.meant ?? [];
    if (!found.answered || !meant.length) return found;
    const whyNot = `the text has no such name; it has ${meant.join(' and ')}`;
    const none = { confidence: null, certainty: null, unverified: false };
    return { ...found, ...none, answered: false, reason: OTHER_SPELLING, whyNot };
  }

  /** The confidence is that of names that the model has read: of others it is at most their share right. */
  _withoutText(found, judged, relation) {
    const threshold = this.threshold(relation);
    if (found.confidence === null || !threshold) return found;
    const share = this.policy.without_text ?? null;
    const { answered } = found;
    if (share === null) return { ...found, confidence: null, certainty: answered ? judged.own : null, unverified: answered };
    const lower = Math.min(found.confidence, share);
    const sure = { ...found, confidence: lower, certainty: lower };
    if (!answered || lower >= threshold.value) return sure;
    return { ...sure, answered: false, needs: threshold.value, reason: LOW_CONFIDENCE, whyNot: explain(false, threshold) };
  }

  _decide(judged, relation) {
    const threshold = this.threshold(relation);
    const unknown = judged.nameKnown === false;
    const unverified = !unknown && this.unverified(relation);
    const certainty = unknown ? null : judged.score;
    const confidence = unverified ? null : certainty;
    const sure = { confidence, certainty, unverified, needs: null };
    if (!threshold) return { ...sure, answered: true, reason: null, whyNot: null };
    const answered = judged.score >= threshold.value && judged.score > 0;
    const low = !answered && !unknown;
    return {
      ...sure,
      needs: low && threshold.value < DECLINE_ALL ? threshold.value : null,
      answered,
      reason: answered ? null : unknown ? UNKNOWN_NAME : LOW_CONFIDENCE,
      whyNot: answered ? null : explain(unknown, threshold),
    };
  }
}

/** Why an answer is withheld, in the words of `wherefrom ask`. */
function explain(unknown, threshold) {
  if (unknown) return 'the model does not know the name';
  if (threshold.value >= DECLINE_ALL) return `no such question is answered: ${threshold.why_not}`;
  const least = (100 * threshold.value).toFixed(1);
  if (threshold.unverified) {
    return `its own probability is below ${least} %, the least for an unverified answer`;
  }
  return (
    `its confidence is below ${least} %, the threshold that was set for ` +
    `${short(100 * threshold.precision_target)} % right among such answers`
  );
}
