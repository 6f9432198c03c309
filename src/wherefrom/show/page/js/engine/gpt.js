/**
 * The character GPT, in every form that the package trains: causal, rotary, synthesizer, perceiver.
 *
 * It reads nodes of a `Tree`, many at a time, and keeps keys and values with each node. C is the width,
 * H the heads, D the width of a head.
 */

import { Linear, Norm, gelu, logSoftmax, roundUp, squareReLU } from './arithmetic.js';
import { Tree } from './tree.js';

const BATCH = 128; // characters read at once: what they need stays in a processor's cache
const HEAD_EPSILON = 1e-6;

// How the hashes of n-grams are made; as models/ngrams.py has them.
const MULTIPLIER = 101;
const STEP = 7919;
const OFFSET = 31;

/** A linear layer from a model's tensors, by torch's names. */
function linearOf(tensors, name) {
  const weight = tensors[`${name}.weight`];
  return new Linear(weight.values, weight.shape[1], tensors[`${name}.bias`]?.values ?? null);
}

function normOf(config, tensors, name) {
  const bias = tensors[`${name}.bias`]?.values ?? null;
  return new Norm(config.norm, tensors[`${name}.weight`].values, bias);
}

/** A mixer's projections and what it does with them. */
class Mixer {
  constructor(config, tensors, name, kind, rates) {
    this.kind = kind;
    this.heads = config.n_head;
    this.width = config.n_embd / config.n_head;
    this.normalised = config.qk_norm && kind !== 'synthesizer';
    this.rates = kind === 'rope' ? rates : null;
    this.value = linearOf(tensors, `${name}.value`);
    this.out = linearOf(tensors, `${name}.proj`);
    if (kind === 'synthesizer') {
      this.hidden = linearOf(tensors, `${name}.w1`);
      const { shape, values } = tensors[`${name}.w2`];
      this.columns = transpose(values, shape[0], shape[1]);
      this.offsets = tensors[`${name}.b2`].values;
    } else {
      this.query = linearOf(tensors, `${name}.query`);
      this.key = linearOf(tensors, `${name}.key`);
    }
  }

  /** Norm and rotation of queries or keys, in place; `depths` are the rows' places in their texts. */
  turn(x, stride, depths) {
    const { heads, width, rates } = this;
    const half = width / 2;
    for (let row = 0; row < depths.length; row++) {
      for (let head = 0; head < heads; head++) {
        const from = row * stride + head * width;
        if (this.normalised) {
          let square = 0;
          for (let d = 0; d < width; d++) square += x[from + d] ** 2;
          const scale = 1 / Math.sqrt(square / width + HEAD_EPSILON);
          for (let d = 0; d < width; d++) x[from + d] *= scale;
        }
        if (!rates) continue;
        for (let d = 0; d < half; d++) {
          const angle = Math.fround(depths[row] * rates[d]);
          const cos = Math.cos(angle);
          const sin = Math.sin(angle);
          const a = x[from + d];
          const b = x[from + d + half];
          x[from + d] = a * cos - b * sin;
          x[from + d + half] = b * cos + a * sin;
        }
      }
    }
  }

  /**
   * One row's weighted values. `q` at `qFrom` is its query (a synthesizer's hidden state); it looks
   * at the first `count` nodes of `path`, whose keys and values stand C apart.
   * @param {Float32Array | null} kept where to put the weights, (H, count)
   */
  mix(q, qFrom, keys, values, path, count, out, outFrom, scratch, kept) {
    const { heads, width, kind } = this;
    const total = heads * width;
    if (kind === 'synthesizer') {
      for (let s = 0; s < count; s++) {
        for (let head = 0; head < heads; head++) {
          let sum = this.offsets[s];
          for (let d = 0, at = qFrom + head * width, w = s * width; d < width; d++) {
            sum += q[at + d] * this.columns[w + d];
          }
          scratch[head * count + s] = sum;
        }
      }
    } else {
      const scale = 1 / Math.sqrt(width);
      for (let s = 0; s < count; s++) {
        const key = path[s] * total;
        for (let head = 0; head < heads; head++) {
          let sum = 0;
          const at = head * width;
          for (let d = 0; d < width; d++) sum += q[qFrom + at + d] * keys[key + at + d];
          scratch[head * count + s] = sum * scale;
        }
      }
    }
    for (let head = 0; head < heads; head++) softmax(scratch, head * count, count);
    if (kept) kept.set(scratch.subarray(0, heads * count));
    for (let i = 0; i < total; i++) out[outFrom + i] = 0;
    for (let s = 0; s < count; s++) {
      const value = path[s] * total;
      for (let head = 0; head < heads; head++) {
        const share = scratch[head * count + s];
        const at = head * width;
        for (let d = 0; d < width; d++) out[outFrom + at + d] += share * values[value + at + d];
      }
    }
  }
}

function softmax(x, from, count) {
  let most = -Infinity;
  for (let i = from; i < from + count; i++) if (x[i] > most) most = x[i];
  let sum = 0;
  for (let i = from; i < from + count; i++) {
    x[i] = Math.exp(x[i] - most);
    sum += x[i];
  }
  for (let i = from; i < from + count; i++) x[i] /= sum;
}

function transpose(values, rows, columns) {
  const found = new Float32Array(values.length);
  for (let r = 0; r < rows; r++) {
    for (let c = 0; c < columns; c++) found[c * rows + r] = values[r * columns + c];
  }
  return found;
}

/** A mixer and an MLP, each behind a norm. */
class Block {
  constructor(config, tensors, name, kind, rates) {
    this.ln1 = normOf(config, tensors, `${name}.ln1`);
    this.ln2 = normOf(config, tensors, `${name}.ln2`);
    this.mixer = new Mixer(config, tensors, `${name}.attn`, kind, rates);
    this.first = linearOf(tensors, `${name}.mlp.0`);
    this.second = linearOf(tensors, `${name}.mlp.2`);
    this.activate = config.activation === 'gelu' ? gelu : squareReLU;
  }
}

export class Gpt {
  /** @param {any} manifest config, rates of rotation @param {Record<string, any>} tensors */
  constructor(manifest, tensors) {
    const config = manifest.config;
    this.config = config;
    this.vocabularySize = config.vocab_size;
    this.maxInput = manifest.max_input;
    this.batch = BATCH;
    this.width = config.n_embd;
    this.stride = roundUp(config.n_embd);
    this.characters = tensors['tok_emb.weight'].values;
    this.positions = tensors.pos_emb?.values ?? null;
    this.ngrams = tensors['ngram_emb.table.weight']?.values ?? null;
    const perceiver = config.attention === 'perceiver';
    const rates = manifest.rates ? Float32Array.from(manifest.rates) : null;
    const inner = perceiver ? 'causal' : config.attention;
    const count = perceiver ? config.n_layer - 2 : config.n_layer;
    this.blocks = [];
    for (let i = 0; i < count; i++) {
      this.blocks.push(new Block(config, tensors, `blocks.${i}`, inner, rates));
    }
    if (perceiver) {
      this.down = new Block(config, tensors, 'down_block', 'causal', null);
      this.up = new Block(config, tensors, 'up_block', 'causal', null);
      this.latents = tensors['down_block.C'];
    }
    this.last = normOf(config, tensors, 'ln_f');
    this.head = linearOf(tensors, 'head');
    this.fields = { features: this.width };
    for (let i = 0; i < config.n_layer; i++) {
      this.fields[`keys${i}`] = config.attention === 'synthesizer' ? 0 : this.width;
      this.fields[`values${i}`] = this.width;
    }
    this.probe = null; // a trace that is being made
    this.scratch = new Map();
  }

  tree() {
    return new Tree(this);
  }

  /** A scratch array that is used again; what it holds is rubbish. */
  _room(name, size) {
    let array = this.scratch.get(name);
    if (!array || array.length < size) {
      array = new Float32Array(size);
      this.scratch.set(name, array);
    }
    return array;
  }

  /** Compute the features of nodes, in ascending order; all above them are known. */
  read(tree, nodes) {
    const rows = nodes.length;
    const paths = Array.from(nodes, (node) => tree.path(node));
    const depths = Int32Array.from(paths, (path) => path.length - 1);
    const x = this._room('x', roundUp(rows) * this.stride);
    this._embed(tree, paths, x);
    this._keep(x, rows);
    if (this.down) this._perceive(tree, nodes, paths, depths, x);
    else this._stack(tree, nodes, paths, depths, x, 0);
    const { width, stride } = this;
    this.last.apply(x, stride, rows, x);
    const features = tree.store.arrays.features;
    for (let row = 0; row < rows; row++) {
      features.set(x.subarray(row * stride, row * stride + width), nodes[row] * width);
    }
  }

  /** Compute the log-probabilities of what follows nodes whose features are known. */
  expect(tree, nodes) {
    const { width, stride, head } = this;
    const features = tree.store.arrays.features;
    const x = this._room('x', roundUp(nodes.length) * stride);
    nodes.forEach((node, row) => {
      x.set(features.subarray(node * width, (node + 1) * width), row * stride);
    });
    const logits = this._room('logits', roundUp(nodes.length) * head.stride);
    head.apply(x, stride, nodes.length, logits);
    const { distribution } = tree.store.arrays;
    nodes.forEach((node, row) => {
      const size = this.vocabularySize;
      logSoftmax(logits, row * head.stride, size, distribution, node * size);
    });
  }

  _embed(tree, paths, x) {
    const { width, stride } = this;
    paths.forEach((path, row) => {
      const last = path.length - 1;
      const to = row * stride;
      const token = tree.tokens[path[last]] * width;
      for (let i = 0; i < width; i++) x[to + i] = this.characters[token + i];
      if (this.positions) {
        for (let i = 0; i < width; i++) x[to + i] += this.positions[last * width + i];
      }
      if (this.ngrams) this._addNgrams(tree, path, x, to);
    });
  }

  /** The embeddings of the n-grams that end with the last character; before a text stands pad. */
  _addNgrams(tree, path, x, to) {
    const { width } = this;
    const buckets = this.config.ngram_buckets;
    const last = path.length - 1;
    // The remainder may be taken early, since it is a remainder of sums and products.
    let code = tree.tokens[path[last]] % buckets;
    for (let back = 1; back < this.config.ngrams; back++) {
      const earlier = last >= back ? tree.tokens[path[last - back]] : 0;
      code = (code * MULTIPLIER + earlier * (STEP * back + OFFSET)) % buckets;
      const from = (code + buckets * (back - 1)) * width;
      for (let i = 0; i < width; i++) x[to + i] += this.ngrams[from + i];
    }
  }

  /** Blocks, one after the other, over nodes; `first` is the number of the first one's keys. */
  _stack(tree, nodes, paths, depths, x, first) {
    this.blocks.forEach((block, i) => {
      const { mixer } = block;
      const rows = nodes.length;
      const size = roundUp(rows) * this.stride;
      const normed = this._room('normed', size);
      block.ln1.apply(x, this.stride, rows, normed);
      const asking = this._room('asking', size);
      const layer = first + i;
      if (mixer.kind === 'synthesizer') {
        mixer.hidden.apply(normed, this.stride, rows, asking);
        for (let at = 0; at < rows * this.stride; at++) if (asking[at] < 0) asking[at] = 0;
      } else {
        mixer.query.apply(normed, this.stride, rows, asking);
        mixer.turn(asking, this.stride, depths);
      }
      this._remember(tree, nodes, depths, mixer, normed, layer);
      const counts = depths.map((depth) => depth + 1);
      this._attend(tree, mixer, layer, asking, paths, counts, x, true);
      this._feed(block, x, rows);
      this._keep(x, rows);
    });
  }

  /** Keep the keys and values of nodes, computed from x. */
  _remember(tree, nodes, depths, mixer, x, layer) {
    const { width, stride } = this;
    const rows = nodes.length;
    const room = this._room('kept', roundUp(rows) * stride);
    const store = (name) => {
      const array = tree.store.arrays[name];
      nodes.forEach((node, row) => {
        array.set(room.subarray(row * stride, row * stride + width), node * width);
      });
    };
    if (mixer.key) {
      mixer.key.apply(x, stride, rows, room);
      mixer.turn(room, stride, depths);
      store(`keys${layer}`);
    }
    mixer.value.apply(x, stride, rows, room);
    store(`values${layer}`);
  }

  /** What rows take from the first `counts` nodes of their paths, added to x or written to it. */
  _attend(tree, mixer, layer, asking, paths, counts, x, added) {
    const { width, stride } = this;
    const rows = paths.length;
    const mixed = this._room('mixed', roundUp(rows) * stride);
    const scratch = this._room('scratch', mixer.heads * this.config.block_size);
    const keys = tree.store.arrays[`keys${layer}`];
    const values = tree.store.arrays[`values${layer}`];
    for (let row = 0; row < rows; row++) {
      const kept = this.probe ? new Float32Array(mixer.heads * counts[row]) : null;
      const at = row * stride;
      mixer.mix(asking, at, keys, values, paths[row], counts[row], mixed, at, scratch, kept);
      if (kept) this.probe.weights.push({ layer, row: paths[row].length - 1, kept });
    }
    const out = this._room('out', roundUp(rows) * stride);
    mixer.out.apply(mixed, stride, rows, out);
    for (let row = 0; row < rows; row++) {
      for (let i = 0, at = row * stride; i < width; i++, at++) {
        x[at] = added ? x[at] + out[at] : out[at];
      }
    }
  }

  /** x + MLP(norm(x)), in place. */
  _feed(block, x, rows) {
    const { width, stride } = this;
    const size = roundUp(rows);
    const normed = this._room('normed', size * stride);
    block.ln2.apply(x, stride, rows, normed);
    const hidden = this._room('hidden', size * block.first.stride);
    block.first.apply(normed, stride, rows, hidden);
    block.activate(hidden, rows * block.first.stride);
    const out = this._room('out', size * stride);
    block.second.apply(hidden, block.first.stride, rows, out);
    for (let row = 0; row < rows; row++) {
      for (let i = 0, at = row * stride; i < width; i++, at++) x[at] += out[at];
    }
  }

  /**
   * Down to the latents, blocks over them, and up again. Latent i belongs to the i-th character's
   * node: it has seen the text up to there. Characters after the last latent have none.
   */
  _perceive(tree, nodes, paths, depths, x) {
    const { width, stride, down, up } = this;
    const most = this.config.bottleneck_dim;
    const lastLayer = this.config.n_layer - 1;
    this._remember(tree, nodes, depths, down.mixer, x, 0);
    const early = Array.from(nodes.keys()).filter((row) => depths[row] < most);
    if (early.length) {
      const rows = early.length;
      const size = roundUp(rows) * stride;
      const latents = new Float32Array(size);
      early.forEach((row, i) => {
        const from = depths[row] * width;
        latents.set(this.latents.values.subarray(from, from + width), i * stride);
      });
      const own = early.map((row) => paths[row]);
      const places = Int32Array.from(early, (row) => depths[row]);
      const ids = Int32Array.from(early, (row) => nodes[row]);
      const counts = places.map((depth) => depth + 1);
      const asking = this._room('asking', size);
      down.ln1.apply(latents, stride, rows, latents);
      down.mixer.query.apply(latents, stride, rows, asking);
      down.mixer.turn(asking, stride, places);
      this._attend(tree, down.mixer, 0, asking, own, counts, latents, false);
      this._feed(down, latents, rows);
      const probe = this.probe;
      if (probe) this.probe = { ...probe, residuals: [] }; // latents are not the text's characters
      this._stack(tree, ids, own, places, latents, 1);
      this.probe = probe;
      up.ln1.apply(latents, stride, rows, latents);
      this._remember(tree, ids, places, up.mixer, latents, lastLayer);
    }
    const rows = nodes.length;
    const asking = this._room('asking', roundUp(rows) * stride);
    up.mixer.query.apply(x, stride, rows, asking);
    up.mixer.turn(asking, stride, depths);
    const counts = depths.map((depth) => Math.min(depth + 1, most));
    this._attend(tree, up.mixer, lastLayer, asking, paths, counts, x, false);
    this._feed(up, x, rows);
    this._keep(x, rows);
  }

  _keep(x, rows) {
    if (this.probe) this.probe.residuals.push(x.slice(0, rows * this.stride));
  }

  /**
   * What goes on inside while a text is read.
   * @param {ArrayLike<number>} tokens
   * @returns attention: for each layer and head (T, T), row by row, where each character looks; lens:
   * for each layer (T, V) log-probabilities, as if the model ended there
   */
  trace(tokens) {
    const tree = this.tree();
    const path = tree.path(tree.place(tokens));
    const length = path.length;
    const { heads } = (this.blocks[0] ?? this.down).mixer;
    const attention = Array.from({ length: this.config.n_layer }, () =>
      Array.from({ length: heads }, () => new Float32Array(length * length)),
    );
    const batch = this.batch;
    this.batch = length; // one batch, so that residuals are those of the whole text
    this.probe = { weights: [], residuals: [] };
    try {
      tree.read(path);
      for (const { layer, row, kept } of this.probe.weights) {
        const count = kept.length / heads;
        for (let head = 0; head < heads; head++) {
          const part = kept.subarray(head * count, (head + 1) * count);
          attention[layer][head].set(part, row * length);
        }
      }
      const lens = this.probe.residuals.map((x) => this._lens(x, length));
      return { attention, lens };
    } finally {
      this.batch = batch;
      this.probe = null;
    }
  }

  _lens(x, length) {
    const size = roundUp(length);
    const normed = new Float32Array(size * this.stride);
    this.last.apply(x, this.stride, length, normed);
    const logits = new Float32Array(size * this.head.stride);
    this.head.apply(normed, this.stride, length, logits);
    const found = new Float32Array(length * this.vocabularySize);
    for (let t = 0; t < length; t++) {
      const to = t * this.vocabularySize;
      logSoftmax(logits, t * this.head.stride, this.vocabularySize, found, to);
    }
    return found;
  }
}
