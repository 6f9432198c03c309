// What somebody may want to send on: a link to the question, and the answer card as a picture.
import { guessed } from "./card.js";
import { byId, el, percent } from "./dom.js";
import { misspelt } from "./risk.js";

const WIDTH = 1200, HEIGHT = 630; // what previews of links show
const MARGIN = 70;

/** The question that an address asks, "" if it asks none. @param {string} hash */
export function linkedQuestion(hash) {
  if (!hash.startsWith("#q=")) return "";
  try {
    return decodeURIComponent(hash.slice(3)).trim();
  } catch {
    return ""; // somebody cut the address
  }
}

/** Save text or a picture as a file. @param {string} name @param {Blob} blob */
export function save(name, blob) {
  const address = URL.createObjectURL(blob);
  el("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

/** The line below the card. */
export class Share {
  constructor() {
    this.line = byId("share");
  }

  forget() {
    this.line.hidden = true;
  }

  /** @param {any} reply @param {() => any} decide  what is decided now: the slider moves @param {boolean} linked */
  offer(reply, decide, linked) {
    const hash = `#q=${encodeURIComponent(reply.question)}`;
    if (linked) history.replaceState(null, "", hash);
    const copied = el("span", { role: "status" });
    const copy = async () => {
      try {
        await navigator.clipboard.writeText(location.href.split("#")[0] + hash);
        copied.textContent = " copied";
      } catch {
        location.hash = hash; // it may not be copied from here: the address has it
        copied.textContent = " in the address above";
      }
    };
    this.line.replaceChildren("Share: ",
      el("button.pick", { type: "button", onclick: copy }, "link"), copied, " · ",
      el("button.pick", { type: "button", onclick: () => draw(reply, decide()).toBlob((blob) => blob && save("answer.png", blob)) }, "picture"));
    this.line.hidden = false;
  }
}

/** The card on a canvas, always on white. @param {any} reply @param {any} decision */
export function draw(reply, decision) {
  const { gives } = decision;
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [WIDTH, HEIGHT];
  const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  pen.fillStyle = "#ffffff";
  pen.fillRect(0, 0, WIDTH, HEIGHT);
  let y = 60;
  /** @param {string} text @param {number} size @param {string} tone @param {number} [weight] */
  const write = (text, size, tone, weight = 400) => {
    pen.font = `${weight} ${size}px system-ui, sans-serif`;
    pen.fillStyle = tone;
    for (const line of wrap(text, (part) => pen.measureText(part).width)) {
      y += size * 1.35;
      if (y < HEIGHT - 90) pen.fillText(line, MARGIN, y);
    }
  };
  write(reply.question, 34, "#646d78");
  write(gives ? reply.answer || "nothing" : "I don’t know", 76, "#1b1f24", 700);
  if (gives && reply.certainty !== null) write(`${percent(reply.certainty)} ${reply.unverified ? "by the model’s own probability" : "sure"}`, 34, "#4b535d");
  if (!gives && reply.answer && !misspelt(reply)) write(`Best guess: ${reply.answer}${guessed(reply, decision) ?? ""}`, 34, "#4b535d");
  y += 20;
  const labels = [reply.evidence?.label, reply.source?.label].filter(Boolean).join(" · ");
  if (labels) write(labels, 34, gives ? "#1f7a46" : "#646d78", 600);
  if (gives && reply.evidence?.quote) write(`“${reply.evidence.quote}”`, 34, "#4b535d");
  pen.font = "28px system-ui, sans-serif";
  pen.fillStyle = "#646d78";
  pen.fillText("Wherefrom: a small model that says where its answers come from", MARGIN, HEIGHT - 50);
  return canvas;
}

/** Lines that fit. @param {string} text @param {(part: string) => number} measure @returns {string[]} */
export function wrap(text, measure) {
  const lines = [""];
  for (const word of text.split(" ")) {
    const longer = lines[lines.length - 1] ? `${lines[lines.length - 1]} ${word}` : word;
    if (measure(longer) <= WIDTH - 2 * MARGIN || !lines[lines.length - 1]) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}
