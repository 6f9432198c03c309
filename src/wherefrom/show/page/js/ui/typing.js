// Language models: what each expects next, and how many bits each symbol of a text costs it.
import { barRow, byId, el, inALine, percent, readJson, shorten } from "./dom.js";
import { LiveField } from "./live.js";

const DEAR = 8; // bits from which on a symbol is shown as dearest

export class Typing {
  constructor() {
    this.page = readJson("page-data");
    this.says = byId("typing-says");
    const live = new LiveField(byId("typed"), this.page.openings[0] ?? "", {
      compute: async (engine, text, data) => {
        const found = [];
        for (const { name } of data.models) found.push(await engine.call("next", { text, model: name, count: 10 }));
        return found;
      },
      show: (found) => this.show(found),
      refuse: (words) => this.refuse(words),
      breakDown: (words) => { this.says.textContent = `The models do not run here: ${words}`; },
    });
    const picks = this.page.openings.map((/** @type {string} */ text) =>
      el("button.pick", { type: "button", onclick: () => live.put(text) }, el("bdi", {}, shorten(text, 28))));
    byId("openings").replaceChildren(...inALine("or take ", picks));
  }

  /** What was read before belongs to another text. @param {string} words */
  refuse(words) {
    this.says.textContent = words;
    byId("readings").classList.add("stale");
  }

  /** @param {any[]} found */
  show(found) {
    const unit = this.page.unit;
    const best = [...found].sort((a, b) => a.average - b.average)[0];
    const name = best.model.replaceAll("_", " ");
    const length = best.bits?.length ?? 0;
    const among = found.length > 1 ? `${name} needs fewest bits: ` : "";
    this.says.textContent = length
      ? `${among}${best.total.toFixed(1)} bits for ${length === 1 ? `this ${unit}` : `these ${length} ${unit}s, ${best.average.toFixed(2)} each`} (perplexity ${best.perplexity.toFixed(1)}).`
      : `Nothing is typed: these are the likeliest first ${unit}s.`;
    const unknown = best.unknown ?? [];
    if (unknown.length) this.says.textContent += ` Unknown to the models: ${unknown.join(" ")}`;
    byId("readings").classList.remove("stale");
    byId("readings").classList.toggle("two", found.length === 2);
    byId("readings").replaceChildren(...found.map((each) => this.reading(each)));
  }

  /** @param {any} each */
  reading(each) {
    const next = each.characters ?? each.words;
    const most = Math.max(...next.map((/** @type {any} */ one) => one.probability));
    return el("div.reading", {},
      el("h3", {}, each.model.replaceAll("_", " "), el("span.fine", {}, each.bits?.length ? ` ${each.average.toFixed(2)} bits per ${this.page.unit}` : "")),
      this.priced(each),
      el("div.next", {}, el("p.small", {}, `the next ${this.page.unit}`), el("ul.bars.own", {}, ...next.slice(0, 8).map((/** @type {any} */ one) =>
        barRow(el("bdi.mono", {}, named(one.character ?? one.word)), percent(one.probability), one.probability / most)))));
  }

  /** The text with each symbol's price as its shade. @param {any} each */
  priced(each) {
    const pieces = each.pieces
      ? each.pieces.map((/** @type {any} */ piece) => [piece.text || "↵", piece.bits])
      : [...each.form].map((character, i) => [character, each.bits[i]]);
    const dearest = pieces.reduce((/** @type {any} */ a, /** @type {any} */ b) => ((b[1] ?? 0) > (a?.[1] ?? 0) ? b : a), null);
    const said = dearest ? `The dearest ${this.page.unit} is “${named(dearest[0])}” with ${dearest[1].toFixed(1)} bits.` : "";
    const strip = el(`div.strip.prices${each.pieces ? ".words" : ""}`, { role: "img", "aria-label": said }, ...pieces.map((/** @type {any} */ [text, bits]) => {
      const part = el("span.c", { title: bits === undefined || bits === null ? "" : `${bits.toFixed(2)} bits` }, text === "\n" ? "↵" : text);
      const share = Math.min((bits ?? 0) / DEAR, 1);
      part.style.background = `color-mix(in srgb, var(--vermilion) ${Math.round(65 * share)}%, transparent)`;
      return part;
    }));
    return el("div", {}, strip, said ? el("p.small", {}, said, " The redder, the less expected.") : null);
  }
}

/** @param {string} symbol */
function named(symbol) {
  if (symbol === " ") return "space";
  if (symbol === "\n") return "end of line";
  if (symbol === "" || symbol === "</s>") return "end of sentence";
  return symbol;
}
