/**
 * Looking into a model while it answers: where it looks, what each layer would say, and which characters
 * of the question the answer hangs on.
 */

import { lengthOf } from './text.js';
import { MASK } from './vocabulary.js';

const OTHERS = 4; // characters that a question's character is replaced by, one after the other

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
    found.dependence = this.dependence(tree, question, prompt, target, model);
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
   * character of its kind stands there: the mean over a few that are far from it in the vocabulary.
   */
  dependence(tree, question, prompt, target, model) {
    const { vocabulary } = this.asking;
    const longest = model.maxInput + 1;
    const texts = [[...prompt, ...target].slice(0, longest)];
    const owners = [];
    [...question.text].forEach((character, at) => {
      for (const other of this._others(character)) {
        const changed = [...prompt];
        changed[at] = vocabulary.index.get(other);
        texts.push([...changed, ...target].slice(0, longest));
        owners.push(at);
      }
    });
    const scored = tree.score(texts, texts.map(() => prompt.length));
    const [own, ...others] = scored.map((each) => each.reduce((a, b) => a + b, 0));
    const falls = [...question.text].map((character) => ({ character, effect: 0 }));
    const counts = falls.map(() => 0);
    others.forEach((value, i) => {
      falls[owners[i]].effect += own - value;
      counts[owners[i]] += 1;
    });
    falls.forEach((fall, i) => {
      if (counts[i]) fall.effect /= counts[i];
    });
    return falls;
  }

  /** Other characters of the same kind, evenly spread over the vocabulary. */
  _others(character) {
    const kind = kindOf(character);
    const { characters } = this.asking.vocabulary;
    const alike = characters.slice(2).filter((c) => c !== character && kindOf(c) === kind);
    const pool = alike.length ? alike : characters.slice(2).filter((c) => c !== character);
    const step = Math.max(1, pool.length / OTHERS);
    const found = [];
    for (let i = 0; i < OTHERS && Math.floor(i * step) < pool.length; i++) {
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
