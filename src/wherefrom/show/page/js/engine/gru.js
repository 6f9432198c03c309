/**
 * The character GRU; its equations are in models/gru.py. It keeps the state of every layer with each node
 * of a `Tree`, and reads nodes of one depth together.
 */

import { Linear, logSoftmax, roundUp, sigmoid } from './arithmetic.js';
import { Tree } from './tree.js';

const WINDOW = 512; // characters of a text that are read at once, as generation/text_scorer.py has it

export class Gru {
  /** @param {any} manifest @param {Record<string, any>} tensors */
  constructor(manifest, tensors) {
    const { config } = manifest;
    this.config = config;
    this.vocabularySize = config.vocab_size;
    this.maxInput = WINDOW;
    this.endless = true; // a state has no end: a text can go on and on
    this.batch = WINDOW;
    this.width = config.n_hidden;
    this.embedding = tensors['embedding.weight'];
    const linear = (name, bias) => {
      const weight = tensors[name];
      return new Linear(weight.values, weight.shape[1], tensors[bias].values);
    };
    this.layers = [];
    for (let i = 0; i < config.n_layer; i++) {
      this.layers.push({
        input: linear(`layers.${i}.weight_ih_l0`, `layers.${i}.bias_ih_l0`),
        state: linear(`layers.${i}.weight_hh_l0`, `layers.${i}.bias_hh_l0`),
      });
    }
    this.head = linear('head.weight', 'head.bias');
    this.fields = Object.fromEntries(this.layers.map((_, i) => [`state${i}`, this.width]));
  }

  tree() {
    return new Tree(this);
  }

  /** Compute the states of nodes, in ascending order; all above them are known. */
  read(tree, nodes) {
    const levels = new Map();
    for (const node of nodes) {
      const depth = tree.depths[node];
      if (!levels.has(depth)) levels.set(depth, []);
      levels.get(depth).push(node);
    }
    for (const depth of [...levels.keys()].sort((a, b) => a - b)) this._step(tree, levels.get(depth));
  }

  /** One character more of each row. */
  _step(tree, nodes) {
    const rows = nodes.length;
    const { width } = this;
    let inputs = this.embedding.shape[1];
    let x = new Float32Array(roundUp(rows) * inputs);
    nodes.forEach((node, row) => {
      const from = tree.tokens[node] * inputs;
      x.set(this.embedding.values.subarray(from, from + inputs), row * inputs);
    });
    this.layers.forEach(({ input, state }, layer) => {
      const states = tree.store.arrays[`state${layer}`];
      const before = new Float32Array(roundUp(rows) * width);
      nodes.forEach((node, row) => {
        const parent = tree.parents[node];
        if (parent >= 0) before.set(states.subarray(parent * width, (parent + 1) * width), row * width);
      });
      const outside = new Float32Array(roundUp(rows) * input.stride);
      const inside = new Float32Array(roundUp(rows) * state.stride);
      input.apply(x, inputs, rows, outside);
      state.apply(before, width, rows, inside);
      const after = new Float32Array(roundUp(rows) * width);
      for (let row = 0; row < rows; row++) {
        for (let i = 0; i < width; i++) {
          const at = row * input.stride + i;
          const reset = sigmoid(outside[at] + inside[at]);
          const stay = sigmoid(outside[at + width] + inside[at + width]);
          const fresh = Math.tanh(outside[at + 2 * width] + reset * inside[at + 2 * width]);
          after[row * width + i] = (1 - stay) * fresh + stay * before[row * width + i];
        }
      }
      nodes.forEach((node, row) => {
        states.set(after.subarray(row * width, (row + 1) * width), node * width);
      });
      x = after;
      inputs = width;
    });
  }

  /** Compute the log-probabilities of what follows nodes whose states are known. */
  expect(tree, nodes) {
    const { width, head, vocabularySize: size } = this;
    const states = tree.store.arrays[`state${this.layers.length - 1}`];
    const x = new Float32Array(roundUp(nodes.length) * width);
    nodes.forEach((node, row) => {
      x.set(states.subarray(node * width, (node + 1) * width), row * width);
    });
    const logits = new Float32Array(roundUp(nodes.length) * head.stride);
    head.apply(x, width, nodes.length, logits);
    const { distribution } = tree.store.arrays;
    nodes.forEach((node, row) => {
      logSoftmax(logits, row * head.stride, size, distribution, node * size);
    });
  }
}
