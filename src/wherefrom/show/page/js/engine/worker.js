/**
 * The worker's end of the messages: {id, method, args} comes in; {id, progress}, then {id, result} or
 * {id, error} go out. {cancel: id} stops what is under way. Errors are words for whoever asked.
 */

import { Engine } from './engine.js';
import { Refusal } from './text.js';

/** Serve messages on anything with `postMessage` and `onmessage`. */
export function serve(port) {
  let engine = null;
  const waiting = [];
  const cancelled = new Set();
  let busy = false;

  const pause = () => new Promise((resume) => setTimeout(resume, 0));

  async function handle({ id, method, args }) {
    const say = (progress) => port.postMessage({ id, progress });
    try {
      let result;
      if (method === 'open') {
        engine = new Engine(args.data, args.weights);
      } else if (!engine) {
        throw new Refusal("expected 'open' before anything else, found no run that is open");
      } else {
        result = engine.call(method, args ?? {}, say);
        if (typeof result?.next === 'function') {
          const steps = result;
          let step = steps.next();
          while (!step.done) {
            await pause();
            if (cancelled.has(id)) throw new Refusal('stopped: something else was asked');
            step = steps.next();
          }
          result = step.value;
        }
      }
      port.postMessage({ id, result });
    } catch (error) {
      const words = `the page could not compute this (${error.message})`;
      port.postMessage({ id, error: error instanceof Refusal ? error.message : words });
    }
    cancelled.delete(id);
  }

  async function work() {
    if (busy) return;
    busy = true;
    while (waiting.length) {
      const message = waiting.shift();
      if (cancelled.has(message.id)) {
        cancelled.delete(message.id);
        port.postMessage({ id: message.id, error: 'stopped: something else was asked' });
      } else await handle(message);
    }
    busy = false;
  }

  port.onmessage = ({ data: message }) => {
    if (message.cancel !== undefined) cancelled.add(message.cancel);
    else {
      waiting.push(message);
      work();
    }
  };
}

if (typeof WorkerGlobalScope !== 'undefined' && globalThis instanceof WorkerGlobalScope) {
  serve(globalThis);
}
