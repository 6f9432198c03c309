// Paper has nothing to click: what is folded away is opened before printing and closed after it.

export function openForPrinting() {
  /** @type {HTMLDetailsElement[]} */
  let opened = [];
  window.addEventListener("beforeprint", () => {
    const closed = /** @type {NodeListOf<HTMLDetailsElement>} */ (document.querySelectorAll("details:not([open])"));
    const printed = [...closed].filter((each) => !each.closest(".screen")); // the others stay on the screen
    opened = [...opened, ...printed];
    for (const each of printed) each.open = true;
  });
  window.addEventListener("afterprint", () => {
    for (const each of opened) each.open = false;
    opened = [];
  });
}
