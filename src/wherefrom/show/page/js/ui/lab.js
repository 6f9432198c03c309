// The attention lab: one head that averages two items beside two heads that copy one each.
import { byId, readJson, svg } from "./dom.js";

/** @param {number[]} scores */
function softmax(scores) {
  const most = Math.max(...scores);
  const powers = scores.map((score) => Math.exp(score - most));
  const total = powers.reduce((a, b) => a + b, 0);
  return powers.map((power) => power / total);
}

export class Lab {
  constructor() {
    const { items, quantiles } = readJson("page-data");
    this.items = items;
    this.quantiles = quantiles;
    this.beta = byId("beta");
    this.alpha = byId("alpha");
    for (const slider of [this.beta, this.alpha]) slider.addEventListener("input", () => this.show());
    this.show();
  }

  /** The share of a in the output, for a key of a that is 1 + gamma long. @param {number} beta @param {number} gamma */
  shares(beta, gamma) {
    const rest = new Array(this.items - 2).fill(0);
    const one = softmax([beta * (1 + gamma), beta, ...rest])[0];
    const [first] = softmax([beta * (1 + gamma), 0, ...rest]);
    const [second] = softmax([0, beta, ...rest]);
    return { one, two: (first + second) / 2 };
  }

  show() {
    const beta = Number(this.beta.value), alpha = Number(this.alpha.value);
    byId("beta-value").textContent = String(beta);
    byId("alpha-value").textContent = String(alpha);
    const found = this.quantiles.map((/** @type {number} */ z) => this.shares(beta, z * Math.sqrt(alpha)));
    const rows = /** @type {[string, number[]][]} */ ([
      ["one head", found.map((/** @type {any} */ each) => each.one)],
      ["two heads", found.map((/** @type {any} */ each) => each.two)],
    ]);
    const [single, double] = rows.map(([, values]) => spread(values));
    byId("lab-says").textContent = `One head: the share of a spreads by ${single.toFixed(2)} around ${mean(rows[0][1]).toFixed(2)}. Two heads: by ${double.toFixed(2)} around ${mean(rows[1][1]).toFixed(2)}.`;
    const parts = [0, 0.25, 0.5, 0.75, 1].flatMap((x) => [
      svg("line", { class: "grid", x1: `${100 * x}%`, x2: `${100 * x}%`, y1: 0, y2: 130 }),
      svg("text", { class: `axis ${x === 0 ? "start" : x === 1 ? "end" : "middle"}`, x: `${100 * x}%`, y: 148 }, String(x)),
    ]);
    rows.forEach(([name, values], row) => {
      parts.push(svg("text", { class: "label", x: 0, y: 18 + 64 * row }, name));
      values.forEach((value, i) => parts.push(svg("circle", {
        class: row ? "lab-two" : "lab-one", cx: `${100 * value}%`, cy: 40 + 64 * row + ((i % 5) - 2) * 3, r: 4,
      })));
    });
    byId("lab-plot").replaceChildren(svg("svg", { class: "chart", role: "img", "aria-label": byId("lab-says").textContent, width: "100%", height: 156 }, ...parts));
  }
}

/** @param {number[]} values */
function mean(values) {
  return values.reduce((a, b) => a + b, 0) / values.length;
}

/** The standard deviation. @param {number[]} values */
function spread(values) {
  const middle = mean(values);
  return Math.sqrt(mean(values.map((value) => (value - middle) ** 2)));
}
