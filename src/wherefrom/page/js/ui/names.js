// The field: whole questions or names, completed from the names that the run knows of.
import { byId, el } from "./dom.js";

const SHOWN = 8;
const KINDS = /** @type {Record<string, string>} */ ({
  stated: "the text tells",
  omitted: "the text leaves it out",
  none: "no text",
});

/** Small letters without accents: whoever searches need not type them. @param {string} text */
export function plainLetters(text) {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().replace(/\s+/g, " ").trim();
}

/** Questions from what somebody typed, with the run's own forms. */
export class Questions {
  /** @param {any} data  the engine's data */
  constructor(data) {
    this.forms = data.forms;
    this.names = data.names.map((/** @type {any} */ each) => ({ ...each, folded: plainLetters(each.name) }));
  }

  /** @param {string} name @param {any} [form] */
  about(name, form = this.forms[0]) {
    return form.prefix + name + form.suffix;
  }

  /** A whole question as it is; anything else is taken for a name. @param {string} text */
  complete(text) {
    const typed = text.trim();
    const wanted = plainLetters(typed).replace(/[?.!\s]+$/, "");
    for (const { prefix, suffix } of this.forms) {
      const start = plainLetters(prefix), end = plainLetters(suffix).replace(/[?.!\s]+$/, "");
      if ((start && wanted.startsWith(start)) || (end && wanted.endsWith(end) && /\s/.test(wanted))) return typed;
    }
    return /[?]\s*$/.test(typed) ? typed : this.about(typed);
  }

  /** What is known of the name in a question. @param {string} question */
  tell(question) {
    const wanted = this.named(question);
    const known = this.names.find((/** @type {any} */ each) => each.folded === wanted);
    if (!known) return "a made-up name";
    return known.split === "asked" ? "trained on this question" : KINDS[known.support] ?? "";
  }

  /** The name inside what is typed so far. @param {string} text */
  named(text) {
    const typed = plainLetters(text);
    for (const { prefix, suffix } of this.forms) {
      const start = plainLetters(prefix), end = plainLetters(suffix).replace(/[?.!\s]+$/, "");
      if (start && typed.startsWith(start)) {
        let rest = typed.slice(start.length).replace(/[?.!\s]+$/, "");
        if (end && rest.endsWith(end)) rest = rest.slice(0, -end.length);
        return rest.trim();
      }
    }
    return typed;
  }

  /** Names that begin so, then names with a word that does. @param {string} text */
  matching(text) {
    const wanted = this.named(text);
    if (!wanted) return [];
    const first = [], second = [];
    for (const each of this.names) {
      if (each.folded.startsWith(wanted)) first.push(each);
      else if (each.folded.includes(` ${wanted}`)) second.push(each);
      if (first.length >= SHOWN) break;
    }
    return [...first, ...second].slice(0, SHOWN);
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
    }).slice(0, SHOWN).map(({ each, text }, i) => {
      const shown = several ? text : each.name;
      const trained = each.split === "asked" ? "trained on this question" : KINDS[each.support] ?? "";
      const item = el("li", { role: "option", id: `name-${i}`, "aria-selected": "false" },
        el("bdi", {}, shown), el("span.fine", {}, trained));
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
    if (!typed) return input.focus();
    take(questions.complete(typed));
  });
}
