// The engine: a worker made from the script that is embedded as text, with the weights beside it.
import { EngineClient } from "../engine/client.js";
import { byId, readJson } from "./dom.js";

/** @returns {any}  what the engine was made with */
export function engineData() {
  return readJson("engine-data");
}

/** Start the worker and open the models; fails with words for the reader. @param {any} data */
export async function openEngine(data) {
  /** @type {Record<string, string>} */
  const weights = {};
  for (const each of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".engine-weights"))) {
    weights[each.dataset.model ?? ""] = each.textContent ?? ""; // it stays there: a saved page must work
  }
  const text = byId("engine-script").textContent;
  const address = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
  const client = new EngineClient(new Worker(address));
  URL.revokeObjectURL(address);
  await client.call("open", { data, weights });
  return client;
}

/** @param {any} error */
export function errorWords(error) {
  return String(error?.message ?? error);
}
