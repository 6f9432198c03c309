// The averaging network: what each word of a review does to the judgement.
import { byId, el, percent, readJson } from "./dom.js";
import { engineData, errorWords, openEngine } from "./engine.js";

const PAUSE = 120; // milliseconds after the last key
const STRONG_EFFECT = 2; // log-odds from which on a word is shown in full colour

/** The side that a word speaks for; "" if its effect is shown as 0.00. @param {number} effect */
function sideOf(effect) {
  if (Math.abs(effect).toFixed(2) === "0.00") return "";
  return effect > 0 ? "for" : "against";
}

/** @param {{word: string, effect: number}[]} ranked  the words that it knows, the weightiest first */
export function tellEffects(ranked) {
  if (!ranked.length) return "It knows none of these words.";
  const [{ word, effect }] = ranked, side = sideOf(effect);
  return side
    ? `“${word}” weighs most; it speaks ${side} “positive”.`
    : "No single word changes the judgement: it is the same without any one of them.";
}

export class Reviewing {
  constructor() {
    this.data = engineData();
    this.field = byId("review");
    this.card = byId("judgement");
    this.number = 0;
    const examples = readJson("page-data").examples;
    byId("review-examples").replaceChildren(...examples.map((/** @type {string} */ text) =>
      el("li", {}, el("button.pick", { type: "button", onclick: () => { this.field.value = text; this.judge(); } },
        el("bdi", {}, text.length > 90 ? `${text.slice(0, 90)}…` : text)))));
    this.field.addEventListener("input", () => {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.judge(), PAUSE);
    });
    this.start(examples[0] ?? "");
  }

  /** @param {string} first */
  async start(first) {
    try {
      this.engine = await openEngine(this.data);
    } catch (error) {
      this.card.dataset.state = "broken";
      this.card.replaceChildren(el("p.answer", {}, "The model does not run here"), el("p", {}, errorWords(error)));
      return;
    }
    if (!this.field.value) this.field.value = first;
    this.judge();
  }

  async judge() {
    if (!this.engine) return;
    this.number += 1;
    const number = this.number;
    try {
      const found = await this.engine.call("review", { text: this.field.value });
      if (number === this.number) this.show(found);
    } catch (error) {
      if (number !== this.number) return;
      this.card.dataset.state = "refused";
      this.card.replaceChildren(el("p.answer", {}, "This cannot be judged"), el("p", {}, errorWords(error)));
    }
  }

  /** @param {any} found */
  show(found) {
    const filled = el("span");
    filled.style.width = `${100 * found.probability}%`;
    const known = found.words.filter((/** @type {any} */ each) => each.known);
    const ranked = [...known].sort((a, b) => Math.abs(b.effect) - Math.abs(a.effect)).slice(0, 6);
    const said = tellEffects(ranked);
    this.card.dataset.state = "answered";
    this.card.replaceChildren(
      el("p.answer", {}, found.label, el("span.sure", {}, percent(found.probability), el("span.fine", {}, "by the model itself"))),
      el("div.sure-bar", { "aria-hidden": "true" }, filled),
      el("p.review-words", {}, ...found.words.flatMap((/** @type {any} */ each) => [this.word(each), " "])),
      el("p.small", {}, "Solid line: the word speaks for “positive”. Dotted line: against. Grey: the model does not know it."),
      el("p", {}, said),
      el("ul.bars.effects", {}, ...ranked.map((each) => {
        const part = el("span");
        part.style.width = `${Math.min(100, (100 * Math.abs(each.effect)) / STRONG_EFFECT)}%`;
        const side = sideOf(each.effect);
        return el(`li${side === "against" ? ".against" : ""}`, {}, el("bdi", {}, each.word),
          el("span.quiet", {}, `${side ? `${side}, ` : ""}${Math.abs(each.effect).toFixed(2)}`),
          el("span.bar", { "aria-hidden": "true" }, part));
      })));
    byId("judged").textContent = `${found.label}, ${percent(found.probability)}. ${said}`;
  }

  /** @param {any} each */
  word(each) {
    if (!each.known) return el("span.unknown", { title: "not in the vocabulary" }, each.word);
    const share = Math.min(Math.abs(each.effect) / STRONG_EFFECT, 1);
    const side = sideOf(each.effect);
    const part = el(`span${side ? `.${side}` : ""}`, { title: `${each.effect.toFixed(2)} log-odds` }, each.word);
    const tone = each.effect > 0 ? "--accent" : "--vermilion";
    part.style.background = `color-mix(in srgb, var(${tone}) ${Math.round(45 * share)}%, transparent)`;
    return part;
  }
}
