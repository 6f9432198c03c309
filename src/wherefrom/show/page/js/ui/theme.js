// Light or dark: what the system prefers, until somebody chooses.
import { byId } from "./dom.js";

const KEY = "wherefrom-theme";

export function offerTheme() {
  const button = byId("theme");
  if (!button) return;
  const system = matchMedia("(prefers-color-scheme: dark)");
  const root = document.documentElement;
  const current = () => root.dataset.theme ?? (system.matches ? "dark" : "light");
  const say = () => { button.textContent = current() === "dark" ? "light" : "dark"; };
  const chosen = remembered();
  if (chosen) root.dataset.theme = chosen;
  button.addEventListener("click", () => {
    root.dataset.theme = current() === "dark" ? "light" : "dark";
    remember(root.dataset.theme);
    say();
    document.dispatchEvent(new CustomEvent("themechange"));
  });
  system.addEventListener("change", () => {
    say();
    document.dispatchEvent(new CustomEvent("themechange"));
  });
  say();
  button.setAttribute("aria-label", "Switch between light and dark");
  button.hidden = false;
}

// A page that was opened from a file may not be allowed to remember anything.
function remembered() {
  try {
    const found = localStorage.getItem(KEY);
    return found === "dark" || found === "light" ? found : null;
  } catch {
    return null;
  }
}

/** @param {string} theme */
function remember(theme) {
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // then it holds until the page is closed
  }
}
