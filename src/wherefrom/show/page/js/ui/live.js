// A text that a model looks at while somebody types it.
import { engineData, errorWords, openEngine } from "./engine.js";

const WAIT = 120; // milliseconds after the last key

/**
 * @typedef {object} Uses
 * @property {(engine: any, text: string, data: any) => Promise<any>} compute
 * @property {(found: any) => void} show
 * @property {(words: string) => void} refuse  this text
 * @property {(words: string) => void} breakDown  the model does not run here
 */

/** What is found about a text that was changed meanwhile is not shown. */
export class LiveField {
  /** @param {any} field @param {string} first  what stands there before anything is typed @param {Uses} uses */
  constructor(field, first, uses) {
    this.field = field;
    this.uses = uses;
    this.number = 0; // of the latest text
    field.addEventListener("input", () => {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.look(), WAIT);
    });
    this.open(first);
  }

  /** @param {string} first */
  async open(first) {
    const data = engineData();
    try {
      this.engine = await openEngine(data);
    } catch (error) {
      return this.uses.breakDown(errorWords(error));
    }
    this.data = data;
    if (!this.field.value) this.field.value = first;
    this.look();
  }

  /** @param {string} text */
  put(text) {
    this.field.value = text;
    this.look();
  }

  async look() {
    if (!this.engine) return;
    this.number += 1;
    const { number, uses } = this;
    try {
      const found = await uses.compute(this.engine, this.field.value, this.data);
      if (number === this.number) uses.show(found);
    } catch (error) {
      if (number === this.number) uses.refuse(errorWords(error));
    }
  }
}
