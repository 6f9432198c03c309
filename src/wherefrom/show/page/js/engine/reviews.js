/**
 * The deep averaging network: the mean of a review's word vectors, hidden layers, two logits.
 *
 * Words are those of core/bags.py. A word's effect is what the answer's odds lose without it.
 */

import { Linear, normalCdf, sigmoid } from './arithmetic.js';
import { Refusal, quote } from './text.js';

const LABELS = ['negative', 'positive'];
const SHOWN_WORDS = 5;
const WORD = /n't|[\p{L}\p{N}_]+|(?<=[\p{L}\p{N}_])'(?:s|m|re|ve|ll|d)(?![\p{L}\p{N}_])|[!?]/gu;

const ACTIVATIONS = {
  relu: (x) => Math.max(x, 0),
  tanh: Math.tanh,
  sigmoid,
  gelu: (x) => x * normalCdf(x),
};

/** The words of a review, in lower case: did n't, film 's; ! and ? are words too. */
export function splitReview(text) {
  const spelt = text.toLowerCase().replaceAll('<br />', ' ').replaceAll('_', ' ')
    .replaceAll('’', "'").replaceAll("n't", " n't");
  return spelt.match(WORD) ?? [];
}

export class AveragingNetwork {
  /** @param {any} manifest @param {Record<string, any>} tensors */
  constructor(manifest, tensors) {
    const linear = (name) => {
      const weight = tensors[`${name}.weight`];
      return new Linear(weight.values, weight.shape[1], tensors[`${name}.bias`].values);
    };
    this.config = manifest.config;
    this.embedding = tensors.embedding;
    this.activate = ACTIVATIONS[manifest.config.activation];
    this.layers = Array.from({ length: manifest.config.depth }, (_, i) => linear(`layers.${i}`));
    this.head = linear('head');
  }

  /** The sum of words' vectors, in double precision. @param {number[]} ids */
  sum(ids) {
    const width = this.embedding.shape[1];
    const total = new Float64Array(width);
    for (const id of ids) {
      for (let i = 0; i < width; i++) total[i] += this.embedding.values[id * width + i];
    }
    return total;
  }

  vector(id) {
    const width = this.embedding.shape[1];
    return this.embedding.values.subarray(id * width, (id + 1) * width);
  }

  /** The logits of a text whose `count` words have this sum of vectors. */
  logits(total, count) {
    let x = new Float32Array(4 * total.length); // room for a multiple of 4 rows
    x.set(total.map((value) => (count ? value / count : 0)));
    for (const layer of [...this.layers, this.head]) {
      const y = new Float32Array(4 * layer.stride);
      layer.apply(x, layer.inputs, 1, y);
      x = layer === this.head ? y : y.map((value) => this.activate(value));
    }
    return x.slice(0, this.head.outputs);
  }
}

export class Reviewing {
  /** @param {any} data @param {Record<string, any>} models by their names */
  constructor(data, models) {
    this.data = data;
    this.models = models;
    this.primary = data.models[0].name;
    this.index = new Map(data.vocabulary.map((word, i) => [word, i]));
  }

  /**
   * What a review is, and each word's part in it.
   * @param {{text: string, model?: string}} asked
   */
  review({ text, model: name = this.primary }) {
    const model = this.models[name];
    const words = splitReview(text);
    const ids = words.map((word) => (word ? this.index.get(word) : undefined));
    const known = ids.filter((id) => id !== undefined);
    if (!known.length) throw new Refusal(nothingKnown(words));
    const total = model.sum(known);
    const odds = (logits) => logits[1] - logits[0];
    const whole = odds(model.logits(total, known.length));
    const probability = sigmoid(whole);
    const effects = new Map();
    for (const id of new Set(known)) {
      const vector = model.vector(id);
      const without = odds(model.logits(total.map((value, i) => value - vector[i]), known.length - 1));
      effects.set(id, whole - without);
    }
    const positive = probability > 0.5;
    return {
      model: name,
      label: LABELS[Number(positive)],
      probability: positive ? probability : 1 - probability,
      positive: probability,
      words: words.map((word, i) => ({
        word,
        known: ids[i] !== undefined,
        effect: ids[i] === undefined ? 0 : effects.get(ids[i]),
      })),
    };
  }
}

function nothingKnown(words) {
  if (!words.length) return 'review: expected words, found an empty text; give some';
  const shown = words.slice(0, SHOWN_WORDS).map(quote).join(', ');
  const more = words.length > SHOWN_WORDS ? ', ...' : '';
  return (
    `review: expected a word that the training reviews have, found only ${shown}${more}; ` +
    `the model has never seen ${words.length === 1 ? 'it' : 'them'}`
  );
}
