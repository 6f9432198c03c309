"""The word-level homework's part of docs/RESULTS.md: what was taken over, and how it is told.

    python benchmarks/results.py --homework RUN ... [--units FILE.json] [--reviews RUN]

RUN are finished runs of `bigram`, one a seed; FILE.json is what units.py wrote; the last is a run
of `sentiment`. The seed's and others' figures are constants.
"""

import json
import textwrap
from collections.abc import Sequence
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np

FILE = Path(__file__).resolve().parent.parent / "docs" / "results" / "homework.json"
SEED = {"bigram": 113.31, "best public": 112.86}
# Five public submissions' saved_params_40000.npy, by `q1d_neural_lm.py --saved`.
PUBLIC = (117.29, 119.49)
MODELS = ("homework", "better", "counts", "unigram")


def take_homework(
    runs: Sequence[Path] = (), units: Path | None = None, reviews: Path | None = None
) -> None:
    """Put new figures beside those that are there."""
    kept = json.loads(FILE.read_text("utf-8")) if FILE.exists() else {}
    if runs:
        kept["bigram"] = [_read_bigram(run) for run in runs]
    if units is not None:
        kept["units"] = json.loads(units.read_text("utf-8"))
    if reviews is not None:
        kept["sentiment"] = json.loads((reviews / "status.json").read_text("utf-8"))["results"]
    if runs or units or reviews:
        FILE.write_text(json.dumps(kept, indent=1) + "\n", "utf-8")


def _read_bigram(path: Path) -> dict[str, Any]:
    """A run's dev perplexities; the homework's also where the word before has a vector of GloVe."""
    from wherefrom.data.embeddings import load_vectors
    from wherefrom.data.treebank import find
    from wherefrom.runs.run import open_run

    run = open_run(path)
    made_up = set(load_vectors(find(run.recipe.data, "embeddings"), run.vocabulary.words).made_up)
    numbers = [i for i, word in enumerate(run.vocabulary.words) if word in made_up]
    pairs = run.vocabulary.bigrams([d.text for d in run.dataset.held_out_documents])
    real = ~np.isin(pairs[:, 0], numbers)
    losses = -run.model("homework").log_probabilities(pairs[real])
    return {
        "seed": run.recipe.seed,
        "steps": {stage.name: stage.steps for stage in run.recipe.stages},
        "real": {"perplexity": float(np.exp(losses.mean())), "share": float(real.mean())},
        "training_bigrams": sum(
            len(d.text.split()) + 1 for d in run.dataset.training_documents
        ),
        "results": {name: run.results[name] for name in MODELS if name in run.results},
    }  # fmt: skip


def homework() -> str:
    """The section, or nothing if nothing was measured."""
    if not FILE.exists():
        return ""
    kept = json.loads(FILE.read_text("utf-8"))
    parts = [
        _bigram(kept.get("bigram", [])),
        _units(kept.get("units")),
        _reviews(kept.get("sentiment")),
    ]
    told = [part for part in parts if part]
    return "\n\n".join(["## The word-level homework", *told]) if told else ""


def _bigram(rows: list[dict[str, Any]]) -> str:
    if not rows:
        return ""
    first = rows[0]
    own = [row["results"]["homework"]["perplexity"] for row in rows]
    real = [row["real"]["perplexity"] for row in rows]
    better = [row for row in rows if row["steps"].get("better", 0) > 1]
    lines = [
        ("the homework's own recipe, 40,000 steps", _spread(own), _spread(real)),
        ("five public submissions' saved parameters", "-", "{:.2f} to {:.2f}".format(*PUBLIC)),
        ("reported in the seed", f"{SEED['bigram']}", "-"),
        ("the best public report", f"{SEED['best public']}", "-"),
    ]
    for name, label in (("better", "the same network trained well"), ("counts", "plain counts")):
        values = [row["results"][name]["perplexity"] for row in better]
        lines.append((label, _spread(values) if values else "not run", "-"))
    share = f"{100 * first['real']['share']:.1f} %"
    n = first["results"]["homework"]["n"]
    told = (
        "Dev perplexity of the bigram network (`course/hw2/q1d_neural_lm.py --data FOLDER`, or "
        f"`wherefrom run bigram --data FOLDER`; {len(rows)} seeds) on {n:,} bigrams. Ours are "
        f"trained on {first['training_bigrams']:,} bigrams of public samples. The 1.1 million "
        "behind the reports are not public, and neither are the hand-out's vectors for marks and "
        f"numbers. So the last column has only the {share} of the bigrams whose first word has a "
        "vector of GloVe: there the saved parameters of public submissions can be scored as well "
        "(`q1d_neural_lm.py --saved FILE`)."
    )
    return "\n\n".join(
        (_fill(told), _table(("", "dev", "after a word with a GloVe vector"), lines))
    )


def _units(found: dict[str, Any] | None) -> str:
    if not found:
        return ""
    ratios = {r["name"]: r for r in found["speed"]["ratios"]}
    small, _, letters = found["memory"]
    train, write = (ratios[f"{what}, words"] for what in ("train", "write"))
    ending = found["endings"]
    return _fill(
        f"Words against characters (`benchmarks/units.py`): {small['mb']:.2f} MB against "
        f"{letters['mb']:.2f}; {100 * small['said']:.1f} % of a text's words can be said, against "
        "all; the right ending of an unseen inflected word is found in "
        f"{100 * ending['by_chance']:.0f} % (by chance) against {100 * ending['right']:.1f} % of "
        f"the cases; {train['median']:.0f} and "
        f"{write['median']:.0f} times as much text a second in training and in writing. "
        "docs/PERPLEXITY.md has the tables."
    )


def _reviews(results: dict[str, Any] | None) -> str:
    if not results:
        return ""
    own = [100 * r["accuracy"] for name, r in results.items() if name.startswith("trainable-")
           and "." not in name and "mean" not in name]  # fmt: skip
    frozen = 100 * results["frozen"]["accuracy"]
    return _fill(
        f"The averaging network (`wherefrom run sentiment --data FOLDER`): {_spread(own, 1)} % of "
        f"the test reviews, {frozen:.1f} % with frozen 50-d vectors; public submissions with "
        "frozen 300-d vectors report 83.3 to 84.2 %. docs/SENTIMENT.md has its errors, and what "
        "caused them."
    )


def _fill(text: str) -> str:
    return textwrap.fill(text, 100, break_on_hyphens=False)


def _spread(values: Sequence[float], digits: int = 2) -> str:
    middle = f"{mean(values):.{digits}f}"
    if len(values) == 1:
        return middle
    return f"{middle} ({min(values):.{digits}f} to {max(values):.{digits}f})"


def _table(head: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    cells = [head, ["---"] * len(head), *lines]
    return "\n".join(f"| {' | '.join(line)} |" for line in cells)
