/**
 * Word models: the bigram network, over words as the Penn Treebank divides a text.
 *
 * The division is that of evaluation/text/treebank_tokens.py, the forms of unlisted words those of core/words.py.
 */

import { logSoftmax, sigmoid } from './arithmetic.js';
import { Refusal, SPACES, isBlank } from './text.js';

const BEGIN = '<s>';
const END = '</s>';
const PARAGRAPH = /[^\n]*\S[^\n]*(?:\n[^\n]*\S[^\n]*)*/gu;
const STOP = new RegExp(`[.?!]+["'”’)\\]]*(?=${SPACES}+(\\S))`, 'gu');
const ABBREVIATION = new RegExp(
  `(?:^|${SPACES}|[("'])(?:[A-Z]|Mr|Mrs|Ms|Dr|Prof|Gen|Sen|Rep|Gov|St|Jr|Sr|Co|Corp|Inc|Ltd|vs|No` +
    '|Jan|Feb|Mar|Apr|Aug|Sept|Oct|Nov|Dec|(?:[A-Za-z]\\.)+[A-Za-z])\\.$',
  'u',
);
const ALONE = '"“”()\\[\\]{}<>;@#$%&?!';
const PIECE = new RegExp(
  '\\.\\.\\.' +
    '|--+' +
    "|[\"“”]|''|``" +
    '|[()\\[\\]{}<>;@#$%&?!]' +
    '|[,:](?!\\p{Nd})' +
    `|(?:(?!\\.\\.\\.|--|''|\`\`)(?!${SPACES})[^${ALONE},:]|[,:](?=\\p{Nd}))+`,
  'gu',
);
const QUOTES = ['"', '“', '”'];
const CLOSING = [...QUOTES, "''", "'", ')', ']'];
const CLITIC = /(?<=[^'])(?:n't|'ll|'re|'ve|'s|'m|'d|')$/iu;
const CONTRACTION =
  /^(?:(can)(not)|(d)('ye)|(gim)(me)|(gon)(na)|(got)(ta)|(lem)(me)|(wan)(na)|('t)(is|was))$/iu;

/** The sentences of a text, each a list of {text, start, end}. @param {string} text */
export function splitSentences(text) {
  const found = [];
  for (const paragraph of text.matchAll(PARAGRAPH)) {
    let start = paragraph.index;
    const last = start + paragraph[0].length;
    for (const end of [...findStops(text, start, last), last]) {
      const words = findWords(text, start, end);
      if (words.length) found.push(words);
      start = end;
    }
  }
  return found;
}

function findStops(text, start, end) {
  const part = text.slice(start, end);
  const allSmall = part === part.toLowerCase();
  const found = [];
  for (const stop of part.matchAll(STOP)) {
    const at = start + stop.index;
    const before = text.slice(Math.max(start, at - 20), at + 1);
    const abbreviates = stop[0] === '.' && ABBREVIATION.test(before);
    const small = /\p{Ll}/u.test(stop[1]);
    if (!abbreviates && (allSmall || !small)) found.push(at + stop[0].length);
  }
  return found;
}

function findWords(text, start, end) {
  const pieces = [...text.slice(start, end).matchAll(PIECE)];
  let last = pieces.length - 1;
  while (last > 0 && CLOSING.includes(pieces[last][0])) last--;
  const found = [];
  pieces.forEach((piece, number) => {
    const first = start + piece.index;
    const [word] = piece;
    const stop = first + word.length;
    if (QUOTES.includes(word)) {
      found.push({ text: turnQuote(text, first), start: first, end: stop });
      return;
    }
    const edges = [first, ...cutWord(word, number === last).map((cut) => first + cut), stop];
    for (let i = 0; i + 1 < edges.length; i++) {
      found.push({ text: text.slice(edges[i], edges[i + 1]), start: edges[i], end: edges[i + 1] });
    }
  });
  return found;
}

function cutWord(word, last) {
  const cuts = [];
  let size = word.length;
  if (last && word.endsWith('.') && size > 1 && word[size - 2] !== '.') {
    size -= 1;
    cuts.push(size);
  }
  const contraction = CONTRACTION.exec(word.slice(0, size));
  if (contraction) return [contraction.slice(1).find((part) => part).length, ...cuts];
  const clitic = CLITIC.exec(word.slice(0, size));
  if (clitic && clitic.index > 0) cuts.unshift(clitic.index);
  return cuts;
}

function turnQuote(text, place) {
  if (text[place] !== '"') return text[place] === '“' ? '``' : "''";
  const opens = place === 0 || isBlank(text[place - 1]) || '([{<-'.includes(text[place - 1]);
  return opens ? '``' : "''";
}

/** h = sigmoid(x W1 + b1), p = softmax(h W2 + b2), where x is the previous word's vector. */
export class Bigram {
  /** @param {any} manifest @param {Record<string, any>} tensors */
  constructor(manifest, tensors) {
    this.vectors = tensors.vectors ?? null; // none: one-hot
    this.first = tensors.W1;
    this.second = tensors.W2;
    this.biases = [tensors.b1.values, tensors.b2.values];
  }

  /** The log-probabilities of every word after a word. @param {number} previous */
  following(previous) {
    const [width, hidden] = this.first.shape;
    const words = this.second.shape[1];
    const theta = Float64Array.from(this.biases[1]);
    for (let h = 0; h < hidden; h++) {
      let sum = this.biases[0][h];
      if (this.vectors) {
        for (let i = 0; i < width; i++) {
          sum += this.vectors.values[previous * width + i] * this.first.values[i * hidden + h];
        }
      } else sum += this.first.values[previous * hidden + h];
      const unit = sigmoid(sum);
      for (let w = 0; w < words; w++) theta[w] += unit * this.second.values[h * words + w];
    }
    const found = new Float64Array(words);
    logSoftmax(theta, 0, words, found, 0);
    return found;
  }
}

export class WordReading {
  /** @param {any} data @param {Record<string, any>} models by their names */
  constructor(data, models) {
    this.data = data;
    this.models = models;
    this.primary = data.models[0].name;
    this.index = new Map(data.vocabulary.map((word, i) => [word, i]));
    this.known = new Map();
  }

  /** The listed form of a word: lower case, else its shape, else the unknown word. */
  write(word) {
    const listed = (form) => this.index.has(form) && form !== BEGIN && form !== END;
    const small = word.toLowerCase();
    if (listed(small)) return small;
    const { forms } = this.data;
    if (!forms) {
      if (listed(word)) return word;
      throw new Refusal(
        `'${word}': expected words of the training text, found another; the model has never seen it`,
      );
    }
    let shape = small;
    if (!/\p{L}/u.test(small)) {
      shape = small.replace(/\p{Nd}/gu, forms.digit);
      if (shape.startsWith(forms.digit)) shape = shape.replaceAll(',', '');
    }
    return listed(shape) ? shape : forms.unknown;
  }

  _following(name, previous) {
    const key = `${name} ${previous}`;
    if (!this.known.has(key)) {
      if (this.known.size > 500) this.known.clear();
      this.known.set(key, this.models[name].following(previous));
    }
    return this.known.get(key);
  }

  /**
   * Every word's cost in bits, and what may follow. The last sentence is taken to go on.
   * @param {{text: string, model?: string, count?: number}} asked
   */
  next({ text, model: name = this.primary, count = 12 }) {
    const sentences = splitSentences(text);
    const words = [];
    let previous = this.index.get(BEGIN);
    sentences.forEach((sentence, number) => {
      previous = this.index.get(BEGIN);
      for (const token of sentence) {
        const form = this.write(token.text);
        const id = this.index.get(form);
        const bits = -this._following(name, previous)[id] / Math.LN2;
        words.push({ ...token, form, bits, known: form !== this.data.forms?.unknown });
        previous = id;
      }
      if (number + 1 < sentences.length) {
        const bits = -this._following(name, previous)[this.index.get(END)] / Math.LN2;
        const at = sentence[sentence.length - 1].end;
        words.push({ text: '', form: END, start: at, end: at, bits, known: true });
      }
    });
    const following = this._following(name, previous);
    const total = words.reduce((sum, { bits }) => sum + bits, 0);
    const best = Array.from(following.keys())
      .sort((a, b) => following[b] - following[a])
      .slice(0, count);
    return {
      model: name,
      pieces: words,
      unknown: [...new Set(words.filter(({ known }) => !known).map((word) => word.text))],
      bits: words.map(({ bits }) => bits),
      total,
      average: words.length ? total / words.length : null,
      perplexity: words.length ? 2 ** (total / words.length) : null,
      words: best.map((i) => ({ word: this.data.vocabulary[i], probability: Math.exp(following[i]) })),
    };
  }
}
