"""A report in chromium: how long a reader waits.

    python benchmarks/browser.py RUN [--most 5] [--precision auto] [--report FILE] [--json FILE]

The report is made by `wherefrom report` in a process of its own, or `--report` names one. Then it
is opened from its file, and held-out people and names that do not exist are asked, `most` of each
kind. Times are the page's own clock, from pressing Enter: until the first character stands there,
until confidence, evidence and source do, and until attention and layers can be looked
into, and until it is known what the answer depends on (with characters shown one by one). The first
question of a page is told apart: it waits for the model to be opened. Limits, on two idle cores:
the report in 5 s, the first character in 1 s, the whole reply in 3 s.
"""

import argparse
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from measure import finish
from program import launch

from wherefrom.core.errors import MissingInput

ARGUMENTS = ("--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking")
LIMITS = {"report": 5.0, "first": 1.0, "reply": 3.0}
PARTS = {
    "first": "first character",
    "reply": "confidence and source",
    "attention": "attention and layers",
    "dependence": "what it depends on",
}
# Put a question, and say when each part of the reply appeared, in milliseconds.
ASK = """
(question) => new Promise((resolve) => {
  const card = document.getElementById('card');
  const body = document.getElementById('look-body');
  const times = {};
  const began = performance.now();
  body.removeAttribute('aria-busy');
  const end = (more = {}) => {
    observer.disconnect();
    resolve({ ...times, ...more });
  };
  const look = () => {
    const now = performance.now() - began;
    const { state } = card.dataset;
    const text = card.querySelector('.answer bdi')?.textContent;
    if (times.first === undefined && (text || state === 'declined')) times.first = now;
    if (times.reply === undefined && !['empty', 'computing'].includes(state)) {
      times.reply = now;
      times.state = state;
    }
    if (times.reply === undefined) return;
    if (['refused', 'broken'].includes(state)) return end();
    document.getElementById('look').scrollIntoView(); // it is computed once somebody looks
    if (times.attention === undefined && !body.hidden) times.attention = now;
    if (body.getAttribute('aria-busy') === 'false') end({ dependence: now });
  };
  const observer = new MutationObserver(look);
  const all = { childList: true, subtree: true, attributes: true, characterData: true };
  observer.observe(card, all);
  observer.observe(body, all);
  document.getElementById('question').value = question;
  document.getElementById('ask-form').requestSubmit();
})
"""


def main(arguments: Sequence[str] | None = None) -> dict[str, Any]:
    options = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    options.add_argument("run")
    options.add_argument("--most", type=int, default=5, help="questions of each kind")
    options.add_argument("--precision", default="auto")
    options.add_argument("--report", type=Path, help="a report that is there already")
    options.add_argument("--json", type=Path, help="write the figures there too")
    chosen = options.parse_args(arguments)
    result: dict[str, Any] = {"load": os.getloadavg()[0]}
    with tempfile.TemporaryDirectory() as folder:
        path = chosen.report
        if path is None:
            path = Path(folder) / "report.html"
            result["report"] = make_report(chosen.run, path, chosen.precision)
        result["megabytes"] = path.stat().st_size / 1e6
        result |= time_page(path.absolute(), chosen.most)
    tell(result)
    return finish(chosen, result)


def make_report(run: str, path: Path, precision: str) -> dict[str, float]:
    """Write the report as a user would; the seconds that passed, and those of the processor."""
    command = [sys.executable, "-m", "wherefrom", "report", run, "--out", str(path)]
    command += [] if precision == "auto" else ["--precision", precision]
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    passed, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    busy = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"seconds": passed, "processor_seconds": busy}


def time_page(path: Path, most: int) -> dict[str, Any]:
    from playwright.sync_api import sync_playwright

    browser_path = os.environ.get("WHEREFROM_CHROMIUM") or shutil.which("chromium")
    if browser_path is None:
        raise MissingInput("chromium: expected it on the path, found none; 'make browser'")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path, args=list(ARGUMENTS))
        page = browser.new_page()
        began = time.perf_counter()
        page.goto(path.as_uri())
        opened = time.perf_counter() - began
        data = page.evaluate("JSON.parse(document.getElementById('engine-data').textContent)")
        groups = choose_questions(data, most)
        times = {name: [page.evaluate(ASK, q) for q in group] for name, group in groups.items()}
        page.reload()
        first_of_all = page.evaluate(ASK, next(iter(groups.values()))[0])
        browser.close()
    return {"opened": opened, "first_question": first_of_all, "questions": times}


def choose_questions(data: dict[str, Any], most: int) -> dict[str, list[str]]:
    """Held-out people by what the text says about them, and names that do not exist."""
    forms = data["forms"]
    groups: dict[str, list[str]] = {}
    for each in data["names"]:
        if each.get("split") == "held-out":
            form = next(f for f in forms if f["relation"] in each["relations"])
            question = form["prefix"] + each["name"] + form["suffix"]
            groups.setdefault(each["support"] or "held-out", []).append(question)
    form = forms[0]
    groups["nonexistent"] = [form["prefix"] + n + form["suffix"] for n in data["nonexistent"]]
    return {name: found[:most] for name, found in groups.items() if found}


def tell(result: dict[str, Any]) -> None:
    print(f"load {result['load']:.1f} before; the report has {result['megabytes']:.1f} MB")
    if made := result.get("report"):
        print(
            f"made in {made['seconds']:.1f} s, {made['processor_seconds']:.1f} s of the processor "
            f"(limit {LIMITS['report']:g} s)"
        )
    first = result["first_question"]
    print(f"opened in {result['opened']:.2f} s; the first question of a page: first character "
          f"{first['first'] / 1000:.2f} s, reply {first['reply'] / 1000:.2f} s")  # fmt: skip
    every = [each for group in result["questions"].values() for each in group]
    for name, words in PARTS.items():
        seconds = [each[name] / 1000 for each in every if each.get(name) is not None]
        limit = f" (limit {LIMITS[name]:g} s)" if name in LIMITS else ""
        print(f"{words}: {statistics.median(seconds):.2f} s, at most {max(seconds):.2f} s of "
              f"{len(seconds)} questions{limit}")  # fmt: skip


if __name__ == "__main__":
    launch(main)
