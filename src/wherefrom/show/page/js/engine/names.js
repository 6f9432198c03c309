/** Did you mean Amos Karlsson? Known names that are spelt like an unknown one. */

import { fold, splitWords, stripCharacters } from './text.js';

// As answering/name_suggestions.py has them.
const CLOSE = 0.8;
const CLOSE_WORD = 0.65;
const JOINED = 0.9;
const INITIAL = 2;
const SHARED = 2;
const OFFERED = 3;
const LOOKED_AT = 40;
const SHORTEST = 3;
const POPULAR_FROM = 200; // difflib leaves common characters of long texts out
const NAME_WORD = /[\p{L}\p{N}]+(?:['’-][\p{L}\p{N}]+)*/gu; // O'Neil is one word
const NAME_PART = /[\p{L}\p{N}]+/gu;
const NO_LETTER = /[^\p{L}\p{N}]+/gu;
const TITLES = new Set(
  ('dr mr mrs ms miss prof professor sir dame lord lady rev hon capt captain gen general col colonel ' +
    'st saint president king queen prince princess').split(' '),
);
// Letters that no decomposition takes apart into a plain letter and a mark.
const PLAIN = new Map(Object.entries(
  { ø: 'o', ł: 'l', đ: 'd', ð: 'd', þ: 'th', æ: 'ae', œ: 'oe', ı: 'i', ħ: 'h' },
));

/** Whether a character is a mark of the one before it: it changes places with other such marks. */
function isCombining(c) {
  const after = `\u0301${c}`;
  const before = `${c}\u0334`;
  return after.normalize('NFD') !== after || before.normalize('NFD') !== before;
}

/** The same letters without accents. */
function bareOf(folded) {
  if (/^[\x00-\x7f]*$/.test(folded)) return folded;
  const plain = [...folded].map((c) => PLAIN.get(c) ?? c).join('').normalize('NFKD');
  return [...plain].filter((c) => !isCombining(c)).join('');
}

const wordsOf = (folded) => bareOf(folded).match(NAME_WORD) ?? [];
const lettersOf = (folded) => [...bareOf(folded).replace(NO_LETTER, '')];

/** The first letters of the first and the last word. */
function initialsOf(folded) {
  const words = wordsOf(folded);
  return words.length ? [...words[0]][0] + [...words[words.length - 1]][0] : '';
}

function withoutTitles(folded) {
  const words = splitWords(folded);
  while (words.length > 1 && TITLES.has(stripCharacters(words[0], '.'))) words.shift();
  return words.join(' ');
}

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
  for (let part = parts.pop(); part; part = parts.pop()) {
    const [aFrom, aTo, bFrom, bTo] = part;
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
  const words = wordsOf(wanted);
  const others = wordsOf(known);
  if ([...words].sort().join(' ') === [...others].sort().join(' ')) return Math.max(whole, CLOSE);
  if (isOneSlip(lettersOf(wanted), lettersOf(known)) || abbreviates(words, others)) {
    return Math.max(whole, CLOSE);
  }
  if (addsWords(wanted, known) || addsWords(known, wanted)) return Math.max(whole, CLOSE);
  const parts = splitWords(wanted);
  const knownParts = splitWords(known);
  if (parts.length === knownParts.length) {
    const alike = parts.every((part, i) => wordsAlike(part, knownParts[i]));
    return alike && whole >= CLOSE ? whole : 0;
  }
  return whole >= JOINED ? whole : 0;
}

/** Whether one letter replaced, added, left out or exchanged with the next makes them equal. */
function isOneSlip(one, other) {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one];
  if (short.length < SHORTEST || long.length - short.length > 1) return false;
  const same = (a, b) => a.length === b.length && a.every((c, i) => c === b[i]);
  const start = short.findIndex((c, i) => c !== long[i]);
  if (start < 0) return true;
  if (short.length < long.length) return same(short.slice(start), long.slice(start + 1));
  const exchanged = same(short.slice(start, start + 2), long.slice(start, start + 2).reverse());
  return (
    same(short.slice(start + 1), long.slice(start + 1)) ||
    (exchanged && same(short.slice(start + 2), long.slice(start + 2)))
  );
}

/** Whether a name is the other with initials for words, or without its middle words. */
function abbreviates(words, others) {
  if (words.length < 2 || others.length < 2 || words.length > others.length) return false;
  const single = (word) => [...word].length === 1;
  if (!words.some(single)) return false;
  const last = [words[words.length - 1], others[others.length - 1]];
  return [[words[0], others[0]], last].every(
    ([word, other]) => word === other || (single(word) && word === [...other][0]),
  );
}

/** Whether a name has all words of a shorter one: a middle name, or a second last name. */
function addsWords(name, shorter) {
  const parts = (folded) => new Set(bareOf(folded).match(NAME_PART) ?? []);
  const words = parts(name);
  const fewer = parts(shorter);
  return fewer.size >= SHARED && [...fewer].every((word) => words.has(word));
}

function pairsOf(folded) {
  const padded = [' ', ...bareOf(folded), ' '];
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
    this.byInitials = new Map();
    const note = (table, key, number) => {
      if (!table.has(key)) table.set(key, []);
      table.get(key).push(number);
    };
    pairs.forEach((own, number) => {
      for (const pair of own) note(this.byPair, pair, number);
      note(this.byInitials, initialsOf(this.folded[number]), number);
    });
  }

  /** The closest names, the closest first. @param {string} name @returns {string[]} */
  suggest(name) {
    const typed = fold(name);
    const close = new Map();
    for (const wanted of new Set([typed, withoutTitles(typed)])) {
      for (const number of [...this._alike(wanted), ...this._abbreviated(wanted)]) {
        const alike = similarity(wanted, this.folded[number]);
        close.set(number, Math.max(alike, close.get(number) ?? 0));
      }
    }
    return [...close]
      .filter(([, alike]) => alike > 0)
      .sort(([i, one], [j, other]) => other - one || i - j)
      .slice(0, OFFERED)
      .map(([number]) => this.names[number]);
  }

  /** Names with the same initials, if the wanted one has an initial for a word. */
  _abbreviated(wanted) {
    const lengths = (wanted.match(NAME_WORD) ?? []).map((word) => [...word].length);
    if (Math.min(...lengths) !== 1) return [];
    return this.byInitials.get(initialsOf(wanted)) ?? [];
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
