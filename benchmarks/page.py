"""The model in a report against `wherefrom ask`: the same answers, decisions and probabilities?

    python benchmarks/page.py RUN [--precision auto] [--most 20] [--json FILE]

Held-out people and 100 names that do not exist are put to both, `most` of each kind. The page's
engine runs in node, as the script that a report contains; its seconds a question are node's, and a
browser's are much the same. Limits: the same answer and decision everywhere, confidence within
0.01.
"""

import argparse
import json
import shutil
import statistics
import subprocess
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from measure import finish
from program import launch

import wherefrom.show.page
from wherefrom.answering.inspector import Inspector, open_inspector
from wherefrom.core.errors import MissingInput
from wherefrom.core.replies import Reply
from wherefrom.runs.opened_run import open_run
from wherefrom.show.page.engine_data import embed_engine

ENGINE = Path(wherefrom.show.page.__file__).parent / "js" / "engine" / "engine.js"
NONEXISTENT = 100
CLOSE = 0.01
ASK = """
import { readFileSync } from 'node:fs';
const given = JSON.parse(readFileSync(0, 'utf-8'));
const { Engine, finish } = await import(given.engine);
const engine = new Engine(given.data, given.weights);
const found = given.questions.map((question) => {
  const began = performance.now();
  let first = null;
  const reply = finish(engine.call('ask', { question }, (part) => {
    if (part.writing && first === null) first = performance.now() - began;
  }));
  return { ...reply, first, all: performance.now() - began };
});
process.stdout.write(JSON.stringify(found));
"""


def find_node() -> str:
    if found := shutil.which("node"):
        return found
    raise MissingInput("node: expected it on the path, found none; install it (apt: nodejs)")


def choose_questions(
    inspector: Inspector, invented: Sequence[str], most: int
) -> dict[str, list[str]]:
    """By what the text says: held-out people told, half told and untold, and invented names."""
    groups: dict[str, list[str]] = {}
    for question in inspector.run.dataset.questions:
        if question.split == "held-out":
            groups.setdefault(question.support, []).append(question.text)
    form = inspector.model.parser.forms[0]
    groups["nonexistent"] = [form.fill(name) for name in invented[:NONEXISTENT]]
    return {name: texts[:most] for name, texts in groups.items()}


def compare(there: Reply, here: dict[str, Any]) -> dict[str, bool | float]:
    """Which parts of two replies are the same, and how far their probabilities are apart."""
    label = None if there.evidence is None else there.evidence.label
    return {
        "answer": here["answer"] == there.answer,
        "decision": (here["answered"], here["reason"], here["whyNot"])
        == (there.answered, there.reason, there.why_not),
        "evidence": (here["evidence"] or {}).get("label") == label,
        "source": (here["source"] or {}).get("label") == (there.source and there.source.label),
        "confidence apart": abs((here["confidence"] or 0) - (there.confidence or 0)),
        "recall apart": 0.0
        if there.source is None
        else abs(here["source"]["probability"] - there.source.probability_recalled),
    }


def main(arguments: Sequence[str] | None = None) -> dict[str, Any]:
    options = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    options.add_argument("run")
    options.add_argument("--precision", default="auto")
    options.add_argument("--most", type=int, default=1000, help="questions of each kind")
    options.add_argument("--json", type=Path, help="write the figures there too")
    chosen = options.parse_args(arguments)
    run = open_run(chosen.run)
    inspector = open_inspector(run)
    embedded = embed_engine(run, chosen.precision, inspector)
    data = dict(embedded.data)
    groups = choose_questions(inspector, data["nonexistent"], chosen.most)
    texts = [text for group in groups.values() for text in group]
    given = {"data": data, "weights": dict(embedded.weights), "questions": texts}
    given["engine"] = ENGINE.as_uri()
    command = [find_node(), "--input-type=module", "--eval", ASK]
    done = subprocess.run(
        command, input=json.dumps(given), capture_output=True, check=True, encoding="utf-8"
    )
    here = json.loads(done.stdout)
    replies = inspector.reply([inspector.parse(text) for text in texts])
    rows = [compare(*pair) for pair in zip(replies, here, strict=True)]
    result = summarise(groups, rows, here)
    result |= {
        "precision": {each["name"]: each["precision"] for each in data["models"]},
        "bytes": {
            "weights": sum(map(len, embedded.weights.values())),
            "data": len(json.dumps(data)),
        },
    }
    tell(result)
    return finish(chosen, result)


def summarise(
    groups: dict[str, list[str]], rows: list[dict[str, Any]], here: list[dict[str, Any]]
) -> dict[str, Any]:
    owners = [name for name, group in groups.items() for _ in group]
    same: dict[str, Counter[str]] = {}
    for owner, row in zip(owners, rows, strict=True):
        counts = same.setdefault(owner, Counter(questions=0))
        counts["questions"] += 1
        counts.update(name for name, value in row.items() if value is True)
    return {
        "same": {name: dict(counts) for name, counts in same.items()},
        "apart": {
            name: max(row[name] for row in rows) for name in ("confidence apart", "recall apart")
        },
        "milliseconds": {
            name: {"median": statistics.median(each[name] for each in here),
                   "most": max(each[name] for each in here)}
            for name in ("first", "all")
        },
    }  # fmt: skip


def tell(result: dict[str, Any]) -> None:
    for name, counts in result["same"].items():
        parts = ", ".join(f"{part} {counts.get(part, 0)}"
                          for part in ("answer", "decision", "evidence", "source"))  # fmt: skip
        print(f"{name}: {counts['questions']} questions; the same {parts}")
    apart = result["apart"]["confidence apart"]
    verdict = "within" if apart <= CLOSE else "beyond"
    print(f"confidence at most {apart:.2g} apart, {verdict} {CLOSE}; ", end="")
    print(f"probability of recall at most {result['apart']['recall apart']:.2g}")
    for name, words in (("first", "first character"), ("all", "whole reply")):
        times = result["milliseconds"][name]
        print(f"{words}: {times['median']:.0f} ms, at most {times['most']:.0f} ms in node")
    sizes, precision = result["bytes"], set(result["precision"].values())
    print(f"{sizes['weights'] / 1e6:.2f} MB of weights ({', '.join(sorted(precision))}), "
          f"{sizes['data'] / 1e6:.2f} MB of data")  # fmt: skip


if __name__ == "__main__":
    launch(main)
