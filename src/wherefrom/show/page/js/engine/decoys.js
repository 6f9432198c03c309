/**
 * Decoys of a name: out-of-corpus names that share a part with it; as answering/decoys.py.
 *
 * They are a function of the corpus and the name: counted randomness (Philox4x32-10) whose counter is a
 * hash (SHA-256) of the name.
 */

import { casefold, lengthOf, splitWords, unquote } from './text.js';

const SAMPLING = 6; // the stream, the stage and the seed that decoys of a given name are drawn with
const RECOMBINED = 1;
const SEED = 1;

/** The four words of Philox4x32-10. @param {number[]} counter @param {number[]} key */
export function philox(counter, key) {
  let [c0, c1, c2, c3] = counter.map((c) => c >>> 0);
  let [k0, k1] = key.map((k) => k >>> 0);
  for (let round = 0; round < 10; round++) {
    const p0 = BigInt(c0) * 0xd2511f53n;
    const p1 = BigInt(c2) * 0xcd9e8d57n;
    [c0, c1, c2, c3] = [
      (Number(p1 >> 32n) ^ c1 ^ k0) >>> 0,
      Number(p1 & 0xffffffffn),
      (Number(p0 >> 32n) ^ c3 ^ k1) >>> 0,
      Number(p0 & 0xffffffffn),
    ];
    k0 = (k0 + 0x9e3779b9) >>> 0;
    k1 = (k1 + 0xbb67ae85) >>> 0;
  }
  return [c0, c1, c2, c3];
}

const rotate = (x, n) => (x >>> n) | (x << (32 - n));

/** The first `count` primes' roots, whose fractions SHA-256 is made of. */
function rootFractions(count, power) {
  const found = [];
  for (let n = 2; found.length < count; n++) {
    let prime = true;
    for (let d = 2; d * d <= n; d++) if (n % d === 0) prime = false;
    if (prime) {
      const root = n ** (1 / power);
      found.push(Math.floor((root - Math.floor(root)) * 2 ** 32) | 0);
    }
  }
  return found;
}

/** The first four bytes of a text's SHA-256, as a number. @param {Uint8Array} bytes */
export function hashWord(bytes) {
  const constants = rootFractions(64, 3);
  const state = rootFractions(8, 2);
  const padded = new Uint8Array(((bytes.length + 8) >> 6 << 6) + 64);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(bytes.length / 2 ** 29));
  view.setUint32(padded.length - 4, (bytes.length << 3) >>> 0);
  const words = new Int32Array(64);
  for (let from = 0; from < padded.length; from += 64) {
    for (let i = 0; i < 16; i++) words[i] = view.getInt32(from + 4 * i);
    for (let i = 16; i < 64; i++) {
      const a = words[i - 15];
      const b = words[i - 2];
      const low = rotate(a, 7) ^ rotate(a, 18) ^ (a >>> 3);
      const high = rotate(b, 17) ^ rotate(b, 19) ^ (b >>> 10);
      words[i] = (words[i - 16] + low + words[i - 7] + high) | 0;
    }
    let [a, b, c, d, e, f, g, h] = state;
    for (let i = 0; i < 64; i++) {
      const choice = (e & f) ^ (~e & g);
      const first = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
      const one = (h + first + choice + constants[i] + words[i]) | 0;
      const majority = (a & b) ^ (a & c) ^ (b & c);
      const two = ((rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + majority) | 0;
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
    }
    [a, b, c, d, e, f, g, h].forEach((value, i) => {
      state[i] = (state[i] + value) | 0;
    });
  }
  return state[0] >>> 0;
}

/** One of some items by a random word. */
function pick(items, word) {
  return items[Number((BigInt(word) * BigInt(items.length)) >> 32n)];
}

const keyOf = (name) => splitWords(casefold(name)).join(' ');

export class Decoys {
  /**
   * @param {any} material as DecoyNames.material gives it
   * @param {(name: string) => boolean} spells whether the model can be asked about a name
   * @param {string[]} texts in which no decoy may occur
   */
  constructor(material, spells, texts) {
    this.material = material;
    this.spells = spells;
    this.taken = new Set(material.taken);
    this.text = texts.join('\n');
    this.known = new Map();
  }

  /** The decoys of a name. @param {string} typed @returns {string[]} */
  of(typed) {
    const name = unquote(typed);
    const mine = keyOf(name);
    const found = new Set();
    let taken = 0;
    for (const proposal of this._propose(name)) {
      if (keyOf(proposal) === mine || !this._allows(proposal)) continue;
      found.add(proposal);
      if (++taken === this.material.count) break;
    }
    if (found.size) return [...found];
    return this.material.others.filter((other) => keyOf(other) !== mine);
  }

  *_propose(name) {
    const space = name.indexOf(' ');
    const first = space < 0 ? name : name.slice(0, space);
    const rest = space < 0 ? '' : name.slice(space + 1);
    const { firsts, rests, count } = this.material;
    if (!rest || !rests.length) return;
    const turn = hashWord(new TextEncoder().encode(name));
    for (let row = 0; row < 2 * count; row++) {
      const [one, other] = philox([0, row, turn, RECOMBINED], [SEED, SAMPLING]);
      yield `${first} ${pick(rests, one)}`;
      yield `${pick(firsts, other)} ${rest}`;
    }
  }

  _allows(name) {
    if (!this.known.has(name)) {
      const fits = lengthOf(name) <= this.material.longest && this.spells(name);
      this.known.set(name, fits && !this.text.includes(name));
    }
    return this.known.get(name) && !this.taken.has(keyOf(name));
  }
}
