/** Characters and their numbers. */

import { Refusal, codePoint, quote } from './text.js';

export const PAD = 0;
export const MASK = 1;

/** Characters with their code points, in words. @param {string[]} characters */
export function nameCharacters(characters) {
  return characters.map((c) => `${quote(c)} (${codePoint(c)})`).join(', ');
}

export class Vocabulary {
  /** @param {string[]} characters */
  constructor(characters) {
    this.characters = characters;
    this.index = new Map(characters.map((c, i) => [c, i]));
  }

  get size() {
    return this.characters.length;
  }

  /** The characters of a text that the vocabulary lacks, each once, in order. @param {string} text */
  missing(text) {
    return [...new Set(text)].filter((c) => !this.index.has(c));
  }

  /** The numbers of a text's characters. @param {string} text @returns {number[]} */
  encode(text) {
    const found = [];
    for (const c of text) {
      const id = this.index.get(c);
      if (id === undefined) throw this._refuse(text);
      found.push(id);
    }
    return found;
  }

  _refuse(text) {
    const missing = this.missing(text);
    return new Refusal(
      `${quote(text)}: expected characters of the training text, found ${nameCharacters(missing)}; ` +
        `the model has never seen ${missing.length === 1 ? 'it' : 'them'}`,
    );
  }

  /** Refuse a text with one of the two characters that mean something to the model. */
  refuseMarks(text) {
    const mark = [this.characters[PAD], this.characters[MASK]].find((c) => text.includes(c));
    if (mark !== undefined) {
      throw new Refusal(
        `${quote(text)}: expected no ${quote(mark)} (${codePoint(mark)}), found one; ` +
          'leave it out: the model uses this character as a marker',
      );
    }
  }

  /** @param {Iterable<number>} ids @returns {string} */
  decode(ids) {
    let text = '';
    for (const id of ids) text += this.characters[id];
    return text;
  }
}
