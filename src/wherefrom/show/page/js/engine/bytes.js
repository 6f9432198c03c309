/**
 * Weights as they travel: base64 text to bytes, bytes to 32-bit floats.
 *
 * A tensor is stored as f32, f16, i12 or i8. In the last two, every block of a row's values has a scale
 * of its own, a 32-bit float; all scales stand before all values. i12 has two values in three bytes.
 * `rows` is the place of a bit for each row, set where the row is stored: rows of zeros, as rarely used
 * embeddings have them, are left out.
 */

/** @param {string} text @returns {Uint8Array} */
export function decodeBase64(text) {
  const characters = atob(text);
  const bytes = new Uint8Array(characters.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = characters.charCodeAt(i);
  return bytes;
}

/** The float that 16 bits stand for (IEEE 754). @param {number} half @returns {number} */
export function decodeHalf(half) {
  const sign = half & 0x8000 ? -1 : 1;
  const exponent = (half >> 10) & 31;
  const fraction = half & 1023;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/**
 * All tensors of a manifest as 32-bit floats.
 * @param {Record<string, any>} entries @param {Uint8Array} bytes
 * @returns {Record<string, {shape: number[], values: Float32Array}>}
 */
export function unpackTensors(entries, bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  /** @type {Record<string, {shape: number[], values: Float32Array}>} */
  const found = {};
  for (const [name, entry] of Object.entries(entries)) {
    const width = entry.shape[entry.shape.length - 1];
    const size = entry.shape.reduce((a, b) => a * b, 1);
    const stored = unpackValues(view, entry, width);
    const values = entry.rows === undefined ? stored : spreadRows(view, entry, stored, size, width);
    if (values.length !== size) {
      throw new Error(`weights of '${name}': expected ${size} numbers, found ${values.length}`);
    }
    found[name] = { shape: entry.shape, values };
  }
  return found;
}

function unpackValues(view, entry, width) {
  const { offset, count, dtype } = entry;
  const values = new Float32Array(count);
  if (dtype === 'f32') {
    for (let i = 0; i < count; i++) values[i] = view.getFloat32(offset + 4 * i, true);
  } else if (dtype === 'f16') {
    for (let i = 0; i < count; i++) values[i] = decodeHalf(view.getUint16(offset + 2 * i, true));
  } else if (dtype === 'i8' || dtype === 'i12') {
    const blocks = Math.ceil(width / entry.block);
    const first = offset + 4 * blocks * (count / width);
    const read = dtype === 'i8' ? (i) => view.getInt8(first + i) : (i) => readPair(view, first, i);
    for (let row = 0, i = 0; row < count / width; row++) {
      for (let column = 0; column < width; column++, i++) {
        const block = row * blocks + Math.floor(column / entry.block);
        values[i] = read(i) * view.getFloat32(offset + 4 * block, true);
      }
    }
  } else {
    throw new Error(`weights: expected f32, f16, i12 or i8, found ${dtype}`);
  }
  return values;
}

/** The i-th number of 12 bits; they were shifted to be positive. */
function readPair(view, first, i) {
  const at = first + 3 * (i >> 1);
  const middle = view.getUint8(at + 1);
  if (i & 1) return ((middle >> 4) | (view.getUint8(at + 2) << 4)) - 2048;
  return (view.getUint8(at) | ((middle & 15) << 8)) - 2048;
}

function spreadRows(view, entry, stored, size, width) {
  const values = new Float32Array(size);
  for (let row = 0, from = 0; row < size / width; row++) {
    if ((view.getUint8(entry.rows + (row >> 3)) >> (row & 7)) & 1) {
      values.set(stored.subarray(from, from + width), row * width);
      from += width;
    }
  }
  return values;
}
