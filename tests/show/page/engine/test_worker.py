"""Messages to the worker, through the very script that a page makes it from."""

import base64
from pathlib import Path

from tests.support.engine import embed
from wherefrom.runs.opened_run import open_run
from wherefrom.show.page.document import ENGINE
from wherefrom.show.page.scripts import bundle, read_asset

# A page's worker, as far as the engine can tell: node's has other names for the same things.
TALK = """
const { Worker } = await import('node:worker_threads');
const { EngineClient } = await import('data:text/javascript;base64,' + given.client);
const start = `
  const { parentPort } = require('node:worker_threads');
  globalThis.WorkerGlobalScope = { [Symbol.hasInstance]: () => true };
  globalThis.postMessage = (message) => parentPort.postMessage(message);
  parentPort.on('message', (data) => globalThis.onmessage({ data }));
` + Buffer.from(given.engine, 'base64').toString('utf-8');
const thread = new Worker(start, { eval: true, execArgv: [] });
const worker = { postMessage: (m) => thread.postMessage(m) };
thread.on('message', (data) => worker.onmessage({ data }));
thread.on('error', (error) => worker.onerror({ message: error.message }));
const client = new EngineClient(worker);
const heard = [];
const say = (part) => heard.push(Object.keys(part)[0]);
const words = async (promise) => {
  try {
    return await promise;
  } catch (error) {
    return { failed: error.message };
  }
};
const early = await words(client.call('ask', { question: 'x' }));
await client.call('open', { data: given.data, weights: given.weights });
const reply = await words(client.call('ask', { question: given.question }, say));
const foreign = await words(client.call('ask', { question: 'Who?' }));
const unknown = await words(client.call('sing', {}));
const stranger = await words(client.call('look', { question: given.question, model: 'none' }));
const one = client.call('ask', { question: given.question });
const two = client.call('ask', { question: given.question });
client.cancel();
const together = [await words(one), await words(two)];
const broken = await words(client.call('look', {}));
thread.terminate();
worker.onerror({ message: 'gone' });
const late = await words(client.call('ask', {}));
return { early, reply, foreign, unknown, stranger, together, broken, heard, late };
"""


def encode(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def test_a_talk_with_the_worker(run_js, tiny_run: Path) -> None:
    """A run is opened first, progress comes before the reply, and errors are words."""
    run = open_run(tiny_run)
    given = {
        **embed(run),
        "client": encode(read_asset("js/engine/client.js")),
        "engine": encode(bundle(ENGINE)),
        "question": run.dataset.questions[0].text,
    }
    talk = run_js({}, TALK, given)
    assert talk["early"]["failed"].startswith("expected 'open' before anything else, found no run")
    assert talk["heard"][0] == "parsed"
    assert talk["heard"].count("answered") == 2
    assert talk["heard"].index("writing") < talk["heard"].index("answered")
    assert talk["reply"]["question"] == given["question"]
    assert talk["foreign"]["failed"].startswith("'Who?': expected a question like 'Where was")
    assert talk["unknown"]["failed"].startswith("'sing': expected one of ask, look")
    assert talk["broken"]["failed"].startswith("the page could not compute this (")
    assert talk["stranger"]["failed"].startswith("model 'none': expected one of with_pretraining,")
    assert talk["together"] == [{"failed": "stopped: something else was asked"}] * 2
    assert talk["late"] == {"failed": "the page's engine stopped (gone)"}
