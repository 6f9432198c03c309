/**
 * What the models are computed with: products of matrices, norms, activations, softmax.
 *
 * Values are stored as 32-bit floats and added up in double precision, which is the fastest that a
 * browser's plain JavaScript does and more exact than the 32-bit sums of the training program.
 * Rows of a matrix stand `stride` values apart.
 */

/** The next multiple of 4. @param {number} n */
export function roundUp(n) {
  return (n + 3) & ~3;
}

/** A linear layer y = x W' + b; its outputs are padded to a multiple of 4, with zeros. */
export class Linear {
  /** @param {Float32Array} weight (outputs, inputs) @param {Float32Array | null} bias */
  constructor(weight, inputs, bias = null) {
    this.inputs = inputs;
    this.outputs = weight.length / inputs;
    this.stride = roundUp(this.outputs);
    this.weight = new Float32Array(this.stride * inputs);
    this.weight.set(weight);
    this.bias = bias;
  }

  /** `rows` rows of x into y; both have room for a multiple of 4 rows. */
  apply(x, xStride, rows, y) {
    multiply(x, xStride, this.weight, y, rows, this.inputs, this.stride);
    const { bias, stride, outputs } = this;
    if (bias) {
      for (let row = 0; row < rows; row++) {
        for (let o = 0, at = row * stride; o < outputs; o++, at++) y[at] += bias[o];
      }
    }
  }
}

/** Blocks of 4 rows by 4 outputs: eight loads serve sixteen products. */
function multiply(x, xStride, w, y, rows, inputs, outputs) {
  for (let o = 0; o < outputs; o += 4) {
    const w0 = o * inputs;
    const w1 = w0 + inputs;
    const w2 = w1 + inputs;
    const w3 = w2 + inputs;
    for (let n = 0; n < rows; n += 4) {
      const x0 = n * xStride;
      const x1 = x0 + xStride;
      const x2 = x1 + xStride;
      const x3 = x2 + xStride;
      let s00 = 0, s01 = 0, s02 = 0, s03 = 0;
      let s10 = 0, s11 = 0, s12 = 0, s13 = 0;
      let s20 = 0, s21 = 0, s22 = 0, s23 = 0;
      let s30 = 0, s31 = 0, s32 = 0, s33 = 0;
      for (let i = 0; i < inputs; i++) {
        const b0 = w[w0 + i];
        const b1 = w[w1 + i];
        const b2 = w[w2 + i];
        const b3 = w[w3 + i];
        const a0 = x[x0 + i];
        s00 += a0 * b0; s01 += a0 * b1; s02 += a0 * b2; s03 += a0 * b3;
        const a1 = x[x1 + i];
        s10 += a1 * b0; s11 += a1 * b1; s12 += a1 * b2; s13 += a1 * b3;
        const a2 = x[x2 + i];
        s20 += a2 * b0; s21 += a2 * b1; s22 += a2 * b2; s23 += a2 * b3;
        const a3 = x[x3 + i];
        s30 += a3 * b0; s31 += a3 * b1; s32 += a3 * b2; s33 += a3 * b3;
      }
      let c = n * outputs + o;
      y[c] = s00; y[c + 1] = s01; y[c + 2] = s02; y[c + 3] = s03;
      c += outputs;
      y[c] = s10; y[c + 1] = s11; y[c + 2] = s12; y[c + 3] = s13;
      c += outputs;
      y[c] = s20; y[c + 1] = s21; y[c + 2] = s22; y[c + 3] = s23;
      c += outputs;
      y[c] = s30; y[c + 1] = s31; y[c + 2] = s32; y[c + 3] = s33;
    }
  }
}

const LAYER_EPSILON = 1e-5;
const RMS_EPSILON = 2 ** -23; // torch's own for 32-bit floats

/** Layer norm or root-mean-square norm, as torch has them. */
export class Norm {
  /** @param {string} kind layer or rms @param {Float32Array} weight @param {Float32Array | null} bias */
  constructor(kind, weight, bias) {
    this.centred = kind === 'layer';
    this.weight = weight;
    this.bias = bias;
  }

  /** Rows of x into y; x may be y. */
  apply(x, stride, rows, y) {
    const { weight, bias, centred } = this;
    const width = weight.length;
    for (let row = 0; row < rows; row++) {
      const from = row * stride;
      let mean = 0;
      if (centred) {
        for (let i = 0; i < width; i++) mean += x[from + i];
        mean /= width;
      }
      let square = 0;
      for (let i = 0; i < width; i++) square += (x[from + i] - mean) ** 2;
      const scale = 1 / Math.sqrt(square / width + (centred ? LAYER_EPSILON : RMS_EPSILON));
      for (let i = 0; i < width; i++) {
        y[from + i] = (x[from + i] - mean) * scale * weight[i] + (bias ? bias[i] : 0);
      }
    }
  }
}

/** max(x, 0) squared, in place. */
export function squareReLU(x, count) {
  for (let i = 0; i < count; i++) x[i] = x[i] > 0 ? x[i] * x[i] : 0;
}

// The normal distribution's cdf at steps of 1/32, and its slope there: between them, the cubic through
// both is exact to 4e-9, which 32-bit floats cannot tell from the truth.
const STEPS = 32;
const FAR = 9;
let cdfTable = null;

function normalTable() {
  const count = FAR * STEPS + 2;
  const values = new Float64Array(count);
  const slopes = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    const x = i / STEPS;
    const density = Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI);
    let term = x;
    let sum = x;
    for (let k = 1; k < 400 && term > sum * 1e-18; k++) {
      term *= (x * x) / (2 * k + 1);
      sum += term;
    }
    values[i] = Math.min(1, 0.5 + density * sum);
    slopes[i] = density;
  }
  return { values, slopes };
}

/** P(a standard normal number is below x). */
export function normalCdf(x) {
  cdfTable ??= normalTable();
  const size = Math.abs(x);
  if (!(size < FAR)) return x > 0 ? 1 : x < 0 ? 0 : NaN;
  const { values, slopes } = cdfTable;
  const place = size * STEPS;
  const i = Math.floor(place);
  const t = place - i;
  const rise = values[i + 1] - values[i];
  const a = slopes[i] / STEPS - rise;
  const b = rise - slopes[i + 1] / STEPS;
  const above = values[i] + t * rise + t * (1 - t) * ((1 - t) * a + t * b);
  return x >= 0 ? above : 1 - above;
}

/** x times the normal cdf at x, in place. */
export function gelu(x, count) {
  for (let i = 0; i < count; i++) x[i] *= normalCdf(x[i]);
}

/** The log of a row's softmax, from logits at `from`, into `out` at `to`. */
export function logSoftmax(logits, from, width, out, to) {
  let most = -Infinity;
  for (let i = 0; i < width; i++) if (logits[from + i] > most) most = logits[from + i];
  let sum = 0;
  for (let i = 0; i < width; i++) sum += Math.exp(logits[from + i] - most);
  const norm = most + Math.log(sum);
  for (let i = 0; i < width; i++) out[to + i] = logits[from + i] - norm;
}

export function sigmoid(x) {
  return x >= 0 ? 1 / (1 + Math.exp(-x)) : Math.exp(x) / (1 + Math.exp(x));
}
