/**
 * Character models that read a text: what each character costs, and what may come next.
 *
 * As evaluation/text/readings.py and generation/text_scorer.py read texts: the first character follows a line
 * end, a text longer than the model reads is read in windows that share half of each other.
 */

import { Vocabulary } from './vocabulary.js';

const OVERLAP = 0.5;
const FULL = 6000; // nodes after which a tree is begun anew, so that typing on does not fill the memory
// What Unicode does not take apart by itself, and how it is usually typed: as core/characters.py has it.
/** @type {Map<string, string>} */
const TYPED = new Map(/** @type {[string, string][]} */ ([
  ...[...'‘’‚‛′ʼ'].map((c) => [c, "'"]),
  ...[...'“”„‟″«»'].map((c) => [c, '"']),
  ...[...'‐‑‒–−'].map((c) => [c, '-']),
  ['—', '--'], ['―', '--'], ['•', '*'], ['·', '*'], ['×', 'x'], ['⁄', '/'], ['ß', 'ss'], ['æ', 'ae'],
  ['Æ', 'AE'], ['œ', 'oe'], ['Œ', 'OE'], ['ø', 'o'], ['Ø', 'O'], ['ł', 'l'], ['Ł', 'L'], ['đ', 'd'],
  ['Đ', 'D'], ['ð', 'd'], ['Ð', 'D'], ['þ', 'th'], ['Þ', 'Th'], ['ı', 'i'],
]));

function type(text) {
  return [...text].map((c) => TYPED.get(c) ?? c).join('');
}

/** Characters as the printable ones that look like them; what looks like none is left out. */
function toPrintable(character) {
  return [...type(type(character).normalize('NFKD'))].filter((c) => /^[\t-\r -~]$/.test(c)).join('');
}

export class Reading {
  /** @param {any} data @param {Record<string, any>} models by their names */
  constructor(data, models) {
    this.data = data;
    this.models = models;
    this.primary = data.models[0].name;
    this.vocabulary = new Vocabulary(data.vocabulary);
    this.marks = new Set(data.marks);
    this.before = ['\n', ' '].find((c) => this._knows(c)) ?? '';
    this.trees = {};
  }

  _knows(character) {
    return this.vocabulary.index.has(character) && !this.marks.has(character);
  }

  /** What the model reads in place of a character. */
  write(character) {
    if (this._knows(character)) return character;
    return [...toPrintable(character)].filter((c) => this._knows(c)).join('');
  }

  _tree(name, model) {
    if (!this.trees[name] || this.trees[name].size > FULL) this.trees[name] = model.tree();
    return this.trees[name];
  }

  /**
   * Every character's cost in bits, and what may follow the text.
   * @param {{text: string, model?: string, count?: number}} asked
   */
  next({ text, model: name = this.primary, count = 12 }) {
    const model = this.models[name];
    const tree = this._tree(name, model);
    const pieces = [...text].map((character) => this.write(character));
    const form = pieces.join('');
    const ids = this.vocabulary.encode(this.before + form);
    const costs = this._costs(tree, model, ids);
    const bits = this.before ? costs : form ? [Math.log2(this.data.known), ...costs] : [];
    const following = this._following(tree, model, ids);
    const total = bits.reduce((a, b) => a + b, 0);
    return {
      model: name,
      form,
      unknown: [...new Set([...text].filter((character, i) => pieces[i] !== character))],
      bits,
      total,
      average: bits.length ? total / bits.length : null,
      perplexity: bits.length ? 2 ** (total / bits.length) : null,
      characters: this._best(following, count),
    };
  }

  /** The bits of each character of a text but its first. */
  _costs(tree, model, ids) {
    if (ids.length < 2) return [];
    const window = model.maxInput;
    const stride = Math.max(1, roundHalfEven(window * (1 - OVERLAP)));
    const texts = [];
    for (let begin = 0; begin < Math.max(ids.length - 1 - (window - stride), 1); begin += stride) {
      texts.push(ids.slice(begin, begin + window + 1));
    }
    const starts = texts.map((_, i) => (i ? window - stride + 1 : 1));
    return tree.score(texts, starts).flat().map((log) => -log / Math.LN2);
  }

  /** The probabilities of what follows: after as much of the text as the model reads. */
  _following(tree, model, ids) {
    if (!ids.length) return new Array(this.vocabulary.size).fill(1 / this.vocabulary.size);
    const node = tree.place(ids.slice(-model.maxInput));
    tree.expect([node]);
    return Array.from(tree.distribution(node), Math.exp);
  }

  _best(probabilities, count) {
    return probabilities
      .map((probability, i) => ({ character: this.vocabulary.characters[i], probability }))
      .sort((a, b) => b.probability - a.probability)
      .slice(0, count);
  }
}

/** Python's round. */
function roundHalfEven(x) {
  const down = Math.floor(x);
  if (x - down !== 0.5) return Math.round(x);
  return down % 2 ? down + 1 : down;
}
