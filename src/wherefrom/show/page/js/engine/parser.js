/**
 * A question taken apart: form, subject and relation; as answering/question_parser.py does it.
 *
 * Spaces, capitals and the closing mark are corrected to the form's own, a known name to the text's
 * spelling. A name that is spelt as in the data set is left as it is.
 */

import { NameSuggester } from './names.js';
import {
  Refusal, SPACES, escapePattern, fold, isBlank, lengthOf, quote, splitWords, strip,
  stripCharacters, stripLeft, stripRight,
} from './text.js';

const SHOWN = 3;
const MARKS = '?.!';

/** Any spaces and capitals, and any number of closing marks. */
function tolerantPattern(form) {
  const loose = (text) =>
    text.split(new RegExp(`${SPACES}+`, 'u')).map(escapePattern).join(`${SPACES}+`);
  const suffix = stripCharacters(stripRight(form.suffix), MARKS);
  const end = `(?:${SPACES}|[?.!])*`;
  const whole = `^${SPACES}*${loose(stripLeft(form.prefix))}(.+?)${loose(suffix)}${end}$`;
  return new RegExp(whole, 'isu');
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
    const found = this._match(text);
    if (!found) {
      const taught = this.forms
        .slice(0, SHOWN)
        .map((form) => `'${form.prefix}...${form.suffix}'`)
        .join(' or ');
      const only = this.forms.length === 1 ? 'only this form' : `${this.forms.length} forms`;
      throw new Refusal(
        `${quote(text)}: expected a question like ${taught}, ` +
          `found another form; the model was taught ${only}`,
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
