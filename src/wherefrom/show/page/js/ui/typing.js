// Language models: what each expects next, and how many bits each symbol of a text costs it.
import { byId, el, percent, readJson } from "./dom.js";
import { engineData, errorWords, openEngine } from "./engine.js";

const WAIT = 120; // milliseconds after the last key
const DEAR = 8; // bits from which on a symbol is shown as dearest

export class Typing {
  constructor() {
    this.data = engineData();
    this.page = readJson("page-data");
    this.field = byId("typed");
    this.says = byId("typing-says");
    this.number = 0;
    this.field.addEventListener("input", () => this.later());
    this.offerOpenings();
    this.start();
  }

  async start() {
    try {
      this.engine = await openEngine(this.data);
    } catch (error) {
      this.says.textContent = `The models do not run here: ${errorWords(error)}`;
      return;
    }
    if (!this.field.value) this.field.value = this.page.openings[0] ?? "";
    this.read();
  }

  offerOpenings() {
    const picks = this.page.openings.map((/** @type {string} */ text) =>
      el("button.pick", { type: "button", onclick: () => { this.field.value = text; this.read(); } }, el("bdi", {}, text.length > 30 ? `${text.slice(0, 28)}…` : text)));
    if (this.page.unit === "character") {
      picks.push(el("button.pick", { type: "button", onclick: () => this.writeOn() }, "let it write on"));
    }
    byId("openings").replaceChildren("or take ", ...picks.flatMap((/** @type {any} */ pick, /** @type {number} */ i) => (i ? [" · ", pick] : [pick])));
  }

  /** The first model goes on from what is typed, character by character. */
  async writeOn() {
    if (!this.engine) return;
    this.number += 1;
    const number = this.number, start = this.field.value;
    const hear = /** @type {any} */ ((/** @type {any} */ progress) => {
      if (number === this.number && progress.written !== undefined) this.field.value = start + progress.written;
    });
    try {
      const seed = this.seed = (this.seed ?? -1) + 1;
      await this.engine.call("continue", { text: start, model: this.data.models[0].name, length: 80, temperature: 0.8, seed }, hear);
      if (number === this.number) this.read();
    } catch (error) {
      if (number === this.number) this.refuse(error);
    }
  }

  /** What was read before belongs to another text. @param {any} error */
  refuse(error) {
    this.says.textContent = errorWords(error);
    byId("readings").classList.add("stale");
  }

  later() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.read(), WAIT);
  }

  async read() {
    if (!this.engine) return;
    this.number += 1;
    const number = this.number, text = this.field.value;
    try {
      const found = [];
      for (const model of this.data.models) {
        found.push(await this.engine.call("next", { text, model: model.name, count: 10 }));
        if (number !== this.number) return;
      }
      this.show(found);
    } catch (error) {
      if (number === this.number) this.refuse(error);
    }
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
      el("div.next", {}, el("p.small", {}, `the next ${this.page.unit}`), el("ul.bars.own", {}, ...next.slice(0, 8).map((/** @type {any} */ one) => {
        const filled = el("span");
        filled.style.width = `${(100 * one.probability) / most}%`;
        const shown = one.character ?? one.word;
        return el("li", {}, el("bdi.mono", {}, named(shown)), el("span.quiet", {}, percent(one.probability)),
          el("span.bar", { "aria-hidden": "true" }, filled));
      }))));
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
