/**
 * Looking into a model while it answers: where it looks, what each layer would say, and which characters
 * of the question the answer hangs on.
 */

import { lengthOf } from './text.js';
import { MASK } from './vocabulary.js';

const OTHERS = 4; // characters that a question's character is replaced by, one after the other
const FEW_OTHERS = 2; // the same in a model with more parameters than this, which takes seconds
const LARGE = 1_500_000;

export class Looking {
  /** @param {any} asking the run that is looked into */
  constructor(asking) {
    this.asking = asking;
  }

  /**
   * @param {{question: string, answer?: string, model?: string}} asked without an answer, the model's own
   * @param {(part: any) => void} say
   */
  *look(asked, say = () => {}) {
    const { asking } = this;
    const question = asking.parse(asked.question);
    const model = asking.model(asked.model);
    const tree = model.tree();
    const answer = asked.answer ?? asking.answer(question, model, tree)[0].text;
    const prompt = asking.prompt(question);
    const target = [...asking.vocabulary.encode(answer), MASK];
    const text = [...prompt, ...target].slice(0, model.maxInput);
    const place = {
      characters: text.map((id) => asking.vocabulary.characters[id]),
      name: this._named(question),
      answer: [prompt.length, Math.min(prompt.length + target.length - 1, text.length)],
    };
    const { attention, lens } = model.trace(text);
    /** @type {any} */
    const found = { ...place, answered: answer, attention };
    say({ ...place, attention });
    yield;
    found.lens = lens.map((layer) => this._layer(layer, prompt.length, target, text.length));
    say({ lens: found.lens });
    yield;
    found.dependence = yield* this.dependence(tree, question, prompt, target, model, say);
    return found;
  }

  _named(question) {
    const from = lengthOf(question.form.prefix);
    return [from, from + lengthOf(question.subject)];
  }

  /** What a layer would write at each place of the answer, as if the model ended there. */
  _layer(logs, first, target, length) {
    const { characters, size } = this.asking.vocabulary;
    const cells = [];
    for (let i = 0; i < target.length && first - 1 + i < length; i++) {
      const row = logs.subarray((first - 1 + i) * size, (first + i) * size);
      let best = 0;
      for (let c = 1; c < size; c++) if (row[c] > row[best]) best = c;
      let rank = 1;
      for (let c = 0; c < size; c++) if (row[c] > row[target[i]]) rank++;
      cells.push({
        character: characters[best],
        probability: Math.exp(row[best]),
        own: Math.exp(row[target[i]]),
        rank,
      });
    }
    return cells;
  }

  /**
   * For each character of the question, how much less likely the answer becomes, in nats, if another
   * character of its kind stands there: the mean over a few, evenly spread over the vocabulary. This
   * takes longest, so the name's characters come first, and `say` hears of each.
   */
  *dependence(tree, question, prompt, target, model, say) {
    const { vocabulary } = this.asking;
    const longest = model.maxInput + 1;
    const whole = (start) => [...start, ...target].slice(0, longest);
    const score = (texts) =>
      tree.score(texts, texts.map(() => prompt.length)).map((logs) => logs.reduce((a, b) => a + b, 0));
    const [own] = score([whole(prompt)]);
    const count = model.parameters > LARGE ? FEW_OTHERS : OTHERS;
    const characters = [...question.text];
    const found = characters.map((character) => ({ character, effect: 0 }));
    const [from, to] = this._named(question);
    const inName = (at) => at >= from && at < to;
    const order = [...characters.keys()].sort((a, b) => Number(inName(b)) - Number(inName(a)) || a - b);
    for (const at of order) {
      const others = this._others(characters[at], count).map((other) => vocabulary.index.get(other));
      const changed = others.map((id) => whole([...prompt.slice(0, at), id, ...prompt.slice(at + 1)]));
      const falls = score(changed).map((value) => own - value);
      const total = falls.reduce((a, b) => a + b, 0);
      found[at].effect = falls.length ? total / falls.length : 0;
      say({ dependence: { at, effect: found[at].effect } });
      yield;
    }
    return found;
  }

  /** Other characters of the same kind, evenly spread over the vocabulary. */
  _others(character, count) {
    const kind = kindOf(character);
    const { characters } = this.asking.vocabulary;
    const alike = characters.slice(2).filter((c) => c !== character && kindOf(c) === kind);
    const pool = alike.length ? alike : characters.slice(2).filter((c) => c !== character);
    const step = Math.max(1, pool.length / count);
    const found = [];
    for (let i = 0; i < count && Math.floor(i * step) < pool.length; i++) {
      found.push(pool[Math.floor(i * step)]);
    }
    return found;
  }
}

function kindOf(character) {
  if (/\p{Lu}/u.test(character)) return 'capital';
  if (/\p{L}/u.test(character)) return 'letter';
  return /\p{N}/u.test(character) ? 'digit' : 'mark';
}
