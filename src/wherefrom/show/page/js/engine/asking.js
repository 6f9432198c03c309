/**
 * A run that answers questions: everything that `wherefrom ask` does, computed here for what is typed.
 */

import { Decoys } from './decoys.js';
import { Evidence, NO_TEXT, SUPPORTED } from './evidence.js';
import { Features, describeDoubts, describeFeatures } from './features.js';
import { Looking } from './looking.js';
import { Parser } from './parser.js';
import { Policy, UNKNOWN_NAME, applyCurve } from './policy.js';
import { search } from './search.js';
import { Refusal, lengthOf, lookUp, quote } from './text.js';
import { MASK, Vocabulary, nameCharacters } from './vocabulary.js';

const RECALLED = 'recalled';
const GUESSED = 'guessed';

export class Asking {
  /** @param {any} data @param {Record<string, any>} models by their names */
  constructor(data, models) {
    this.data = data;
    this.models = models;
    this.primary = data.models[0].name;
    this.twin = data.models[1]?.name; // which has not read the text
    this.vocabulary = new Vocabulary(data.vocabulary);
    const names = data.names.map(({ name }) => name);
    this.trained = new Map(data.names.map(({ name, trained }) => [name, trained ?? []]));
    this.parser = new Parser(data.forms, names);
    this.features = new Features(data, this.vocabulary, this.model());
    this.policy = new Policy(data.policy);
    this.evidence = new Evidence(data.evidence);
    this.decoys = data.decoys
      ? new Decoys(data.decoys, (name) => this.spells(name), data.evidence.texts)
      : null;
    this.looking = new Looking(this);
  }

  model(name = this.primary) {
    return this.models[name];
  }

  // -- questions -----------------------------------------------------------------

  /**
   * A question taken apart; a Refusal says why if the model cannot be asked it. With `anyLetters`, the
   * name may have letters that the model lacks.
   */
  parse(text, anyLetters = false) {
    const question = this.parser.parse(text);
    this._check(question, anyLetters);
    return question;
  }

  _check(question, anyLetters = false) {
    const { text, subject } = question;
    if (!anyLetters) this.vocabulary.encode(text);
    this.vocabulary.refuseMarks(text);
    const spare = this.model().maxInput - lengthOf(text) - 1;
    if (spare < 0) {
      const length = lengthOf(subject);
      throw new Refusal(
        `${quote(text)}: expected a name of at most ${length + spare} characters, ` +
          `found ${length}; use a shorter name: the model cannot read more at once`,
      );
    }
  }

  /** Whether the model can be asked about a name in every form that it was taught. */
  spells(name) {
    if (!name.trim()) return false;
    try {
      for (const form of this.parser.forms) this._check(this.parser.fill(form, name));
    } catch (error) {
      if (error instanceof Refusal) return false;
      throw error;
    }
    return true;
  }

  prompt(question) {
    return [...this.vocabulary.encode(question.text), MASK];
  }

  /** What asks the primary model the same in the text's own wordings; as features.py does. */
  otherPrompts(question) {
    if (!this.data.search.wordings) return [];
    return this.features
      .wordings(question)
      .filter(({ searched, prompt }) => searched && prompt.length <= this.model().maxInput)
      .map(({ prompt }) => prompt);
  }

  // -- answers -------------------------------------------------------------------

  /**
   * The answers that a model's search finds, the best first; `say` hears the best text so far.
   * @param {any} question @param {any} model @param {any} tree @param {(text: string) => void} say
   */
  answer(question, model, tree, say = () => {}) {
    const { beams, other_beams: fewer } = this.data.search;
    const found = [this._search(this.prompt(question), beams, model, tree, say)];
    if (model === this.model()) {
      for (const prompt of this.otherPrompts(question)) {
        found.push(this._search(prompt, Math.min(beams, fewer), model, tree));
      }
    }
    return this._pool(found, beams);
  }

  _search(prompt, beams, model, tree, say = (/** @type {string} */ _) => {}) {
    const limit = Math.min(this.data.search.max_new, model.maxInput - prompt.length + 1);
    const steps = search(tree, prompt, beams, limit);
    let step = steps.next();
    while (!step.done) {
      say(this.vocabulary.decode(/** @type {number[]} */ (step.value)));
      step = steps.next();
    }
    return /** @type {any[]} */ (step.value);
  }

  /** The answers that have most of the probability after all prompts; as generation/answerer.py. */
  _pool(found, most) {
    const closed = found.map((each) => each.filter(({ finished }) => finished));
    const any = closed.some((each) => each.length);
    const shares = new Map();
    for (const { tokens, logProbability } of (any ? closed : found.slice(0, 1)).flat()) {
      const text = this.vocabulary.decode(tokens);
      const share = Math.exp(logProbability) / (any ? found.length : 1);
      shares.set(text, (shares.get(text) ?? 0) + share);
    }
    const ranked = [...shares].sort((a, b) => b[1] - a[1]).slice(0, most);
    return ranked.map(([text, probability]) => ({ text, probability }));
  }

  /**
   * The reply to a question; `say` hears of every part as soon as it is known.
   * @param {{question: string}} asked
   * @param {(part: any) => void} say
   */
  *ask(asked, say = () => {}) {
    const question = this.parse(asked.question, true);
    const { text, subject, relation } = question;
    const suggestions = this.parser.suggest(subject);
    say({ parsed: { question: text, subject } });
    const unseen = this.vocabulary.missing(text);
    if (unseen.length) return this._decline(question, unseen, suggestions);
    const meant = suggestions.length && this.evidence.mentions(subject) ? [] : suggestions;
    const tree = this.model().tree();
    const candidates = this._write(question, this.primary, tree, say);
    const answer = candidates[0].text;
    yield;
    const features = {
      ...this.features.certainty(candidates),
      ...this.features.statement(tree, question, answer),
      ...this.features.familiarity(tree, subject),
    };
    const evidence = this.evidence.judge(subject, answer, relation);
    const noText = evidence?.label === NO_TEXT;
    const judged = { ...this.policy.judge(features, relation), meant, noText };
    const decision = this.policy.decide(judged, relation);
    yield;
    let other = null;
    if (this.twin) {
      other = { candidates: this._write(question, this.twin, this.model(this.twin).tree(), say) };
      yield;
    }
    const source = this._source(tree, question, answer, features, evidence);
    return {
      ...this._frame(question, answer, evidence, suggestions),
      ...decision,
      nameKnown: judged.nameKnown,
      meant,
      candidates,
      source,
      trainedOn: (this.trained.get(subject) ?? []).includes(relation),
      features: describeFeatures(features),
      against: describeDoubts(this.policy.pulls(features, relation)),
      other,
    };
  }

  /** What a reply has whether or not the model can read the question. */
  _frame(question, answer, evidence, didYouMean) {
    const { text, subject, relation } = question;
    return {
      question: text,
      subject,
      relation,
      answer,
      evidence,
      note: this.evidence.note(subject, answer, relation),
      tookNotes: this.evidence.tookNotes,
      exposures: this._exposures(subject, relation, answer),
      didYouMean,
    };
  }

  /** The reply to a question that the model cannot read: it never saw these letters. */
  _decline(question, unseen, didYouMean) {
    const evidence = this.evidence.judge(question.subject, '', question.relation);
    return {
      ...this._frame(question, '', evidence, didYouMean),
      answered: false,
      reason: UNKNOWN_NAME,
      whyNot: `the model does not know the name: it has never seen ${nameCharacters(unseen)}`,
      confidence: null,
      certainty: null,
      unverified: false,
      needs: null,
      nameKnown: false,
      meant: [],
      candidates: [],
      source: this.data.source && { label: GUESSED, probability: 0 },
      trainedOn: false,
      features: [],
      against: [],
      other: null,
    };
  }

  _write(question, name, tree, say) {
    const candidates = this.answer(question, this.model(name), tree, (text) => {
      say({ writing: { model: name, text } });
    });
    say({ answered: { model: name, answer: candidates[0].text, candidates } });
    return candidates;
  }

  look(asked, say) {
    return this.looking.look(asked, say);
  }

  /** Recalled or guessed; as answering/source.py predicts it. Null where no model was retrained to learn it from. */
  _source(tree, question, answer, features, evidence) {
    if (!this.data.source) return null;
    const { curve, relations } = this.data.source;
    const decoys = this.decoys ? this.decoys.of(question.subject) : [];
    features.usual = this.features.usual(tree, question, answer, decoys);
    features.supported = Number(evidence?.label === SUPPORTED);
    // Nothing can be recalled from a text that there is not.
    if (evidence?.label === NO_TEXT) return { label: GUESSED, probability: 0 };
    const probability = applyCurve(lookUp(relations, question.relation) ?? curve, features);
    return { label: probability > this.data.even_odds ? RECALLED : GUESSED, probability };
  }

  /** How often training showed what the subject's text states; null where that was not counted. */
  _exposures(subject, relation, answer) {
    if (!this.data.exposures) return null;
    const { kinds, facts } = this.data.exposures;
    const own = facts.filter((fact) => fact[0] === subject && fact[1] === relation);
    if (!own.length && !this.trained.has(subject) && this.evidence?.mentions(subject)) return null;
    return own.map(([, , value, ...counts]) => ({
      value,
      given: value === answer,
      ...Object.fromEntries(kinds.map((kind, i) => [kind, counts[i]])),
    }));
  }
}
