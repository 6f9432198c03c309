/**
 * What the text says about an answer; as reading/verdict.py and extractor.py compare them.
 *
 * What each subject's text states was extracted when the page was made. Whether the answer agrees with it
 * is decided here.
 */

import { casefold, escapePattern, fold, lookUp, normalise } from './text.js';

export const SUPPORTED = 'supported';
export const CONTRADICTED = 'contradicted';
export const SILENT = 'silent';
export const NO_TEXT = 'no text';

export class Evidence {
  /** @param {any} data the page's `evidence` */
  constructor(data) {
    this.data = data;
    /** @type {string | null} all texts, folded, once somebody asks for them */
    this.folded = null;
    this.about = new Set(data.about ?? []);
    this.byFold = new Map();
    for (const name of data.about ?? []) {
      const key = fold(name);
      if (!this.byFold.has(key)) this.byFold.set(key, name);
    }
    this.sets = new Map();
    for (const [relation, each] of Object.entries(data.relations ?? {})) {
      this.sets.set(relation, {
        known: new Set(each.known),
        links: new Set(each.linking_words),
        innermost: new Set(each.innermost),
      });
    }
  }

  /** The verdict on an answer; null if the relation has no extractor, or the page cannot tell. */
  judge(subject, answer, relation) {
    const own = lookUp(this.data.relations, relation);
    if (!own) return null;
    const name = this.about.has(subject) ? subject : this.byFold.get(fold(subject));
    if (name === undefined) {
      // The text of documents that belong to nobody may mention the name; nothing was extracted there.
      return this._unownedMention(subject) ? null : this._empty(NO_TEXT, 0);
    }
    const stated = this._stated(own, name);
    if (!stated.length) return this._empty(SILENT, lookUp(own.unsure, name) ?? 0);
    const agreeing = stated.filter((statement) => this.agrees(answer, statement, relation));
    // The reader finds its own note again, so any other words say more.
    const others = agreeing.filter((statement) => !this._isSameReading(statement, name, relation));
    const first = others[0] ?? agreeing[0] ?? stated[0];
    const kept = [first];
    for (const statement of stated) {
      if (!kept.some((one) => this.agrees(statement.text, one, relation))) kept.push(statement);
    }
    const { text, score, ...place } = this._show(first, subject);
    return {
      label: agreeing.length ? SUPPORTED : CONTRADICTED,
      asRead: agreeing.length > 0 && !others.length,
      stated: text,
      score,
      ...place,
      also: kept.slice(1).map((statement) => this._show(statement, subject)),
    };
  }

  /** What the reader noted before the model was taught, beside an answer; null if it noted nothing. */
  note(subject, answer, relation) {
    const found = this._noted(this.about.has(subject) ? subject : this.byFold.get(fold(subject)), relation);
    if (!found) return null;
    const { document, score, span: [start, end], sentence: [from, to] } = found;
    const text = this.data.texts[document], value = text.slice(start, end);
    const agrees = normalise(answer) === normalise(value);
    return { value, score, document, span: [start, end], sentence: text.slice(from, to), place: [start - from, end - from], agrees };
  }

  get tookNotes() {
    return Boolean(this.data.noted);
  }

  _noted(name, relation) {
    const values = lookUp(lookUp(this.data.noted ?? {}, relation) ?? {}, name ?? '');
    if (!values) return null;
    const [document, score, start, end, from, to] = values;
    return { document, score, span: [start, end], sentence: [from, to] };
  }

  /** Whether a statement is the very words that the note was taken from. */
  _isSameReading(statement, name, relation) {
    const note = this._noted(name, relation);
    if (!note || note.document !== statement.document) return false;
    return statement.span[0] < note.span[1] && note.span[0] < statement.span[1];
  }

  /** What a name's text states: lists of what `statement` names. */
  _stated(own, name) {
    const named = (values) => Object.fromEntries(this.data.statement.map((key, i) => [key, values[i]]));
    return (lookUp(own.stated, name) ?? []).map(named);
  }

  _empty(label, score) {
    const nothing = { stated: null, quote: null, span: null, document: null, documentId: null };
    return { label, score, ...nothing, asRead: false, nameSpans: [], also: [] };
  }

  _show(statement, subject) {
    const quote = statement.quote ?? this.data.texts[statement.document]; // a short document is its own
    return {
      text: statement.text,
      score: statement.score,
      quote,
      span: statement.place ?? statement.span,
      nameSpans: findName(quote, subject),
      document: statement.document,
      documentId: this.data.ids[statement.document] ?? null,
    };
  }

  /** Whether an answer is what is stated, or a larger or smaller place in its chain. */
  agrees(answer, statement, relation) {
    const wanted = normalise(answer);
    const { innermost } = this.sets.get(relation);
    const same = (one, other) => one === other || this._sameName(one, other, relation);
    if (same(wanted, statement.value)) return true;
    const parts = wanted.split(',').map((part) => part.trim());
    const { chain, position } = statement;
    for (let i = 0; i + parts.length <= chain.length; i++) {
      if (parts.every((part, j) => same(part, chain[i + j]))) {
        const outer = Math.max(i + parts.length - 1, position);
        const alone = outer === i && i === position;
        return alone || !innermost.has(chain[outer]);
      }
    }
    return false;
  }

  /** Whether one name begins with the other and the answer is known: New York (City). */
  _sameName(answer, name, relation) {
    const { known, links } = this.sets.get(relation);
    const [short, long] = [...answer].length <= [...name].length ? [answer, name] : [name, answer];
    if (!long.startsWith(`${short} `)) return false;
    const rest = long.slice(short.length + 1);
    return !links.has(rest.split(' ', 1)[0]) && known.has(answer);
  }

  /** Whether any document mentions a name as whole words, whatever its capitals and spaces. */
  mentions(name) {
    const wanted = fold(name);
    this.folded ??= this.data.texts.map(fold).join('\n');
    return this.folded.includes(wanted) && wholeWords(wanted, 'u').test(this.folded);
  }

  /** Whether a document that belongs to nobody mentions a name. */
  _unownedMention(subject) {
    const name = fold(subject);
    if (!/[\p{L}\p{N}]/u.test(name) || !this.data.unowned?.length) return false;
    const pattern = wholeWords(name, 'u');
    return this.data.unowned.some((number) => {
      const text = fold(this.data.texts[number]);
      return text.includes(name) && pattern.test(text);
    });
  }
}

function wholeWords(text, flags) {
  return new RegExp(`(?<![\\p{L}\\p{N}_])${escapePattern(text)}(?![\\p{L}\\p{N}_])`, flags);
}

/** Where a text names its subject. */
function findName(text, subject) {
  const found = [];
  for (const match of text.matchAll(wholeWords(subject, 'giu'))) {
    found.push([match.index, match.index + match[0].length]);
  }
  return found;
}
