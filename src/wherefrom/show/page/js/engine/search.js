/**
 * The search for an answer: the few most probable continuations, best first; as generation/beam.py.
 *
 * Every live hypothesis could also end where it stands: that ended one goes to the pool. Once the pool
 * is full and its worst is no worse than the best live one, nothing can enter it any more.
 */

import { MASK } from './vocabulary.js';

/**
 * One search, step by step: iterate it, and each step gives the best text so far.
 * @param {any} tree @param {number[]} prompt @param {number} beams @param {number} limit characters at
 * most, the closing mask among them
 * @returns {Generator<number[], {tokens: number[], logProbability: number, finished: boolean}[]>}
 */
export function* search(tree, prompt, beams, limit) {
  if (beams === 1) return yield* searchGreedily(tree, prompt, limit);
  const start = tree.place(prompt);
  let live = [{ node: start, tokens: [], score: 0 }];
  let pool = [];
  const collect = (found) => {
    pool = [...pool, ...found]
      .sort((a, b) => Number(b.finished) - Number(a.finished) || b.logProbability - a.logProbability)
      .slice(0, beams);
  };
  for (;;) {
    tree.expect(live.map(({ node }) => node));
    const best = [];
    const ended = [];
    live.forEach((hypothesis, parent) => {
      const row = tree.distribution(hypothesis.node);
      ended.push({ tokens: hypothesis.tokens, logProbability: hypothesis.score + row[MASK], finished: true });
      for (let token = 0; token < row.length; token++) {
        if (token !== MASK) insert(best, { parent, token, score: hypothesis.score + row[token] }, beams);
      }
    });
    collect(ended);
    const parents = live;
    live = best.map(({ parent, token, score }) => ({
      node: parents[parent].node,
      token,
      tokens: [...parents[parent].tokens, token],
      score,
    }));
    const closed = pool.length === beams && pool[beams - 1].logProbability >= live[0].score;
    const full = live[0].tokens.length === limit;
    yield pool.length && pool[0].logProbability >= live[0].score ? pool[0].tokens : live[0].tokens;
    if (closed || full) {
      if (!closed) {
        const open = live.map(({ tokens, score }) => ({ tokens, logProbability: score, finished: false }));
        collect(open);
      }
      return pool;
    }
    for (const hypothesis of live) hypothesis.node = tree.extend(hypothesis.node, hypothesis.token);
  }
}

/** The most probable character each time, as generation/single.py chooses them. */
function* searchGreedily(tree, prompt, limit) {
  let node = tree.place(prompt);
  let logProbability = 0;
  const tokens = [];
  for (;;) {
    tree.expect([node]);
    const row = tree.distribution(node);
    let best = 0;
    for (let token = 1; token < row.length; token++) if (row[token] > row[best]) best = token;
    logProbability += row[best];
    const finished = best === MASK;
    if (!finished) tokens.push(best);
    yield [...tokens];
    if (finished || tokens.length === limit) return [{ tokens, logProbability, finished }];
    node = tree.extend(node, best);
  }
}

/** Keep the best `most`, in falling order; of equals, the first comes first. */
function insert(best, one, most) {
  if (best.length === most && best[most - 1].score >= one.score) return;
  let at = best.length;
  while (at > 0 && best[at - 1].score < one.score) at--;
  best.splice(at, 0, one);
  if (best.length > most) best.pop();
}
