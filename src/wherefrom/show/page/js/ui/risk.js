// The slider: the risk that the reader accepts, and what the model then answers.
import { lookUp } from "../engine/text.js";
import { byId } from "./dom.js";

/** Whether the text has a name that is spelt almost like this one: no risk makes the answer its own.
 * @param {any} reply */
export function misspelt(reply) {
  return (reply.meant ?? []).length > 0;
}

/** What the slider stands at, and who wants to know when it moves. */
export class AcceptedRisk {
  /** @param {{usual: number, stops: any[]} | null} offered */
  constructor(offered) {
    this.offered = offered;
    this.index = offered ? offered.usual : 0;
    /** @type {(() => void)[]} */
    this.listeners = [];
    this.slider = byId("risk");
    if (!offered || !this.slider) return;
    this.slider.value = String(this.index);
    this.slider.addEventListener("input", () => this.move(Number(this.slider.value)));
    this.show();
  }

  /** @param {() => void} listener */
  onMove(listener) {
    this.listeners.push(listener);
  }

  /** @param {number} index */
  move(index) {
    this.index = index;
    this.show();
    for (const listener of this.listeners) listener();
  }

  get stop() {
    return this.offered ? this.offered.stops[this.index] : null;
  }

  /** Whether it stands where `wherefrom ask` has it. */
  get usual() {
    return !this.offered || this.index === this.offered.usual;
  }

  /** The least score that is answered; null where nothing was calibrated.
   * @param {string} relation @returns {number | null} */
  threshold(relation) {
    if (!this.stop) return null;
    return lookUp(this.stop.thresholds, relation) ?? 2; // a relation may be called "constructor"
  }

  /** Whether an answer is given here. @param {any} reply */
  gives(reply) {
    const least = this.threshold(reply.relation);
    if (least === null) return reply.answered;
    const score = reply.nameKnown === false ? 0 : reply.certainty ?? 0; // unknown names have none
    return score > 0 && score >= least && !misspelt(reply);
  }

  show() {
    const { stop } = this;
    if (!stop) return;
    byId("risk-value").textContent = stop.risk;
    byId("risk-says").textContent = stop.said;
    byId("risk-groups").textContent = stop.groups;
    this.slider.setAttribute("aria-valuetext", `${stop.risk}: ${stop.said}`);
    const share = stop.answered / stop.n;
    const wrong = stop.answered ? 1 - stop.right / stop.answered : 0;
    for (const here of document.querySelectorAll(".here")) {
      const top = Number(here.getAttribute("data-top"));
      const height = Number(here.getAttribute("data-height"));
      here.setAttribute("visibility", stop.answered ? "visible" : "hidden");
      here.setAttribute("x", `${100 * share}%`);
      const most = Number(here.getAttribute("data-most"));
      here.setAttribute("y", String(top + (1 - wrong / most) * height));
    }
  }
}
