// The field: whole questions or names, completed from the names that the run knows of.
import { Parser } from "../engine/parser.js";
import { Refusal } from "../engine/text.js";
import { byId, el } from "./dom.js";
import { asked } from "./marks.js";

const MOST_OFFERED = 8;
const KINDS = /** @type {Record<string, string>} */ ({
  stated: "the text states it",
  omitted: "the text omits it",
  none: "no text",
});

/** @param {any} each  a name that the run knows of */
function describeName(each) {
  if (each.unasked) return "the text states it, no question asks";
  return each.split === "asked" ? "trained on this question" : KINDS[each.support] ?? "";
}

/** Small letters without accents: whoever searches need not type them. @param {string} text */
export function plainLetters(text) {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().replace(/\s+/g, " ").trim();
}

/** @param {string} text  in plain letters */
const withoutMarks = (text) => text.replace(/[?.!\s]+$/, "");

/** Questions from what somebody typed, with the run's own forms. */
export class Questions {
  /** @param {any} data  the engine's data */
  constructor(data) {
    this.forms = data.forms;
    const others = (data.evidence?.unasked ?? []).map((/** @type {string} */ name) => ({ name, unasked: true }));
    this.names = [...data.names, ...others].map((/** @type {any} */ each) => ({ ...each, folded: plainLetters(each.name) }));
    this.parser = new Parser(data.forms, data.names.map((/** @type {any} */ each) => each.name));
    this.ends = data.forms.map((/** @type {any} */ form) => (
      { start: plainLetters(form.prefix), end: withoutMarks(plainLetters(form.suffix)) }));
  }

  /** @param {string} name @param {any} [form] */
  about(name, form = this.forms[0]) {
    return form.prefix + name + form.suffix;
  }

  /** A whole question as it is; anything else is taken for a name. @param {string} text */
  complete(text) {
    const typed = text.trim(), wanted = withoutMarks(plainLetters(typed));
    for (const { start, end } of this.ends) {
      if ((start && wanted.startsWith(start)) || (end && wanted.endsWith(end) && /\s/.test(wanted))) return typed;
    }
    const closed = /[?]\s*$/.test(typed); // a known name may be asked for with a question mark
    const bare = typed.replace(/[?!\s]+$/, "");
    if (closed && !this.names.some((/** @type {any} */ each) => each.folded === plainLetters(bare))) return typed;
    return this.about(closed ? bare : typed);
  }

  /** @param {string} question */
  subject(question) {
    try {
      return this.parser.parse(question).subject;
    } catch (error) {
      if (error instanceof Refusal) return null;
      throw error;
    }
  }

  /** The name inside what is typed so far: of the forms that fit, the longest counts. @param {string} text */
  named(text) {
    const typed = plainLetters(text), closed = withoutMarks(typed);
    let name = typed, longest = 0;
    for (const { start, end } of this.ends) {
      if (!typed.startsWith(start)) continue;
      const rest = closed.slice(start.length);
      const ended = end !== "" && rest.endsWith(end);
      const length = start.length + (ended ? end.length : 0);
      if (length <= longest) continue;
      longest = length;
      name = (ended ? rest.slice(0, -end.length) : rest).trim();
    }
    return name;
  }

  /** Names that begin so, then names with a word that does. @param {string} text */
  matching(text) {
    const wanted = this.named(text);
    if (!wanted) return [];
    const first = [], second = [];
    for (const each of this.names) {
      if (each.folded.startsWith(wanted)) first.push(each);
      else if (each.folded.includes(` ${wanted}`)) second.push(each);
      if (first.length >= MOST_OFFERED) break;
    }
    return [...first, ...second].slice(0, MOST_OFFERED);
  }
}

/**
 * A combobox after the ARIA pattern: arrows choose, Enter asks, Escape closes.
 * @param {Questions} questions
 * @param {(question: string) => void} ask
 */
export function offerNames(questions, ask) {
  const input = byId("question"), list = byId("names"), form = byId("ask-form");
  /** @type {{text: string, item: HTMLElement}[]} */
  let options = [];
  let chosen = -1;

  const close = () => {
    list.hidden = true;
    options = [];
    chosen = -1;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  };
  /** @param {string} text */
  const take = (text) => {
    input.value = text;
    close();
    ask(text);
  };
  /** @param {number} index */
  const choose = (index) => {
    chosen = index;
    options.forEach(({ item }, i) => item.setAttribute("aria-selected", String(i === index)));
    if (index < 0) return input.removeAttribute("aria-activedescendant");
    input.setAttribute("aria-activedescendant", options[index].item.id);
    options[index].item.scrollIntoView({ block: "nearest" });
  };
  const open = () => {
    const found = questions.matching(input.value);
    const several = questions.forms.length > 1;
    options = found.flatMap((/** @type {any} */ each) => {
      const forms = several && found.length <= 2 ? questions.forms : questions.forms.slice(0, 1);
      return forms.map((/** @type {any} */ own) => ({ each, text: questions.about(each.name, own) }));
    }).slice(0, MOST_OFFERED).map(({ each, text }, i) => {
      const shown = several ? text : each.name;
      const item = el("li", { role: "option", id: `name-${i}`, "aria-selected": "false" },
        asked(shown, each.name), el("span.fine", {}, describeName(each)));
      item.addEventListener("mousedown", (event) => event.preventDefault());
      item.addEventListener("click", () => take(text));
      return { text, item };
    });
    if (!options.length) return close();
    list.replaceChildren(...options.map(({ item }) => item));
    list.hidden = false;
    chosen = -1;
    input.setAttribute("aria-expanded", "true");
    input.removeAttribute("aria-activedescendant");
  };

  input.addEventListener("input", open);
  input.addEventListener("blur", close);
  input.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    if (event.key === "Escape" && !list.hidden) { event.preventDefault(); close(); }
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    event.preventDefault();
    if (list.hidden) return open();
    const step = event.key === "ArrowDown" ? 1 : -1;
    const count = options.length + 1; // one place is the field itself
    choose(((chosen + 1 + step + count) % count) - 1);
  });
  form.addEventListener("submit", (/** @type {Event} */ event) => {
    event.preventDefault();
    if (chosen >= 0) return take(options[chosen].text);
    const typed = input.value.trim();
    take(typed && questions.complete(typed));
    if (!typed) input.focus();
  });
}
