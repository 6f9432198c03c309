/**
 * What confidence and source are computed from: features of an answer by their names.
 *
 * As answering/features.py and source.py compute them. Texts are scored in the tree that the
 * question was read in, so what they share is read once.
 */

import { lookUp } from './text.js';
import { MASK } from './vocabulary.js';

const LEAST_USUAL = 1e-3;
const TINY = 1e-12;
const LEAST_ENDING = 1e-6; // the least probability that a name ends
const SPREADS = 6; // standardised measures are clipped here
const LEAST_STATEMENT = -30;
const NAT = 0.1; // less is as good as nothing
const FEATURE_OF = { familiarity: 'rest', least_familiar: 'least_expected' };

const sum = (values) => values.reduce((a, b) => a + b, 0);
const mean = (values) => sum(values) / values.length;

export class Features {
  /** @param {any} data @param {any} vocabulary @param {any} model the primary one */
  constructor(data, vocabulary, model) {
    this.data = data;
    this.vocabulary = vocabulary;
    this.model = model;
    this.cut = (text) => text.slice(0, model.maxInput + 1); // the last one is scored, never read
  }

  /** The most probable answer and the next best, as features see them. */
  certainty(candidates) {
    const best = Math.log(Math.max(candidates[0].probability, TINY));
    const second = candidates.length > 1 ? candidates[1].probability : 0;
    const total = sum(candidates.map((c) => c.probability));
    return {
      log_probability: best,
      margin: best - Math.log(Math.max(second, TINY)),
      agreement: Math.max(candidates[0].probability, TINY) / Math.max(total, TINY),
    };
  }

  /** The text's own wordings of a question, and what the model reads in each before the answer. */
  wordings(question) {
    const encode = (text) => this.vocabulary.encode(text);
    const forms = lookUp(this.data.statements, question.relation) ?? [];
    return forms.map(({ before, between, behind, masked, searched }) => {
      const text = encode(before + question.subject + between);
      return { masked, searched, prompt: masked ? [...text, MASK, ...encode(behind), MASK] : text };
    });
  }

  /** How likely the model finds the answer in the text's own wordings, and how sure it is there. */
  statement(tree, question, answer) {
    const wordings = this.wordings(question);
    if (!wordings.length) return scaleStatement(0, 0);
    const written = this.vocabulary.encode(answer);
    const texts = [];
    const starts = [];
    for (const { masked, prompt } of wordings) {
      texts.push(this.cut([...prompt, ...written, ...(masked ? [MASK] : [])]));
      starts.push(Math.min(prompt.length, this.model.maxInput));
    }
    const scored = tree.score(texts, starts);
    // What the scores were read from is in the tree, so the entropies there cost nothing more.
    const entropies = texts.map((text, i) => {
      const path = tree.path(tree.place(text.slice(0, -1)));
      return sum(Array.from(path.subarray(starts[i] - 1), (node) => entropyOf(tree.distribution(node))));
    });
    const likelihood = mean(scored.map((each) => Math.max(sum(each), LEAST_STATEMENT)));
    return scaleStatement(likelihood, mean(entropies));
  }

  /** How familiar the model is with a name: spreads from names that it must know. */
  familiarity(tree, name) {
    const measured = this.measureName(tree, name);
    const { mean: centre, spread, measures } = this.data.familiarity;
    const known = {};
    for (const measure of measures) {
      const value = (measured[measure] - centre[measure]) / spread[measure];
      known[measure] = Math.min(Math.max(value, -SPREADS), SPREADS);
    }
    // A name may be unfamiliar by one measure alone.
    const unknown = Object.values(known).some((value) => value === -SPREADS);
    const found = {};
    for (const [feature, measure] of Object.entries(FEATURE_OF)) {
      found[feature] = unknown ? -SPREADS : known[measure];
    }
    return found;
  }

  /** The log-probabilities that familiarity is computed from, each the mean over the openings. */
  measureName(tree, name) {
    const letters = [...name];
    const space = letters.indexOf(' ');
    const first = space < 0 ? letters.length : space;
    const hasRest = space >= 0 && space + 1 < letters.length;
    const room = Math.max(0, this.model.maxInput - letters.length - 1);
    const rows = this.data.familiarity.openings.map((whole) => {
      const opening = [...whole].slice(Math.max(0, [...whole].length - room));
      const ids = this.vocabulary.encode([...opening, ...letters, ' '].join(''));
      const last = opening.length + letters.length - 1;
      return {
        ids,
        named: ids.slice(0, -1),
        start: Math.max(1, Math.min(opening.length + 1, last)),
        rest: Math.max(1, Math.min(opening.length + (hasRest ? first + 1 : 1), last)),
      };
    });
    const scored = tree.score(rows.map((row) => row.named), rows.map((row) => row.start));
    const found = { rest: [], least_expected: [], first_word: [] };
    rows.forEach(({ start, rest }, i) => {
      const after = scored[i].slice(Math.max(0, rest - start));
      const word = scored[i].slice(0, Math.max(0, rest - start));
      found.rest.push(sum(after));
      found.least_expected.push(Math.min(0, ...after));
      found.first_word.push(Math.min(0, ...word));
    });
    return {
      rest: mean(found.rest),
      least_expected: mean(found.least_expected),
      first_word: mean(found.first_word),
      ending: mean(this._endings(tree, rows.map((row) => row.ids))),
    };
  }

  /** log P that a name ends: no letter follows, nor a space and a capital. Texts end in a space. */
  _endings(tree, texts) {
    const { letters, capitals } = this.data.familiarity;
    const [space] = this.vocabulary.encode(' ');
    const ends = texts.map((ids) => tree.place(ids));
    tree.expect([...ends, ...ends.map((node) => tree.parents[node])]);
    return ends.map((node) => {
      const named = tree.distribution(tree.parents[node]);
      const spaced = tree.distribution(node);
      let goesOn = sum(letters.map((i) => Math.exp(named[i])));
      goesOn += Math.exp(named[space]) * sum(capitals.map((i) => Math.exp(spaced[i])));
      return Math.log(Math.max(1 - goesOn, LEAST_ENDING));
    });
  }

  /** How likely the answer is for strangers with such a name, in log-odds; as find_usual of answering/source.py. */
  usual(tree, question, answer, decoys) {
    const { prefix, suffix } = question.form;
    const said = [...this.vocabulary.encode(answer), MASK];
    const prompts = decoys.map((name) => [...this.vocabulary.encode(prefix + name + suffix), MASK]);
    const scored = tree.score(
      prompts.map((prompt) => this.cut([...prompt, ...said])),
      prompts.map((prompt) => prompt.length),
    );
    const [first] = question.subject.split(' ');
    const sides = [[], []];
    scored.forEach((each, i) => sides[Number(decoys[i].split(' ')[0] === first)].push(Math.exp(sum(each))));
    const most = Math.max(0, ...sides.filter((side) => side.length).map(median));
    const p = Math.min(Math.max(most, LEAST_USUAL), 1 - LEAST_USUAL);
    return Math.log(p / (1 - p));
  }
}

function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

/** Both on a log scale: one nat matters where there is one, not where there are ten. */
function scaleStatement(likelihood, entropy) {
  return {
    statement_likelihood: -Math.log(NAT - likelihood),
    statement_entropy: Math.log(NAT + entropy),
  };
}

/** The entropy, in nats, of a row of log-probabilities. */
function entropyOf(row) {
  let total = 0;
  for (const log of row) if (log > -Infinity) total -= Math.exp(log) * log;
  return total;
}

const AGAINST = {
  log_probability: 'the model itself is less sure than usual',
  margin: 'the next best answer is closer than usual',
  statement_likelihood: "the text's own wordings expect it less than usual",
  statement_entropy: 'it wavers more than usual there',
  familiarity: 'the name is less familiar than usual',
  least_familiar: 'a letter of the name is less expected than usual',
};
const SLIGHT = 0.1; // of a nat: what lowers the confidence less is no reason

/** Reasons against an answer, the weightiest first. @param {Record<string, number>} pulls */
export function describeDoubts(pulls) {
  const lowered = Object.entries(pulls).filter(([name, pull]) => pull < -SLIGHT && name in AGAINST);
  return lowered.sort((a, b) => a[1] - b[1]).map(([name]) => AGAINST[name]);
}

// What a feature says in words: those of the first limit that it is above.
const IN_WORDS = {
  margin: [
    [3, 'no other answer comes near'],
    [1, 'the next best answer is well behind'],
    [-Infinity, 'the next best answer is close'],
  ],
  statement_likelihood: [
    [-1, "the text's own wordings agree"],
    [-5, "the text's own wordings half agree"],
    [-Infinity, "the text's own wordings do not expect it"],
  ],
  familiarity: [
    [-2, 'the name is familiar'],
    [-5, 'the name is not very familiar'],
    [-Infinity, 'the name is not familiar'],
  ],
  usual: [
    [0, 'names that look alike get the same answer'],
    [-2, 'names that look alike get this answer less'],
    [-Infinity, 'names that look alike do not get this answer'],
  ],
};

/** The features that tell most, in words, for somebody who wants to know why. */
export function describeFeatures(features) {
  const nats = NAT - Math.exp(-features.statement_likelihood);
  const values = { ...features, statement_likelihood: nats };
  const known = Object.entries(IN_WORDS).filter(([name]) => values[name] !== undefined);
  return known.map(([name, levels]) => levels.find(([least]) => values[name] > least)[1]);
}
