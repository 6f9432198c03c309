/**
 * Text as Python treats it: spaces, case folding, percent-encoding, and how a text is quoted.
 *
 * The engine must take a question as `wherefrom ask` does, and the two languages differ in details:
 * which characters are spaces, how capitals are folded, that a string's length counts code points.
 */

const SPACE = '\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000';
export const SPACES = `[${SPACE}]`;
const SPACE_RUN = new RegExp(`[${SPACE}]+`, 'u');
const ONLY_SPACES = new RegExp(`^[${SPACE}]*$`, 'u');
const OUTER_SPACES = new RegExp(`^[${SPACE}]+|[${SPACE}]+$`, 'gu');
const LAST_SPACES = new RegExp(`[${SPACE}]+$`, 'u');
const FIRST_SPACES = new RegExp(`^[${SPACE}]+`, 'u');

/** The words of a text. @param {string} text @returns {string[]} */
export function splitWords(text) {
  return text.split(SPACE_RUN).filter((word) => word !== '');
}

export function isBlank(text) {
  return ONLY_SPACES.test(text);
}

export function strip(text) {
  return text.replace(OUTER_SPACES, '');
}

export function stripRight(text) {
  return text.replace(LAST_SPACES, '');
}

export function stripLeft(text) {
  return text.replace(FIRST_SPACES, '');
}

/** A text without any of these characters at its end. */
export function stripCharacters(text, characters) {
  let end = text.length;
  while (end > 0 && characters.includes(text[end - 1])) end--;
  return text.slice(0, end);
}

/** How many code points a text has. */
export function lengthOf(text) {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** A pattern that matches this text. */
export function escapePattern(text) {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/gu, (c) => (c === '-' ? '\\x2d' : `\\${c}`));
}

/** Python's casefold. Cherokee folds to its capitals; the rest to the small letters of the capitals. */
export function casefold(text) {
  let found = '';
  for (const c of text) {
    const code = c.codePointAt(0);
    if (code < 128) found += c.toLowerCase();
    else if (code === 0x131 || (code >= 0x13a0 && code <= 0x13f5)) found += c;
    else if (code === 0x1e9e) found += 'ss';
    else if ((code >= 0x13f8 && code <= 0x13fd) || (code >= 0xab70 && code <= 0xabbf)) {
      found += c.toUpperCase();
    } else found += c.toUpperCase().toLowerCase();
  }
  return found;
}

/** Percent-encoding undone, as in a web address. */
export function unquote(text) {
  if (!text.includes('%')) return text;
  return text.replace(/[\x00-\x7f]+/g, (part) => {
    const bytes = [];
    for (let i = 0; i < part.length; i++) {
      const code = part[i] === '%' ? /^[0-9a-fA-F]{2}/.exec(part.slice(i + 1, i + 3)) : null;
      bytes.push(code ? parseInt(code[0], 16) : part.charCodeAt(i));
      if (code) i += 2;
    }
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(Uint8Array.from(bytes));
  });
}

/** A text normalised for comparison; as reading/index.py has it. */
export function fold(text) {
  let plain = unquote(text).replace(/[\x00-\x1f\x7f]/g, ' ');
  plain = plain.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '?');
  if (/^[\x00-\x7f]*$/.test(plain)) return splitWords(plain.toLowerCase()).join(' ');
  return splitWords(casefold(plain.normalize('NFC')).normalize('NFC')).join(' ');
}

/** A phrase as phrases of a text are compared: folded, without a full stop at its end. */
export function normalise(text) {
  return stripCharacters(fold(text), '. ');
}

const HIDDEN = /[\p{C}\p{Z}]/u;

/** A text between quotation marks, as Python's repr writes it. */
export function quote(text) {
  const mark = text.includes("'") && !text.includes('"') ? '"' : "'";
  let found = '';
  for (const c of text) {
    const code = c.codePointAt(0);
    if (c === mark || c === '\\') found += `\\${c}`;
    else if (c === '\n') found += '\\n';
    else if (c === '\r') found += '\\r';
    else if (c === '\t') found += '\\t';
    else if (c !== ' ' && HIDDEN.test(c)) found += hidden(code);
    else found += c;
  }
  return mark + found + mark;
}

function hidden(code) {
  const digits = code.toString(16);
  if (code < 256) return `\\x${digits.padStart(2, '0')}`;
  if (code < 65536) return `\\u${digits.padStart(4, '0')}`;
  return `\\U${digits.padStart(8, '0')}`;
}

/** U+0041 and the like. */
export function codePoint(c) {
  return `U+${c.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/** What an object has under a key of somebody's own, such as "constructor"; undefined if nothing. */
export function lookUp(object, key) {
  return object && Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Why something cannot be done, in words for whoever asked: the engine's only kind of refusal. */
export class Refusal extends Error {}
