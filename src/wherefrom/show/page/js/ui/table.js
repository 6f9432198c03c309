// Every held-out answer: chips filter, headings sort, a field searches; on a phone rows are cards.
import { byId, el, percent } from "./dom.js";
import { mark } from "./marks.js";
import { plainLetters } from "./names.js";
import { save } from "./share.js";

const AT_FIRST = 25;

/** The chips: a group's name, and for each chip its words and what it lets through. A row is shown if
 * every group with a pressed chip has one that lets it through: wrong and answered, say. */
const GROUPS = /** @type {[string, [string, (row: any) => boolean][]][]} */ ([
  ["outcome", [["right", (row) => row.ok], ["wrong", (row) => !row.ok]]],
  ["decision", [["answered", (row) => row.given], ["declined", (row) => !row.given]]],
  ["evidence", ["supported", "as read", "contradicted", "silent", "no text"].map((label) => [label, (row) => row.e === label])],
  ["source", ["recalled", "guessed"].map((label) => [label, (row) => row.o === label])],
]);

export class AnswersTable {
  /**
   * @param {{answers: any[], relations: string[]}} data
   * @param {((question: string) => void) | null} ask
   */
  constructor(data, ask) {
    this.rows = data.answers;
    this.relations = data.relations;
    this.measured = this.rows.some((row) => row.o);
    this.ask = ask;
    this.table = byId("answers-table");
    this.all = false;
    this.key = "";
    this.down = false;
    this.wanted = "";
    /** @type {Map<string, {group: string, passes: (row: any) => boolean, chip: HTMLElement}>} */
    this.chips = new Map();
    /** @type {Set<string>} */
    this.pressed = new Set();
    for (const row of this.rows) row.folded = plainLetters(`${row.s} ${row.a} ${row.g} ${row.r}`);
    this.offerFilters();
    this.offerSorting();
    byId("more").addEventListener("click", () => { this.all = true; this.show(); });
    byId("as-json").addEventListener("click", () => save("answers.json", new Blob([JSON.stringify(wholeWordRows(this.rows), null, 1)], { type: "application/json" })));
    byId("as-csv").addEventListener("click", () => save("answers.csv", new Blob([asCsv(this.rows)], { type: "text/csv" })));
    this.show();
  }

  offerFilters() {
    const groups = this.relations.length > 1 && this.relations.length <= 12
      ? [...GROUPS, /** @type {any} */ (["relation", this.relations.map((name) => [name, (/** @type {any} */ row) => row.r === name])])]
      : GROUPS;
    const search = el("input", { type: "search", placeholder: "Search names and answers", "aria-label": "Search names and answers",
      oninput: (/** @type {any} */ event) => { this.wanted = plainLetters(event.target.value); this.show(); } });
    const shown = groups.map(([group, chips]) => {
      const made = chips.filter(([, passes]) => this.rows.some(passes)).map(([words, passes]) => {
        const key = `${group} ${words}`;
        const chip = el("button.chip", { type: "button", "aria-pressed": "false", onclick: () => this.press(key) }, words);
        this.chips.set(key, { group, passes, chip });
        return chip;
      });
      return made.length > 1 ? el("div.group", { role: "group", "aria-label": group }, ...made) : null;
    });
    byId("filters").replaceChildren(...shown.filter((each) => each !== null), search);
  }

  offerSorting() {
    for (const head of this.table.querySelectorAll("th[data-key]")) {
      const words = head.textContent;
      head.replaceChildren(el("button", { type: "button", onclick: () => this.sort(head.dataset.key) }, words));
    }
  }

  /** @param {string} key */
  press(key) {
    if (!this.pressed.delete(key)) this.pressed.add(key);
    this.show();
  }

  /** Only what has these labels; for the two-way table. @param {string[]} keys */
  only(keys) {
    this.pressed = new Set(keys);
    this.show();
    byId("answers-box").open = true;
    byId("answers").scrollIntoView();
    const first = this.chips.get(keys[0]);
    if (first) first.chip.focus({ preventScroll: true });
  }

  /** @param {string} key */
  sort(key) {
    this.down = this.key === key ? !this.down : key === "c";
    this.key = key;
    this.show();
  }

  found() {
    const groups = new Map();
    for (const key of this.pressed) {
      const chip = this.chips.get(key);
      if (chip) groups.set(chip.group, [...(groups.get(chip.group) ?? []), chip.passes]);
    }
    const rows = this.rows.filter((row) => row.folded.includes(this.wanted)
      && [...groups.values()].every((any) => any.some((/** @type {any} */ passes) => passes(row))));
    if (!this.key) return rows;
    const sign = this.down ? -1 : 1;
    const value = (/** @type {any} */ row) => row[this.key] ?? -1;
    return [...rows].sort((a, b) => sign * (typeof value(a) === "string"
      ? value(a).localeCompare(value(b), "en") : value(a) - value(b)));
  }

  show() {
    for (const [key, { chip }] of this.chips) chip.setAttribute("aria-pressed", String(this.pressed.has(key)));
    for (const head of this.table.querySelectorAll("th[data-key]")) {
      head.setAttribute("aria-sort", head.dataset.key !== this.key ? "none" : this.down ? "descending" : "ascending");
    }
    const rows = this.found(), shown = this.all ? rows : rows.slice(0, AT_FIRST);
    const right = rows.filter((row) => row.ok).length;
    byId("answers-count").textContent = rows.length
      ? `${rows.length.toLocaleString("en")} of ${this.rows.length.toLocaleString("en")} answers, ${right.toLocaleString("en")} of them right`
      : "No answer has all of this.";
    this.table.tBodies[0].replaceChildren(...shown.map((row) => this.row(row)));
    const listed = byId("answers-listed"); // for paper: the screen has the button
    listed.hidden = shown.length === rows.length;
    listed.textContent = `Only the first ${shown.length} are listed here.`;
    const more = byId("more");
    more.hidden = shown.length === rows.length;
    more.textContent = `Show all ${rows.length.toLocaleString("en")}`;
  }

  /** @param {any} row */
  row(row) {
    const ask = this.ask;
    const name = el("bdi", {}, row.s);
    const who = ask ? el("button.who", { type: "button", title: "Ask it", onclick: () => ask(row.q) }, name) : name;
    const said = el("span", row.ok ? {} : { class: "wrong" }, el("bdi", {}, row.a || "nothing"), row.ok ? "" : " ✕");
    const cells = /** @type {[string, any][]} */ ([
      ["who", this.relations.length > 1 ? el("span", {}, who, el("span.asked-for", {}, row.r)) : who],
      ["it says", row.given ? said : el("span.held-back", {}, el("bdi", {}, row.a || "nothing"), row.ok ? "" : " ✕", el("span.fine", {}, " declined"))],
      ["right is", el("bdi", {}, row.g)],
      ["sure", row.c === null ? "–" : el("span", {}, percent(row.c), row.u ? el("span.fine", {}, " unverified") : "")],
      ["evidence", row.e ? mark(row.e) : ""],
      ...(this.measured ? [["source", row.o ? mark(row.o) : ""]] : []),
    ]);
    return el("tr", {}, ...cells.map(([label, value]) => el("td", { "data-label": label }, value)));
  }
}

const FIELDS = /** @type {Record<string, string>} */ ({
  q: "question", s: "subject", r: "relation", a: "answer", g: "right_answer", ok: "right", given: "answered", c: "confidence",
  u: "unverified", e: "evidence", o: "source", t: "support",
});

/** The rows with whole words for their fields. @param {any[]} rows */
export function wholeWordRows(rows) {
  return rows.map((row) => Object.fromEntries(Object.entries(FIELDS).map(([key, name]) => [name, row[key]])));
}

/** The same as comma-separated values (RFC 4180). @param {any[]} rows */
export function asCsv(rows) {
  const quote = (/** @type {any} */ value) => {
    const text = value === null ? "" : String(value);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const lines = [Object.values(FIELDS), ...wholeWordRows(rows).map((row) => Object.values(row))];
  return lines.map((line) => `${line.map(quote).join(",")}\r\n`).join("");
}
