/**
 * Texts that begin alike, read once: a tree whose every node is a character after those above it.
 *
 * What a model makes of a character depends only on the characters before it. So a question and its
 * answer, the beams of a search, and the same question about other names share the work on what they
 * have in common, and nothing is ever copied.
 */

/** Arrays that grow: `fields` maps a name to how many floats each node has there. */
class Store {
  constructor(fields) {
    this.fields = fields;
    this.capacity = 0;
    this.arrays = {};
    this.reserve(64);
  }

  reserve(count) {
    if (count <= this.capacity) return;
    this.capacity = Math.max(count, 2 * this.capacity);
    for (const [name, width] of Object.entries(this.fields)) {
      const grown = new Float32Array(width * this.capacity);
      if (this.arrays[name]) grown.set(this.arrays[name]);
      this.arrays[name] = grown;
    }
  }
}

export class Tree {
  /** @param {any} model it says which `fields` it keeps of a node, and computes them in `read` */
  constructor(model) {
    this.model = model;
    this.tokens = [];
    this.parents = [];
    this.depths = [];
    this.children = new Map();
    this.done = []; // what is known of a node: 0 nothing, 1 its features, 2 its distribution
    this.store = new Store({ ...model.fields, distribution: model.vocabularySize });
  }

  get size() {
    return this.tokens.length;
  }

  /** The node of a character after another node's text; -1 stands for the beginning. */
  extend(parent, token) {
    const key = (parent + 1) * this.model.vocabularySize + token;
    let node = this.children.get(key);
    if (node === undefined) {
      node = this.tokens.length;
      this.children.set(key, node);
      this.tokens.push(token);
      this.parents.push(parent);
      this.depths.push(parent < 0 ? 0 : this.depths[parent] + 1);
      this.done.push(0);
    }
    return node;
  }

  /** The node of a text's last character. @param {ArrayLike<number>} tokens */
  place(tokens, parent = -1) {
    let node = parent;
    for (let i = 0; i < tokens.length; i++) node = this.extend(node, tokens[i]);
    return node;
  }

  /** All nodes from the text's first character to this one. */
  path(node) {
    const found = new Int32Array(this.depths[node] + 1);
    for (let at = node; at >= 0; at = this.parents[at]) found[this.depths[at]] = at;
    return found;
  }

  /** Compute the features of these nodes and of all above them. @param {Iterable<number>} nodes */
  read(nodes) {
    const wanted = new Set();
    for (const node of nodes) {
      for (let at = node; at >= 0 && !this.done[at] && !wanted.has(at); at = this.parents[at]) {
        wanted.add(at);
      }
    }
    if (!wanted.size) return;
    this.store.reserve(this.size);
    // A node's number is higher than those above it, so a batch never needs a later batch.
    const order = Int32Array.from(wanted).sort();
    for (let from = 0; from < order.length; from += this.model.batch) {
      const some = order.subarray(from, from + this.model.batch);
      this.model.read(this, some);
      for (const node of some) this.done[node] = 1;
    }
  }

  /** Compute log-probabilities of what follows these nodes. @param {Iterable<number>} nodes */
  expect(nodes) {
    const wanted = [...new Set(nodes)].filter((node) => this.done[node] < 2);
    this.read(wanted);
    for (let from = 0; from < wanted.length; from += this.model.batch) {
      const some = wanted.slice(from, from + this.model.batch);
      this.model.expect(this, some);
      for (const node of some) this.done[node] = 2;
    }
  }

  /** The log-probabilities after a node, which `expect` has computed: a view of the row. */
  distribution(node) {
    const width = this.model.vocabularySize;
    return this.store.arrays.distribution.subarray(node * width, (node + 1) * width);
  }

  /**
   * Log-probability of each character of texts from `starts` on, given all before.
   * @param {ArrayLike<number>[]} texts @param {number[]} starts at least 1 each
   * @returns {number[][]}
   */
  score(texts, starts) {
    const paths = texts.map((text) => {
      const read = Array.prototype.slice.call(text, 0, text.length - 1);
      return read.length ? this.path(this.place(read)) : new Int32Array(0);
    });
    const before = paths.flatMap((path, i) => [...path.subarray(Math.max(starts[i], 1) - 1)]);
    this.expect(before);
    return texts.map((text, i) => {
      const found = [];
      for (let at = Math.max(starts[i], 1); at < text.length; at++) {
        found.push(this.distribution(paths[i][at - 1])[text[at]]);
      }
      return found;
    });
  }
}
