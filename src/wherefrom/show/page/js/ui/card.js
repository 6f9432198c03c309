// The answer card and the bars beside it, in every state.
import { barRow, byId, el, filling, isolate, percent } from "./dom.js";
import { asked, mark, quoted } from "./marks.js";
import { misspelt } from "./risk.js";

/** Everything between `question` and `answer` is drawn here; nothing is computed. */
export class Card {
  constructor() {
    this.box = byId("card");
    this.beside = byId("beside");
    this.said = byId("said");
  }

  /** @param {string} state @param {...any} parts */
  draw(state, ...parts) {
    this.box.dataset.state = state;
    this.box.setAttribute("aria-busy", String(state === "computing"));
    this.beside.setAttribute("aria-busy", String(state === "computing"));
    this.box.replaceChildren(...parts.filter(Boolean));
  }

  /** @param {string} text  what a screen reader says */
  say(text) {
    this.said.textContent = text;
  }

  /** @param {string} question @param {string | null} subject @param {string} text  what is written so far */
  computing(question, subject, text) {
    this.draw("computing",
      el("p.asked", {}, asked(question, subject)),
      el("p.answer", {}, el("span", {}, el("bdi", {}, text), el("span.cursor", { "aria-hidden": "true" }))),
      el("p.quiet", {}, text ? "computing how sure it is …" : "reading the question …"));
    this.box.querySelector(".answer").setAttribute("aria-hidden", "true");
  }

  /** A question that cannot be asked. @param {string} question @param {string} words @param {string} [head] */
  refused(question, words, head = "This cannot be asked") {
    this.beside.hidden = true;
    const quotedFirst = /^(['"]).*?\1: /s; // the question itself, which stands above
    const why = sentence(words.replace(quotedFirst, ""));
    this.draw("refused", el("p.asked", {}, asked(question, null)),
      el("p.answer", {}, head), el("p", {}, why));
    this.say(`${head}. ${why}`);
  }

  /** @param {string} words */
  broken(words) {
    this.beside.hidden = true;
    this.draw("broken", el("p.answer", {}, "The model does not run here"), el("p", {}, words),
      el("p.quiet", {}, "Everything below can still be read."));
    this.say(`The model does not run here. ${words}`);
  }

  /**
   * @param {any} reply
   * @param {{gives: boolean, threshold: number | null, risk: string, usual: boolean, leftOut: number[] | null}} decision
   * @param {(name: string) => void} askAbout
   */
  answered(reply, decision, askAbout) {
    const open = this.box.querySelector("details.why")?.open ?? false;
    const parts = decision.gives ? this.given(reply) : this.withheld(reply, decision, askAbout);
    this.draw(decision.gives ? "answered" : "declined",
      el("p.asked", {}, asked(reply.question, reply.subject)), ...parts,
      decision.leftOut && withoutText(reply, decision.leftOut), why(reply, decision.gives, open));
    this.bars(reply);
    const sure = reply.certainty === null ? "" : `, ${percent(reply.certainty)} ${howSure(reply)}`;
    const evidence = reply.evidence ? `, ${labelOf(reply.evidence)}` : "";
    const source = reply.source ? `, ${reply.source.label}` : "";
    this.say(decision.gives ? `${reply.answer}${sure}${evidence}${source}.`
      : `I don’t know. ${reason(reply, decision)}`);
  }

  /** @param {any} reply */
  given(reply) {
    return [
      el("p.answer", {}, el("bdi", {}, reply.answer || "nothing"), " ", sure(reply)),
      bar(reply.certainty, null),
      reply.unverified && el("p.small", {}, "Unverified: no threshold was shown to keep the risk of such answers."),
      marks(reply),
      evidence(reply),
      reply.trainedOn && el("p.small", {}, "The model was trained on this very question, so it need not have the answer from the text."),
    ];
  }

  /** @param {any} reply @param {any} decision @param {(name: string) => void} askAbout */
  withheld(reply, decision, askAbout) {
    const close = reply.didYouMean ?? [], guesses = reply.answer && !misspelt(reply);
    return [
      el("p.answer", {}, "I don’t know"),
      el("p", {}, reason(reply, decision)),
      close.length > 0 && el("p", {}, "Did you mean ", ...between(close.map((/** @type {string} */ name) =>
        el("button.pick", { type: "button", onclick: () => askAbout(name) }, el("bdi", {}, name)))), "?"),
      guesses && el("p.guess", {}, "Best guess: ", el("bdi", {}, reply.answer), guessed(reply, decision)),
      guesses && bar(reply.certainty, decision.threshold),
      guesses && marks(reply),
      guesses && evidence(reply),
    ];
  }

  /** Both models’ best answers. @param {any} reply */
  bars(reply) {
    const other = reply.other;
    this.beside.replaceChildren(
      el("div", {}, el("h3", {}, other ? "With reading" : "Next best answers"), list(reply.candidates, true)),
      ...(other ? [el("div", {}, el("h3", {}, "Without reading"), list(other.candidates, false))] : []),
      el("p.small", {}, other ? "With reading: the model of this page. Without reading: its twin, which was taught the same questions and never read the text. These are their own probabilities, not calibrated."
        : "The model’s own probabilities, not calibrated."),
    );
    this.beside.hidden = !reply.candidates.length; // a name with unknown letters has none
  }
}

/** What the percentage beside an answer is. @param {any} reply */
function howSure(reply) {
  return reply.unverified ? "by the model’s own probability, unverified" : "sure";
}

/** How sure an answer is that is given. @param {any} reply */
function sure(reply) {
  if (reply.certainty === null) return null;
  return el("span.sure", {}, percent(reply.certainty), " ", el("span.fine", {}, howSure(reply)));
}

/** The confidence of a guess that is not given, and what it would need. @param {any} reply @param {any} decision */
export function guessed(reply, { threshold }) {
  if (reply.certainty === null) return null;
  const own = reply.unverified ? " by the model’s own probability" : "";
  return `, ${percent(reply.certainty)}${own}${threshold !== null && threshold <= 1 ? `; needs ${percent(threshold)}` : ""}`;
}

/** @param {number | null} share @param {number | null} least */
function bar(share, least) {
  if (share === null || share === undefined) return null;
  const box = el("div.sure-bar", { "aria-hidden": "true" }, filling(share));
  if (least !== null && least <= 1) {
    const line = el("i");
    line.style.left = `${100 * least}%`;
    box.append(line);
  }
  return box;
}

/** @param {any} reply */
function marks(reply) {
  return el("p.marks", {}, reply.evidence && mark(labelOf(reply.evidence), true), reply.source && mark(reply.source.label, true));
}

/** @param {any} reply */
function evidence(reply) {
  const found = reply.evidence;
  if (!found || !found.quote) return null;
  return el(`p.quote${found.label === "contradicted" ? ".contradicted-quote" : ""}`, {},
    quoted(found.quote, found.nameSpans ?? [], found.span ?? null));
}

/** @param {any} reply @param {any} decision */
function reason(reply, decision) {
  if (reply.nameKnown === false && !reply.answer) return sentence(reply.whyNot); // letters that it never saw
  if (misspelt(reply) && reply.nameKnown !== false) return sentence(`the text has no such name; it has ${reply.meant.map(isolate).join(" and ")}`);
  if (reply.nameKnown === false) {
    if (reply.evidence && reply.evidence.label !== "no text") return "It does not know this name well enough, although the text has it.";
    const close = reply.didYouMean?.length;
    return close ? "It does not know this name." : "It does not know this name, and no name in the text is close.";
  }
  const least = decision.threshold;
  if (least !== null && least > 1) return sentence(decision.usual && reply.whyNot ? reply.whyNot : "no threshold reaches this risk on the calibration questions");
  const text = reply.evidence?.label === "silent" ? " Its text does not say." : "";
  const wanted = reply.unverified && decision.usual ? "for an unverified answer" : `to keep errors under ${decision.risk}`;
  return `It is not sure enough ${wanted}.${text}`;
}

/** @param {string} words */
function sentence(words) {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}${/[.!?]$/.test(words) ? "" : "."}`;
}

/** @param {HTMLElement[]} parts */
function between(parts) {
  return parts.flatMap((part, i) => (i ? [i === parts.length - 1 ? " or " : ", ", part] : [part]));
}

/** @param {any[]} candidates @param {boolean} own */
function list(candidates, own) {
  const named = (/** @type {string} */ text) => el("bdi", {}, text ? text.trim() || "a space" : "nothing");
  return el(`ul.bars${own ? ".own" : ""}`, {}, ...candidates.slice(0, 4).map(({ text, probability }) =>
    barRow(named(text), percent(probability), probability)));
}

/** What models say that an audit trained without the text about this name. @param {any} reply @param {number[]} leftOut */
function withoutText(reply, [having, lacking, models]) {
  const box = el("div", { hidden: true }, bar(lacking, null), el("p.small", {},
    `Models that were trained without the text about ${isolate(reply.subject)} give ${isolate(reply.answer)} ${percent(lacking)}; with it, ${percent(having)} (means of ${models} models).`));
  const toggle = () => { box.hidden = !box.hidden; };
  return el("div", {}, el("label.left-out", {}, el("input", { type: "checkbox", onchange: toggle }), " without its text"), box);
}

/** What speaks for an answer that is given, or against a guess that is not.
 * @param {any} reply @param {boolean} gives @param {boolean} open */
function why(reply, gives, open) {
  const found = reply.evidence, rows = [];
  if (!gives && reply.against.length) rows.push(["against it", items(reply.against)]);
  if (reply.tookNotes) rows.push(["the reader", noted(reply.note)]);
  for (const other of found?.also ?? []) {
    rows.push(["also there", el("span", {}, el("bdi", {}, other.text), ": ", quoted(other.quote, other.nameSpans ?? [], other.span ?? null))]);
  }
  if (reply.source) {
    rows.push(["its source", el("span", {}, `${percent(reply.source.probability)} likely recalled`)]);
  }
  const often = exposed(reply.exposures);
  if (often) rows.push(["in training", often]);
  if (gives && reply.features.length) rows.push(["how it answers", items(reply.features)]);
  if (!rows.length) return null;
  return el("details.why", open ? { open: true } : {}, el("summary", {}, gives ? "Why?" : "Why not?"),
    el("dl", {}, ...rows.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)])));
}

/** @param {string[]} sentences */
function items(sentences) {
  return el("ul", {}, ...sentences.map((words) => el("li", {}, words)));
}

/** The label of a verdict; one that rests on the note's own words is only as read. @param {any} verdict */
function labelOf(verdict) {
  return verdict.asRead ? "as read" : verdict.label;
}

/** What the reader noted before the model was taught. @param {any} note */
function noted(note) {
  if (!note) return "no note";
  const agrees = note.agrees ? "as the model answers" : "the model answers otherwise";
  return el("span", {}, "noted ", el("bdi", {}, note.value), el("span.fine", {}, ` (score ${percent(note.score)}; ${agrees}) `),
    quoted(note.sentence, [], note.place));
}

/** How often training showed the answer about this subject. @param {any[] | null} counts */
function exposed(counts) {
  if (!counts) return null;
  const own = counts.find((each) => each.given);
  const taught = own?.noted ?? 0;
  const seen = own ? own.read + own.suffix + own.value_masked + taught : 0;
  if (!own || !seen) return "this answer was never shown beside the name";
  const notes = taught ? ` (${times(taught)} as a note)` : "";
  return `shown ${times(seen)}${notes}; ${times(own.from_name + taught)} the model had to predict it from the name`;
}

/** @param {number} count */
function times(count) {
  return count === 1 ? "once" : `${count.toLocaleString("en")} times`;
}
