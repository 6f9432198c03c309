// Elements from names, attributes and children. Text only ever becomes a text node, so a name or an
// answer that looks like HTML is shown as it is.

/** @typedef {Node | string | number | null | undefined | false} Child */

const SVG = "http://www.w3.org/2000/svg";

/**
 * @param {string} tag  a name, with classes after full stops
 * @param {Record<string, any>} [attributes]  `on...` are listeners
 * @param {...Child} children
 * @returns {HTMLElement}
 */
export function el(tag, attributes = {}, ...children) {
  const [name, ...classes] = tag.split(".");
  const made = document.createElement(name);
  if (classes.length) made.className = classes.join(" ");
  return /** @type {HTMLElement} */ (dress(made, attributes, children));
}

/**
 * @param {string} name
 * @param {Record<string, any>} [attributes]
 * @param {...Child} children
 * @returns {SVGElement}
 */
export function svg(name, attributes = {}, ...children) {
  const made = document.createElementNS(SVG, name);
  return /** @type {SVGElement} */ (dress(made, attributes, children));
}

/**
 * @param {Element} made
 * @param {Record<string, any>} attributes
 * @param {Child[]} children
 */
function dress(made, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else made.setAttribute(key, value === true ? "" : String(value));
  }
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    made.append(child instanceof Node ? child : String(child));
  }
  return made;
}

/**
 * The element with this id; a page of another kind may have none.
 * @param {string} id
 * @returns {any}
 */
export function byId(id) {
  return document.getElementById(id);
}

/** @param {string} id @returns {any} */
export function readJson(id) {
  const found = byId(id);
  return found ? JSON.parse(found.textContent) : null;
}

/** A share in per cent, with a decimal only where it would otherwise be 0 or 100.
 * @param {number} share */
export function percent(share) {
  const value = 100 * share;
  if (value > 0 && value < 0.1) return "<0.1\u00a0%";
  if (value < 100 && value > 99.9) return ">99.9\u00a0%";
  if (value < 1 || (value > 99 && value < 100)) return `${value.toFixed(1)}\u00a0%`;
  return `${Math.round(value)}\u00a0%`;
}

/** What fills a bar. @param {number} share @returns {HTMLElement} */
export function filling(share) {
  const filled = el("span");
  filled.style.width = `${100 * Math.min(share, 1)}%`;
  return filled;
}

/** A row of a list of bars. @param {Node} name @param {string} figure @param {number} share @param {string} [look] */
export function barRow(name, figure, share, look = "") {
  return el(`li${look}`, {}, name, el("span.quiet", {}, figure), el("span.bar", { "aria-hidden": "true" }, filling(share)));
}

/** Buttons in a sentence: "ask about ", the first, " · ", the second. @param {string} words @param {HTMLElement[]} buttons */
export function inALine(words, buttons) {
  return [words, ...buttons.flatMap((button, i) => (i ? [" · ", button] : [button]))];
}

/** The beginning of a text that is too long to be shown. @param {string} text @param {number} most */
export function shorten(text, most) {
  const characters = [...text]; // not half of a pair
  return characters.length > most ? `${characters.slice(0, most).join("")}…` : text;
}

/** A name within a sentence that is only text: marks of direction in it end with it. @param {string} name */
export function isolate(name) {
  return `\u2068${name}\u2069`;
}

/** Whether the reader wants no motion. */
export function isCalm() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}
