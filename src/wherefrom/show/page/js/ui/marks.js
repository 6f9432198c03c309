// The marks of evidence and source: a shape and a word, never a colour alone.
import { el, shorten, svg } from "./dom.js";

const DISC = "M-5,0a5,5 0 1,0 10,0a5,5 0 1,0 -10,0";
const BOX = "M-5,-5h10v10h-10z";
const GLYPHS = /** @type {Record<string, [string, string]>} */ ({
  supported: ["fill", BOX],
  "as read": ["stroke", BOX],
  contradicted: ["stroke", "M-5,-5L5,5M5,-5L-5,5"],
  silent: ["stroke", DISC],
  "no text": ["stroke dashed", BOX],
  recalled: ["fill", DISC],
  guessed: ["stroke dashed", DISC],
});
const SAYS = /** @type {Record<string, string>} */ ({
  supported: "the text says so",
  "as read": "the reader finds its own note again, which confirms nothing",
  contradicted: "the text says otherwise",
  silent: "the text about this name does not say",
  "no text": "nothing in the text is about this name",
  recalled: "from memory of the text",
  guessed: "without memory of the text",
});

/** @param {string} label @param {boolean} [explained] */
export function mark(label, explained = false) {
  const [look, path] = GLYPHS[label] ?? GLYPHS["silent"];
  const kind = label === "recalled" || label === "guessed" ? "source" : "evidence";
  const glyph = svg("svg", { class: "glyph", viewBox: "-8 -8 16 16", "aria-hidden": "true" },
    svg("path", { class: look, d: path }));
  const word = el(`span.mark-word.${kind}.${label.replace(" ", "-")}`, {}, glyph, label);
  if (!explained) return word;
  return el("span", {}, word, el("span.fine", {}, " ", SAYS[label] ?? ""));
}

const LONGEST = 200; // characters of a question that are shown

/**
 * A question whose name stands by itself, so that marks of direction in it leave the rest alone.
 * @param {string} question
 * @param {string | null} subject  its name, if it is known
 */
export function asked(question, subject) {
  const shown = shorten(question, LONGEST), from = subject ? shown.indexOf(subject) : -1;
  if (!subject || from < 0) return el("bdi", {}, shown);
  return el("bdi", {}, shown.slice(0, from), el("bdi", {}, subject), shown.slice(from + subject.length));
}

/**
 * A quoted line with the name and the value marked; spans count UTF-16 units, as strings here do.
 * @param {string} quote
 * @param {[number, number][]} names
 * @param {[number, number] | null} value
 */
export function quoted(quote, names, value) {
  const marks = new Array(quote.length).fill("");
  for (const [from, to] of names) marks.fill("name", from, to);
  if (value) marks.fill("value", value[0], value[1]);
  const parts = [];
  for (let start = 0; start < quote.length; ) {
    let end = start;
    while (end < quote.length && marks[end] === marks[start]) end += 1;
    const text = quote.slice(start, end);
    parts.push(marks[start] ? el(`mark.${marks[start]}`, {}, text) : text);
    start = end;
  }
  return el("q", {}, ...parts);
}
