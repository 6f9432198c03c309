// Look in: where the model looks, how the answer forms by layer, what it depends on.
import { byId, el, isolate, percent } from "./dom.js";
import { colour, drawLarge, drawSmall, inkOn } from "./heat.js";

export class Look {
  constructor() {
    this.body = byId("look-body");
    this.intro = byId("look-intro");
    this.layer = 0;
    this.head = 0;
    this.row = -1;
    this.turn = 0; // the number of the latest question: earlier ones must not draw any more
    this.seen = false; // whether the section is on the screen, or almost
    /** @type {((hear: (part: any) => void) => Promise<any>) | null} */
    this.start = null;
    /** @type {any} */
    this.found = null;
    /** @type {{letter: HTMLElement, tone: string, share: number}[]} the cells of the table by layer */
    this.cells = [];
    document.addEventListener("themechange", () => this.redraw());
    window.addEventListener("resize", () => this.redraw());
    new IntersectionObserver((entries) => { // of several changes at once the last one holds
      this.seen = entries[entries.length - 1].isIntersecting;
      this.compute();
    }, { rootMargin: "200px" }).observe(byId("look"));
  }

  /** A character that shows: the mask is the one before the answer. @param {string} character */
  visible(character) {
    const mask = this.found.characters[this.found.answer[0] - 1];
    return character === " " ? "␣" : character === mask ? "▮" : character;
  }

  forget() {
    this.turn += 1;
    this.start = null;
    this.found = null;
    this.body.hidden = true;
    this.intro.hidden = false;
  }

  /** There is something to look into; it is computed once somebody looks.
   * @param {(hear: (part: any) => void) => Promise<any>} start  the engine's `look` */
  offer(start) {
    this.forget();
    this.start = start;
    this.compute();
  }

  async compute() {
    const { start, turn } = this;
    if (!start || !this.seen) return;
    this.start = null;
    try {
      await start((part) => turn === this.turn && this.hear(part));
    } catch {
      return; // something else was asked, or this cannot be read: the card says so
    }
    if (turn === this.turn) this.finish();
  }

  /** A part of what the engine finds, as soon as it has it. @param {any} part */
  hear(part) {
    if (part.attention) {
      this.found = { ...part, effects: new Map() };
      const best = this.best();
      [this.layer, this.head] = [best.layer, best.head];
      this.row = part.answer[0] - 1; // this place writes the answer's first character
      this.intro.hidden = true;
      this.body.hidden = false;
      this.body.setAttribute("aria-busy", "true");
      this.body.replaceChildren(this.attention());
      this.redraw();
    } else if (part.lens) {
      this.found.lens = part.lens;
      this.body.append(this.lens(), this.dependence());
    } else if (part.dependence) {
      this.found.effects.set(part.dependence.at, part.dependence.effect);
      this.shade();
    }
  }

  finish() {
    this.body.setAttribute("aria-busy", "false");
    this.shade(true);
  }

  // -- attention -----------------------------------------------------------------------

  /** The layer and head in which the answer's first character looks most at the name. */
  best() {
    const { attention, characters, name, answer } = this.found;
    const n = characters.length, row = answer[0] - 1;
    let best = { layer: 0, head: 0, share: -1 };
    attention.forEach((/** @type {any[]} */ heads, /** @type {number} */ layer) => heads.forEach((weights, head) => {
      let share = 0;
      for (let s = name[0]; s < name[1]; s += 1) share += weights[row * n + s];
      if (share > best.share) best = { layer, head, share };
    }));
    return best;
  }

  /** The place in the name where a value is largest. @param {(t: number) => number} value */
  peak(value) {
    const [from, to] = this.found.name;
    let key = from;
    for (let t = from; t < to; t += 1) if (value(t) > value(key)) key = t;
    return key;
  }

  /** A character with the word that it stands in. @param {number} t */
  within(t) {
    const { characters, name } = this.found;
    let from = t, to = t;
    while (from > name[0] && characters[from - 1] !== " " && characters[from] !== " ") from -= 1;
    while (to < name[1] && characters[to] !== " ") to += 1;
    const word = characters.slice(from, to).join("");
    return characters[t] === " " ? "the space in the name" : word.length > 1 ? `the “${characters[t]}” of ${isolate(word)}` : `“${characters[t]}”`;
  }

  attention() {
    const { attention, characters, answer } = this.found;
    const best = this.best(), row = (answer[0] - 1) * characters.length;
    const keenest = this.peak((t) => attention[best.layer][best.head][row + t]);
    const said = `At layer ${best.layer + 1}, head ${best.head + 1}, the place that writes the answer’s first character gives ${percent(best.share)} of its attention to the name, most of it to ${this.within(keenest)}.`;
    this.tabs = el("div.tabs", { role: "tablist", "aria-label": "Layers" }, ...attention.map((/** @type {any} */ _, /** @type {number} */ layer) =>
      el("button.tab", { type: "button", role: "tab", "aria-selected": "false", onclick: () => { this.layer = layer; this.redraw(); } }, `Layer ${layer + 1}`)));
    this.tabs.addEventListener("keydown", (event) => {
      const key = /** @type {KeyboardEvent} */ (event).key;
      const step = key === "ArrowRight" ? 1 : key === "ArrowLeft" ? -1 : 0;
      if (!step || !this.tabs) return;
      this.layer = (this.layer + step + attention.length) % attention.length;
      this.redraw();
      /** @type {HTMLElement} */ (this.tabs.children[this.layer]).focus();
    });
    this.heads = el("div.heads", { role: "group", "aria-label": "Heads" });
    this.canvas = /** @type {HTMLCanvasElement} */ (el("canvas", { role: "img" }));
    this.canvas.addEventListener("mousemove", (event) => this.point(event));
    this.canvas.addEventListener("click", (event) => this.point(event));
    this.strip = el("div.strip", { role: "group", "aria-label": "Characters of question and answer; one shows where it looks" },
      ...characters.map((/** @type {string} */ character, /** @type {number} */ t) => el("button", {
        type: "button", "aria-pressed": "false", class: this.place(t), "aria-label": character === " " ? "space" : character,
        onclick: () => this.raise(t), onfocus: () => this.raise(t),
      }, this.visible(character))));
    this.strip.addEventListener("keydown", (event) => {
      const key = /** @type {KeyboardEvent} */ (event).key;
      const to = this.row + (key === "ArrowRight" ? 1 : key === "ArrowLeft" ? -1 : 0);
      if (to === this.row || to < 0 || to >= characters.length || !this.strip) return;
      event.preventDefault();
      /** @type {HTMLElement} */ (this.strip.children[to]).focus();
    });
    this.looks = el("p", { "aria-live": "polite" });
    return el("div.look-part", {}, el("h3", {}, "Where it looks"), el("p", {}, said), this.tabs, this.heads,
      this.strip, this.looks, el("div.large", {}, this.canvas),
      el("p.small", {}, "What to see: each row is a character that looks, each column what it looks at, and the stronger the blue, the more. The framed row writes the answer’s first letter. If the model has the answer from the name, that row is blue under the grey bracket, which is the name; the blue bracket is the answer."));
  }

  /** @param {number} t */
  place(t) {
    const { name, answer } = this.found;
    if (t >= name[0] && t < name[1]) return "in-name";
    return t >= answer[0] && t < answer[1] ? "in-answer" : null;
  }

  /** @param {MouseEvent} event */
  point(event) {
    if (!this.cell) return;
    const t = Math.floor((event.offsetY - 26) / this.cell);
    if (t >= 0 && t < this.found.characters.length && t !== this.row) this.raise(t);
  }

  /** @param {number} t */
  raise(t) {
    this.row = t;
    this.redraw(false);
  }

  /** @param {boolean} [all]  the small pictures too */
  redraw(all = true) {
    if (!this.found || !this.heads || !this.canvas || !this.strip || !this.tabs || !this.looks) return;
    const { attention, characters, name, answer } = this.found;
    const n = characters.length, heads = attention[this.layer];
    this.head = Math.min(this.head, heads.length - 1);
    if (all) {
      this.ink();
      [...this.tabs.children].forEach((tab, i) => {
        tab.setAttribute("aria-selected", String(i === this.layer));
        tab.setAttribute("tabindex", i === this.layer ? "0" : "-1");
      });
      this.heads.replaceChildren(...heads.map((/** @type {any} */ weights, /** @type {number} */ head) => {
        const small = /** @type {HTMLCanvasElement} */ (el("canvas", { "aria-hidden": "true" }));
        drawSmall(small, weights, n);
        return el("button.head", { type: "button", "aria-pressed": String(head === this.head),
          onclick: () => { this.head = head; this.redraw(); this.heads && /** @type {HTMLElement} */ (this.heads.children[head]).focus(); } }, small, `head ${head + 1}`);
      }));
    }
    const weights = heads[this.head];
    this.cell = drawLarge(this.canvas, weights, { characters: characters.map((/** @type {string} */ c) => this.visible(c)), name, answer, row: this.row });
    [...this.strip.children].forEach((each, t) => {
      each.setAttribute("aria-pressed", String(t === this.row));
      each.setAttribute("tabindex", t === this.row ? "0" : "-1"); // the arrows reach the others
    });
    const ranked = Array.from({ length: this.row + 1 }, (_, s) => ({ s, share: weights[this.row * n + s] }))
      .sort((a, b) => b.share - a.share).slice(0, 3).filter(({ share }) => share >= 0.01);
    const words = ranked.map(({ s, share }) => `“${this.visible(characters[s])}” (${this.where(s)}, ${percent(share)})`);
    this.looks.textContent = `From “${this.visible(characters[this.row])}” (${this.where(this.row)}) it looks at ${words.join(", ")}.`;
    this.canvas.setAttribute("aria-label", `Attention of layer ${this.layer + 1}, head ${this.head + 1}. ${this.looks.textContent}`);
  }

  /** @param {number} t */
  where(t) {
    const kind = this.place(t);
    return kind === "in-name" ? "name" : kind === "in-answer" ? "answer" : "question";
  }

  // -- the answer by layer ---------------------------------------------------------------

  lens() {
    const { lens, characters, answer } = this.found;
    const own = characters.slice(answer[0], answer[0] + lens[0].length);
    while (own.length < lens[0].length) own.push("■");
    // From this layer on; a later layer may think of something else again.
    const whole = lens.map((/** @type {any[]} */ cells) => cells.every((cell) => cell.rank === 1 || cell.own === cell.probability));
    const first = whole.lastIndexOf(false) + 1;
    const name = (/** @type {number} */ layer) => (layer === 0 ? "before layer 1" : `after layer ${layer}`);
    const said = first === lens.length
      ? "Not even after the last layer is every character of the answer the likeliest one by itself; the search found it all the same."
      : `${name(first)[0].toUpperCase()}${name(first).slice(1)}, every character of the answer is the likeliest one.`;
    this.cells = [];
    const rows = lens.map((/** @type {any[]} */ cells, /** @type {number} */ layer) => el("tr", {}, el("th", { scope: "row" }, name(layer)),
      ...cells.map((cell, i) => {
        const shade = el("i", { "aria-hidden": "true" });
        const share = Math.max(0.04, cell.probability), letter = el("b.mono", {}, this.visible(cell.character));
        shade.style.opacity = String(share);
        const same = cell.character === own[i] || cell.own === cell.probability;
        this.cells.push({ letter, tone: same ? "--accent" : "--quiet", share });
        return el(`td${same ? ".own" : ""}${cell.probability > 0.55 ? ".strong" : ""}`, { title: `${percent(cell.probability)}; the answer’s own character ${percent(cell.own)}` },
          shade, letter);
      })));
    this.ink();
    return el("div.look-part", {}, el("h3", {}, "How the answer forms"), el("p", {}, said),
      el("div.lens-box", { tabindex: "0", role: "group", "aria-label": "The likeliest character by layer" },
        el("table.lens", {}, el("caption.hidden", {}, "The likeliest character at each place of the answer, by layer"),
          el("thead", {}, el("tr", {}, el("td"), ...own.map((/** @type {string} */ c) => el("th.mono", { scope: "col" }, this.visible(c))))),
          el("tbody", {}, ...rows))),
      el("p.small", {}, "Each cell is the likeliest character if the model stopped there, its shade how likely. Blue: the answer’s own."));
  }

  /** The letters' colours, on their shades of the theme. */
  ink() {
    const [under, tones] = [colour("--faint"), { "--accent": colour("--accent"), "--quiet": colour("--quiet") }];
    for (const { letter, tone, share } of this.cells) letter.style.color = inkOn(under, tones[tone], share);
  }

  // -- what it depends on ------------------------------------------------------------------

  dependence() {
    const { characters, answer } = this.found;
    this.told = el("p", { role: "status" });
    this.marks = el("div.strip", { role: "img" }, ...characters.slice(0, answer[0] - 1).map((/** @type {string} */ character, /** @type {number} */ t) =>
      el("span.c", { class: `c ${this.place(t) ?? ""}` }, this.visible(character))));
    this.shade();
    return el("div.look-part", {}, el("h3", {}, "What the answer depends on"), this.told, this.marks,
      el("p.small", {}, "Each character of the question is replaced in turn; the stronger the blue, the more the answer’s probability falls."));
  }

  /** Shade the characters whose effect is known. @param {boolean} [done] */
  shade(done = false) {
    if (!this.marks || !this.told) return;
    const { effects } = this.found, parts = /** @type {HTMLElement[]} */ ([...this.marks.children]);
    const most = Math.max(...effects.values(), 1e-9);
    for (const [t, effect] of effects) {
      const share = Math.max(0, effect) / most;
      parts[t].title = `${effect.toFixed(2)} nats`;
      parts[t].style.background = `color-mix(in srgb, var(--accent) ${Math.round(70 * share)}%, transparent)`;
    }
    const said = done ? this.tellDependence() : `Computing: ${effects.size} of ${parts.length} characters …`;
    if (done || effects.size % 5 === 0) this.told.textContent = said; // a screen reader reads each
    this.marks.setAttribute("aria-label", said);
  }

  tellDependence() {
    const { effects } = this.found, key = this.peak((t) => effects.get(t));
    const most = effects.get(key), factor = Math.exp(most).toLocaleString("en", { maximumSignificantDigits: 2 });
    return most < 0.1
      ? "No single character of the name matters much to the answer."
      : `In the name, the answer depends most on ${this.within(key)}: with another character there, it is ${factor} times less likely.`;
  }
}
