// The engine: a worker made from the script that is embedded as text, with the weights beside it.
import { EngineClient } from "../engine/client.js";
import { byId, readJson } from "./dom.js";

/** @returns {any}  what the engine was made with */
export function engineData() {
  return readJson("engine-data");
}

/** CRC-32 of a text's bytes, as show/page/document.py computes it. @param {string} text */
export function crc(text) {
  let rest = -1;
  for (const byte of new TextEncoder().encode(text)) {
    rest ^= byte;
    for (let i = 0; i < 8; i += 1) rest = (rest >>> 1) ^ (rest & 1 ? 0xedb88320 : 0);
  }
  return (~rest >>> 0).toString(16).padStart(8, "0");
}

/** Refuse data that somebody changed after the page was made. @param {any} element */
function requireWhole(element) {
  if (crc(element.textContent ?? "") !== element.dataset.crc) {
    throw new Error("This file was changed after it was made, so its model is not asked: get the original file again.");
  }
}

/** Start the worker and open the models; fails with words for the reader. @param {any} data */
export async function openEngine(data) {
  /** @type {Record<string, string>} */
  const weights = {};
  requireWhole(byId("engine-data"));
  for (const each of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".engine-weights"))) {
    requireWhole(each);
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
