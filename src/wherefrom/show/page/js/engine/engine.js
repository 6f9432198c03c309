/**
 * The engine: a run's models, opened, and everything that can be asked of them.
 *
 * It has no page: a worker, a test in node or any other program drives it. Long methods are generators
 * that pause now and then, so that a worker can hear that nobody waits for them any more.
 */

import { Asking } from './asking.js';
import { decodeBase64, unpackTensors } from './bytes.js';
import { Gpt } from './gpt.js';
import { Gru } from './gru.js';
import { Reading } from './reading.js';
import { AveragingNetwork, Reviewing } from './reviews.js';
import { Refusal } from './text.js';
import { Bigram, WordReading } from './words.js';

const FAMILIES = { gpt: Gpt, gru: Gru, bigram: Bigram, dan: AveragingNetwork };
const KINDS = { answers: Asking, characters: Reading, words: WordReading, reviews: Reviewing };

/** A model from its manifest and its weights as base64 text. */
export function openModel(manifest, weights) {
  const family = FAMILIES[manifest.config.kind];
  if (!family) {
    const known = Object.keys(FAMILIES).join(', ');
    throw new Refusal(`model: expected a kind that is known (${known}), found ${manifest.config.kind}`);
  }
  const model = new family(manifest, unpackTensors(manifest.tensors, decodeBase64(weights)));
  return Object.assign(model, { parameters: manifest.parameters });
}

/** What a run's data and weights are: its kind decides what can be asked. */
export class Engine {
  /** @param {any} data @param {Record<string, string>} weights base64 text by the models' names */
  constructor(data, weights) {
    const kind = KINDS[data.kind];
    if (!kind) throw new Refusal(`page: expected a kind of run that is known, found '${data.kind}'`);
    const models = {};
    for (const { name, manifest } of data.models) models[name] = openModel(manifest, weights[name]);
    this.methods = METHODS[data.kind];
    this.models = models;
    this.run = new kind(data, models);
  }

  /** Do what a message asks; `say` hears of progress. May be a generator, whose last value counts. */
  call(method, args, say) {
    if (!this.methods.includes(method)) {
      throw new Refusal(`'${method}': expected one of ${this.methods.join(', ')}`);
    }
    if (args.model !== undefined && !Object.hasOwn(this.models, args.model)) {
      const known = Object.keys(this.models).join(', ');
      throw new Refusal(`model '${args.model}': expected one of ${known}, found another name`);
    }
    return this.run[method](args, say);
  }
}

const METHODS = {
  answers: ['ask', 'look'],
  characters: ['next'],
  words: ['next'],
  reviews: ['review'],
};

/** Run a method to its end at once: for tests, and where nobody can interrupt. */
export function finish(result) {
  if (typeof result?.next !== 'function') return result;
  let step = result.next();
  while (!step.done) step = result.next();
  return step.value;
}
