/**
 * A question taken apart: form, subject and relation; as answering/question_parser.py does it.
 *
 * Spaces, capitals and the closing mark are corrected to the form's own, a known name to the text's
 * spelling. A name that is spelt as in the data set is left as it is. A question in other words is
 * understood if it names a known subject and its words are those of one form; otherwise the nearest
 * forms are offered.
 */

import { NameSuggester } from './names.js';
import {
  Refusal, SPACES, escapePattern, fold, isBlank, lengthOf, quote, splitWords, strip,
  stripCharacters, stripLeft, stripRight,
} from './text.js';

const SHOWN = 3;
const MARKS = '?.!';
const AROUND = '?.!,;:"“”';
const MOST_WORDS = 40;
const NEUTRAL = new Set(
  "what what's who who's which is was are were do does did the a an of please tell me".split(' '),
);

/** Any spaces and capitals, and any number of closing marks. */
function tolerantPattern(form) {
  const loose = (text) =>
    text.split(new RegExp(`${SPACES}+`, 'u')).map(escapePattern).join(`${SPACES}+`);
  const suffix = stripCharacters(stripRight(form.suffix), MARKS);
  const end = `(?:${SPACES}|[?.!])*`;
  const whole = `^${SPACES}*${loose(stripLeft(form.prefix))}(.+?)${loose(suffix)}${end}$`;
  return new RegExp(whole, 'isu');
}

/** A word without the marks around it. @param {string} text */
function bareWord(text) {
  let start = 0;
  while (start < text.length && AROUND.includes(text[start])) start++;
  return stripCharacters(text.slice(start), AROUND);
}

/** The words that say what is asked for. @param {string[]} words */
function telling(words) {
  const bare = words.map((word) => fold(bareWord(word)));
  return new Set(bare.filter((word) => word && !NEUTRAL.has(word)));
}

/** @param {{prefix: string, suffix: string}} form */
function tellingOf(form) {
  return telling([...splitWords(form.prefix), ...splitWords(form.suffix)]);
}

/** Whether there is more than spaces and closing marks. */
function isName(text) {
  return [...strip(text)].some((c) => !`${MARKS} `.includes(c));
}

export class Parser {
  /** @param {{prefix: string, suffix: string, relation: string}[]} forms @param {string[]} names */
  constructor(forms, names) {
    this.forms = forms.map((form) => ({ ...form, length: lengthOf(form.prefix + form.suffix) }));
    this.patterns = this.forms.map(tolerantPattern);
    this.names = new Set(names);
    this.byFold = new Map();
    for (const name of names) {
      const key = fold(name);
      if (!this.byFold.has(key)) this.byFold.set(key, []);
      this.byFold.get(key).push(name);
    }
    this.suggester = null;
  }

  /** @param {string} text @returns {{text: string, form: any, subject: string, relation: string}} */
  parse(text) {
    let found = this._match(text);
    /** @type {string[]} */
    let offered = [];
    if (!found) ({ found, offered } = this._matchInOtherWords(text));
    if (!found) {
      const taught = this.forms
        .slice(0, SHOWN)
        .map((form) => `'${form.prefix}...${form.suffix}'`)
        .join(' or ');
      const only = this.forms.length === 1 ? 'only this form' : `${this.forms.length} forms`;
      const meant = offered.map((question) => `'${question}'`).join(' or ');
      const advice = meant ? `ask ${meant}` : `the model was taught ${only}`;
      throw new Refusal(
        `${quote(text)}: expected a question like ${taught}, found another form; ${advice}`,
      );
    }
    return this.fill(found.form, this._spell(found.form, found.subject));
  }

  fill(form, subject) {
    const text = form.prefix + subject + form.suffix;
    return { text, form, subject, relation: form.relation };
  }

  /** Known names that are spelt like this one; none if it is known. */
  suggest(subject) {
    if (this.names.has(subject)) return [];
    this.suggester ??= new NameSuggester(this.names);
    return this.suggester.suggest(subject);
  }

  _match(text) {
    const exact = this._closest(
      this.forms.map((form) => ({ form, subject: subjectIn(form, text) })),
    );
    if (exact && this.names.has(exact.subject)) return exact;
    const loose = this._closest(
      this.forms.map((form, i) => {
        const subject = this.patterns[i].exec(text)?.[1];
        return { form, subject: subject !== undefined && isName(subject) ? subject : null };
      }),
    );
    if (exact && (!loose || loose.form.length <= exact.form.length)) return exact;
    return loose;
  }

  /** The one form that has the same words around a known name; else questions to offer. */
  _matchInOtherWords(text) {
    const words = splitWords(text).slice(0, MOST_WORDS);
    const { name, before, behind } = this._findName(words);
    if (!name) {
      const [close] = words.length ? this.suggest(words.join(' ')) : [];
      const forms = close === undefined ? [] : this.forms.slice(0, SHOWN);
      return { found: null, offered: forms.map((form) => this.fill(form, close).text) };
    }
    const own = telling([...before, ...behind]);
    const shared = (form) => [...tellingOf(form)].filter((word) => own.has(word)).length;
    let same = this.forms.filter((form) => {
      const size = tellingOf(form).size;
      return size === own.size && shared(form) === size;
    });
    if (this.forms.length === 1 && !before.length && !behind.length) same = this.forms;
    const others = [...before.slice(0, -1), ...behind];
    const turned = others.some((word) => fold(bareWord(word)) === 'of');
    const last = same.length === 1 ? splitWords(same[0].prefix).at(-1) : null;
    if (same.length === 1 && !(turned && last === 'of')) {
      return { found: { form: same[0], subject: name }, offered: [] };
    }
    const near = [...this.forms].sort((one, other) => shared(other) - shared(one));
    return { found: null, offered: near.slice(0, SHOWN).map((form) => this.fill(form, name).text) };
  }

  /** The longest known name among the words of a question, and the words around it. */
  _findName(words) {
    for (let length = words.length; length > 0; length--) {
      for (let start = 0; start + length <= words.length; start++) {
        const typed = words.slice(start, start + length).join(' ');
        const bare = bareWord(typed);
        if (length < words.length && NEUTRAL.has(fold(bare))) continue;
        for (const name of [typed, bare, `${bare}.`, bare.replace(/'s$/, '').replace(/’s$/, '')]) {
          const spellings = this.byFold.get(fold(name)) ?? [];
          if (spellings.length === 1) {
            const [before, behind] = [words.slice(0, start), words.slice(start + length)];
            return { name: spellings[0], before, behind };
          }
        }
      }
    }
    return { name: '', before: [], behind: [] };
  }

  /** The first of the longest forms that fit. */
  _closest(found) {
    let best = null;
    for (const each of found) {
      if (each.subject !== null && (!best || each.form.length > best.form.length)) best = each;
    }
    return best;
  }

  /** A known name as the text spells it; any other name with single spaces. */
  _spell(form, asTyped) {
    if (this.names.has(asTyped)) return asTyped;
    const typed = splitWords(asTyped).join(' ');
    const bare = stripCharacters(typed, `${MARKS} `);
    for (const name of [typed, bare, `${bare}.`]) {
      const spellings = this.byFold.get(fold(name)) ?? [];
      if (spellings.length) return spellings.length === 1 ? spellings[0] : name;
    }
    const closed = [...MARKS].some((mark) => stripRight(form.suffix).endsWith(mark));
    return (closed && stripCharacters(typed, '?! ')) || typed;
  }
}

/** What stands between a form's beginning and its end; null if the question has another form. */
function subjectIn(form, text) {
  if (!text.startsWith(form.prefix) || !text.endsWith(form.suffix)) return null;
  const from = form.prefix.length;
  const inner = text.slice(from, Math.max(from, text.length - form.suffix.length));
  return isBlank(inner) ? null : inner;
}
