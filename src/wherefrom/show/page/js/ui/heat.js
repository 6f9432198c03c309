// Attention drawn on a canvas: rows are the characters that look, columns what they look at.

/** Colours of the page, read where they are defined. @param {string} name */
export function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** @param {string} hex @returns {[number, number, number]} */
function channels(hex) {
  const value = Number.parseInt(hex.replace("#", ""), 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}

/** A colour over another. @param {[number, number, number]} under @param {[number, number, number]} over
 * @param {number} share  how opaque the upper one is @returns {[number, number, number]} */
function blend(under, over, share) {
  const mix = (/** @type {number} */ c) => under[c] + (over[c] - under[c]) * share;
  return [mix(0), mix(1), mix(2)];
}

/** The relative luminance, as the Web Content Accessibility Guidelines define it.
 * @param {[number, number, number]} rgb */
function luminance(rgb) {
  const [r, g, b] = rgb.map((value) => {
    const c = value / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** Black or white, whichever is read better on a shade: one of the two has a contrast of 4.5 or more.
 * @param {string} under @param {string} over  colours as #rrggbb @param {number} share */
export function inkOn(under, over, share) {
  const light = luminance(blend(channels(under), channels(over), share)) + 0.05;
  return 1.05 / light > light / 0.05 ? "#ffffff" : "#000000";
}

/**
 * One pixel a pair of characters.
 * @param {HTMLCanvasElement} canvas
 * @param {Float32Array | number[]} weights
 * @param {number} n
 */
export function drawSmall(canvas, weights, n) {
  canvas.width = canvas.height = n;
  const context = canvas.getContext("2d");
  if (!context) return;
  const image = context.createImageData(n, n);
  const [paper, ink] = [channels(colour("--faint")), channels(colour("--accent"))];
  for (let i = 0; i < n * n; i += 1) {
    const share = Math.sqrt(Math.min(weights[i], 1));
    for (let c = 0; c < 3; c += 1) image.data[4 * i + c] = Math.round(paper[c] + (ink[c] - paper[c]) * share);
    image.data[4 * i + 3] = 255;
  }
  context.putImageData(image, 0, 0);
}

/**
 * The same large, with characters along both axes, name and answer bracketed, one row raised.
 * @param {HTMLCanvasElement} canvas
 * @param {Float32Array | number[]} weights
 * @param {{characters: string[], name: [number, number], answer: [number, number], row: number}} about
 * @returns {number} the size of a cell, in CSS pixels
 */
export function drawLarge(canvas, weights, about) {
  const { characters, name, answer, row } = about;
  const n = characters.length, width = canvas.clientWidth || 600;
  const margin = 26, cell = (width - margin - 2) / n, size = margin + n * cell + 2;
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(size * ratio);
  canvas.style.height = `${size}px`;
  const context = canvas.getContext("2d");
  if (!context) return cell;
  context.scale(ratio, ratio);
  const [accent, ink, quiet, rule, faint] = ["--accent", "--ink", "--quiet", "--rule", "--faint"].map(colour);
  context.fillStyle = faint;
  for (let t = 0; t < n; t += 1) context.fillRect(margin, margin + t * cell, (t + 1) * cell, cell);
  for (let t = 0; t < n; t += 1) {
    for (let s = 0; s <= t; s += 1) {
      const share = Math.min(weights[t * n + s], 1);
      if (share < 0.004) continue;
      context.globalAlpha = Math.sqrt(share) * (row < 0 || row === t ? 1 : 0.35);
      context.fillStyle = accent;
      context.fillRect(margin + s * cell, margin + t * cell, cell - 0.5, cell - 0.5);
    }
  }
  context.globalAlpha = 1;
  const font = Math.min(13, Math.max(7, cell * 0.95));
  context.textAlign = "center";
  context.textBaseline = "middle";
  for (let t = 0; t < n; t += 1) {
    const inside = (/** @type {[number, number]} */ span) => t >= span[0] && t < span[1];
    context.fillStyle = t === row ? accent : inside(name) || inside(answer) ? ink : quiet;
    context.font = `${t === row || inside(name) || inside(answer) ? "600 " : ""}${font}px ui-monospace, Menlo, Consolas, monospace`;
    context.fillText(characters[t], margin + (t + 0.5) * cell, margin - 8);
    context.fillText(characters[t], margin - 9, margin + (t + 0.5) * cell);
  }
  context.lineWidth = 2;
  for (const [span, line] of /** @type {[[number, number], string][]} */ ([[name, quiet], [answer, accent]])) {
    const from = margin + span[0] * cell, to = margin + span[1] * cell;
    context.strokeStyle = line;
    context.beginPath();
    context.moveTo(from + 1, 3); context.lineTo(to - 1, 3);
    context.moveTo(3, from + 1); context.lineTo(3, to - 1);
    context.stroke();
  }
  if (row >= 0) {
    context.strokeStyle = rule;
    context.lineWidth = 1;
    context.strokeRect(margin - 0.5, margin + row * cell - 0.5, (row + 1) * cell + 1, cell + 1);
  }
  return cell;
}
