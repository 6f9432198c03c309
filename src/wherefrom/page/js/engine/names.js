/** Did you mean Amos Karlsson? Known names that are spelt like an unknown one. */

import { fold, splitWords } from './text.js';

// As answering/name_suggestions.py has them.
const CLOSE = 0.8;
const CLOSE_WORD = 0.65;
const JOINED = 0.9;
const INITIAL = 2;
const SHARED = 2;
const OFFERED = 3;
const LOOKED_AT = 40;
const POPULAR_FROM = 200; // difflib leaves common characters of long texts out

/** The longest match of two texts' parts, the earliest in the first text, then in the second. */
function longestMatch(a, places, aFrom, aTo, bFrom, bTo) {
  let best = [aFrom, bFrom, 0];
  let lengths = new Map();
  for (let i = aFrom; i < aTo; i++) {
    const grown = new Map();
    for (const j of places.get(a[i]) ?? []) {
      if (j < bFrom) continue;
      if (j >= bTo) break;
      const length = (lengths.get(j - 1) ?? 0) + 1;
      grown.set(j, length);
      if (length > best[2]) best = [i - length + 1, j - length + 1, length];
    }
    lengths = grown;
  }
  return best;
}

/** The ratio of Python's difflib: twice the matching characters over all, 0 to 1. */
export function ratio(one, other) {
  const a = [...one];
  const b = [...other];
  if (!a.length && !b.length) return 1;
  const places = new Map();
  b.forEach((c, j) => places.set(c, [...(places.get(c) ?? []), j]));
  if (b.length >= POPULAR_FROM) {
    for (const [c, at] of places) {
      if (at.length > Math.floor(b.length / 100) + 1) places.delete(c);
    }
  }
  let matched = 0;
  const parts = [[0, a.length, 0, b.length]];
  while (parts.length) {
    const [aFrom, aTo, bFrom, bTo] = parts.pop();
    let [i, j, size] = longestMatch(a, places, aFrom, aTo, bFrom, bTo);
    // Popular characters beside a match belong to it.
    while (i > aFrom && j > bFrom && a[i - 1] === b[j - 1]) [i, j, size] = [i - 1, j - 1, size + 1];
    while (i + size < aTo && j + size < bTo && a[i + size] === b[j + size]) size++;
    if (!size) continue;
    matched += size;
    if (aFrom < i && bFrom < j) parts.push([aFrom, i, bFrom, j]);
    if (i + size < aTo && j + size < bTo) parts.push([i + size, aTo, j + size, bTo]);
  }
  return (2 * matched) / (a.length + b.length);
}

function wordsAlike(word, other) {
  const initials = Math.max([...word].length, [...other].length) <= INITIAL;
  return initials || ratio(word, other) >= CLOSE_WORD;
}

/** How alike two folded names are; 0 if one is probably not the other misspelt. */
export function similarity(wanted, known) {
  const whole = ratio(wanted, known);
  const words = splitWords(wanted);
  const others = splitWords(known);
  if ([...words].sort().join(' ') === [...others].sort().join(' ')) return Math.max(whole, CLOSE);
  if (words.length === others.length) {
    const alike = words.every((word, i) => wordsAlike(word, others[i]));
    return alike && whole >= CLOSE ? whole : 0;
  }
  const sets = [new Set(words), new Set(others)].sort((a, b) => a.size - b.size);
  const within = [...sets[0]].every((word) => sets[1].has(word));
  if (sets[0].size >= SHARED && within) return Math.max(whole, CLOSE);
  return whole >= JOINED ? whole : 0;
}

function pairsOf(name) {
  const padded = [' ', ...name, ' '];
  return new Set(padded.slice(1).map((c, i) => padded[i] + c));
}

/** Compare texts by code points, as Python sorts them. */
export function compareText(a, b) {
  const one = [...a];
  const other = [...b];
  for (let i = 0; i < one.length && i < other.length; i++) {
    if (one[i] !== other[i]) return one[i].codePointAt(0) - other[i].codePointAt(0);
  }
  return one.length - other.length;
}

export class NameSuggester {
  /** @param {Iterable<string>} names */
  constructor(names) {
    this.names = [...names].sort(compareText);
    this.folded = this.names.map(fold);
    const pairs = this.folded.map(pairsOf);
    this.sizes = pairs.map((own) => own.size);
    this.byPair = new Map();
    pairs.forEach((own, number) => {
      for (const pair of own) {
        if (!this.byPair.has(pair)) this.byPair.set(pair, []);
        this.byPair.get(pair).push(number);
      }
    });
  }

  /** The closest names, the closest first. @param {string} name @returns {string[]} */
  suggest(name) {
    const wanted = fold(name);
    return this._alike(wanted)
      .map((i) => ({ i, alike: similarity(wanted, this.folded[i]) }))
      .sort((a, b) => b.alike - a.alike || a.i - b.i)
      .filter(({ alike }) => alike > 0)
      .slice(0, OFFERED)
      .map(({ i }) => this.names[i]);
  }

  _alike(wanted) {
    const pairs = pairsOf(wanted);
    const shared = new Map();
    for (const pair of pairs) {
      for (const number of this.byPair.get(pair) ?? []) {
        shared.set(number, (shared.get(number) ?? 0) + 1);
      }
    }
    const near = (number) => shared.get(number) / (pairs.size + this.sizes[number]);
    return [...shared.keys()].sort((a, b) => near(b) - near(a) || a - b).slice(0, LOOKED_AT);
  }
}
