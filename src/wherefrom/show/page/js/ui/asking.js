// Asking: from a question to the card, the bars and what there is to look into.
import { Card } from "./card.js";
import { byId, el, inALine, isCalm } from "./dom.js";
import { engineData, errorWords, openEngine } from "./engine.js";
import { Look } from "./look.js";
import { asked } from "./marks.js";
import { Questions, offerNames } from "./names.js";
import { Share, linkedQuestion } from "./share.js";

export class Asking {
  /** @param {import("./risk.js").AcceptedRisk} risk @param {any[]} answers  the held-out ones */
  constructor(risk, answers) {
    this.risk = risk;
    this.answers = answers;
    this.card = new Card();
    this.look = new Look();
    this.share = new Share();
    this.data = engineData();
    this.questions = new Questions(this.data);
    this.asked = 0; // the number of the latest question: earlier ones must not draw any more
    /** @type {any} */
    this.reply = null;
    this.opened = this.open();
    this.opened.catch(() => {}); // the card says why
    offerNames(this.questions, (question) => (question ? this.ask(question) : this.hint()));
    this.offerPicks();
    risk.onMove(() => this.decide());
    addEventListener("hashchange", () => this.follow());
    if (!this.follow() && this.data.examples.length) this.ask(this.data.examples[0], false);
  }

  async open() {
    try {
      this.engine = await openEngine(this.data);
    } catch (error) {
      this.card.broken(errorWords(error));
      throw error;
    }
  }

  // -- what to ask -------------------------------------------------------------------------

  offerPicks() {
    const pick = (/** @type {any[]} */ from) => from[Math.floor(Math.random() * from.length)];
    const told = this.data.names.filter((/** @type {any} */ each) => each.support === "stated" && each.split === "held-out");
    const nobody = [...this.data.nonexistent];
    const about = (/** @type {any} */ each) => {
      const forms = this.questions.forms.filter((/** @type {any} */ form) => !each.relations?.length || each.relations.includes(form.relation));
      return this.questions.about(each.name, pick(forms.length ? forms : this.questions.forms));
    };
    const person = this.data.noun === "person";
    const offered = /** @type {[string, any[], (each: any) => string][]} */ ([
      [person ? "somebody in the text" : "a name in the text", told, about],
      ["a made-up name", nobody, (name) => about({ name })],
      ["a misspelt name", told, (each) => about({ ...each, name: misspell(each.name) })],
    ]);
    const buttons = offered.filter(([, from]) => from.length).map(([words, from, make]) =>
      el("button.pick", { type: "button", onclick: () => this.put(make(pick(from))) }, words));
    byId("picks").replaceChildren(...inALine("ask about ", buttons));
  }

  /** Nothing was typed. */
  hint() {
    const [first] = this.data.examples, name = first && this.questions.subject(first);
    this.card.refused("", `type a name${name ? `, such as ${name}` : ""}, or a question: ${this.questions.about("…")}`, "Ask what?");
  }

  /** Ask the question of the address, if it has one. */
  follow() {
    const question = linkedQuestion(location.hash);
    if (question && question !== this.reply?.question) this.put(question);
    return question !== "";
  }

  /** Ask as if it had been typed. @param {string} question */
  put(question) {
    byId("question").value = question;
    this.ask(question);
  }

  // -- asking ----------------------------------------------------------------------------------

  /** @param {string} question @param {boolean} [linked]  whether the address shall name it */
  async ask(question, linked = true) {
    this.asked += 1;
    this.share.forget();
    const number = this.asked, mine = () => number === this.asked;
    this.reply = null;
    this.look.forget();
    this.engine?.cancel(); // nobody waits for the question before
    const subject = this.questions.subject(question);
    this.card.computing(question, subject, "");
    try {
      await this.opened;
    } catch (error) {
      if (mine()) this.card.broken(errorWords(error));
      return;
    }
    if (!mine() || !this.engine) return;
    const primary = this.data.models[0].name;
    try {
      const hear = (/** @type {any} */ progress) => {
        if (!mine()) return;
        if (progress.parsed) this.card.computing(progress.parsed.question, progress.parsed.subject, "");
        const { writing, answered } = progress;
        if (writing && writing.model === primary && !isCalm()) this.card.computing(question, subject, writing.text);
        if (answered && answered.model === primary) this.card.computing(question, subject, answered.answer);
      };
      const reply = await this.engine.call("ask", { question }, hear);
      if (!mine()) return;
      this.reply = reply;
      this.decide();
      this.share.offer(reply, () => this.decision(reply), linked);
      const { engine } = this;
      this.look.offer((hear) => engine.call("look", { question: reply.question, answer: reply.answer }, hear));
    } catch (error) {
      if (!mine()) return;
      if (this.reply === null) this.card.refused(question, errorWords(error));
    }
  }

  /** @param {any} reply */
  decision(reply) {
    const { risk } = this;
    return {
      gives: risk.gives(reply),
      threshold: risk.threshold(reply.relation),
      risk: String(risk.stop?.risk ?? ""),
      usual: risk.usual,
      leftOut: this.answers.find((row) => row.q === reply.question && row.a === reply.answer)?.w ?? null,
    };
  }

  decide() {
    const { reply } = this;
    if (!reply) return;
    this.card.answered(reply, this.decision(reply), (name) => {
      const own = this.questions.forms.find((/** @type {any} */ form) => form.relation === reply.relation);
      this.put(this.questions.about(name, own));
    });
  }
}

/** The name with two letters exchanged, as somebody types it in haste. @param {string} name */
function misspell(name) {
  const letters = [...name], at = letters.length - 3;
  if (at < 1) return `${name}e`;
  [letters[at], letters[at + 1]] = letters[at] === letters[at + 1] ? [letters[at], ""] : [letters[at + 1], letters[at]];
  return letters.join("");
}
