// The page: each part starts where its elements are.
import { Asking } from "./asking.js";
import { byId, readJson } from "./dom.js";
import { Lab } from "./lab.js";
import { openForPrinting } from "./printing.js";
import { Reviewing } from "./reviewing.js";
import { AcceptedRisk } from "./risk.js";
import { AnswersTable } from "./table.js";
import { offerTheme } from "./theme.js";
import { Typing } from "./typing.js";

function start() {
  document.documentElement.classList.add("scripted"); // shows what is of no use without this script
  const data = readJson("page-data");
  offerTheme();
  openForPrinting();
  if (byId("lab")) new Lab();
  if (byId("typing")) new Typing();
  if (byId("reviewing")) new Reviewing();
  const risk = new AcceptedRisk(data.risk ?? null);
  const asking = byId("ask-form") ? new Asking(risk, data.answers ?? []) : null;
  if (!byId("answers-table")) return;
  const ask = asking && ((/** @type {string} */ question) => {
    byId("ask").scrollIntoView();
    byId("question").focus({ preventScroll: true });
    asking.put(question);
  });
  const table = new AnswersTable(data, ask);
  for (const cell of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".cell"))) {
    cell.addEventListener("click", () => table.only([`evidence ${cell.dataset.evidence}`, ...(cell.dataset.source ? [`source ${cell.dataset.source}`] : [])]));
  }
}

/** A link to a part of the page opens what is folded away there. */
function unfold() {
  const part = location.hash.length > 1 && !location.hash.startsWith("#q=") ? byId(location.hash.slice(1)) : null;
  const box = part?.querySelector("details") ?? part?.closest("details");
  if (box) box.open = true;
}

try {
  start();
  addEventListener("hashchange", unfold);
  unfold();
} catch (error) {
  document.documentElement.classList.remove("scripted"); // the page says that nothing can be asked
  throw error;
}
