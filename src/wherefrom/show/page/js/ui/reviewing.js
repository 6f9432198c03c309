// The averaging network: what each word of a review does to the judgement.
import { barRow, byId, el, filling, percent, readJson, shorten } from "./dom.js";
import { LiveField } from "./live.js";

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
    this.card = byId("judgement");
    const { examples } = readJson("page-data");
    const live = new LiveField(byId("review"), examples[0] ?? "", {
      compute: (engine, text) => engine.call("review", { text }),
      show: (found) => this.show(found),
      refuse: (words) => this.say("refused", "This cannot be judged", words),
      breakDown: (words) => this.say("broken", "The model does not run here", words),
    });
    byId("review-examples").replaceChildren(...examples.map((/** @type {string} */ text) =>
      el("li", {}, el("button.pick", { type: "button", onclick: () => live.put(text) }, el("bdi", {}, shorten(text, 90))))));
  }

  /** @param {string} state @param {string} head @param {string} words */
  say(state, head, words) {
    this.card.dataset.state = state;
    this.card.replaceChildren(el("p.answer", {}, head), el("p", {}, words));
  }

  /** @param {any} found */
  show(found) {
    const known = found.words.filter((/** @type {any} */ each) => each.known);
    const ranked = [...known].sort((a, b) => Math.abs(b.effect) - Math.abs(a.effect)).slice(0, 6);
    const said = tellEffects(ranked);
    this.card.dataset.state = "answered";
    this.card.replaceChildren(
      el("p.answer", {}, found.label, el("span.sure", {}, percent(found.probability), el("span.fine", {}, "by the model itself"))),
      el("div.sure-bar", { "aria-hidden": "true" }, filling(found.probability)),
      el("p.review-words", {}, ...found.words.flatMap((/** @type {any} */ each) => [this.word(each), " "])),
      el("p.small", {}, "Solid line: the word speaks for “positive”. Dotted line: against. Grey: the model does not know it."),
      el("p", {}, said),
      el("ul.bars.effects", {}, ...ranked.map((each) => {
        const side = sideOf(each.effect), size = Math.abs(each.effect);
        return barRow(el("bdi", {}, each.word), `${side ? `${side}, ` : ""}${size.toFixed(2)}`, size / STRONG_EFFECT, side === "against" ? ".against" : "");
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
