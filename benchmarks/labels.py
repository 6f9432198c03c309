"""The part of docs/RESULTS.md about the source of answers, from the labelled answers that are kept.

    python benchmarks/labels.py --take runs/people-0 runs/birthplaces-calibrated-0
    python benchmarks/labels.py                          # the figures, as a table
    python benchmarks/labels.py --borrow people-0 people-1 people-2

The first copies audit/labels.jsonl.gz of audited runs to docs/results/influence.RUN.jsonl.gz. The
second fits the source predictor of each run again from its file and measures it. The third fits
the predictor that runs without retrained models borrow, on calibration people of several runs.
"""

import argparse
import json
import shutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "src")]

import numpy as np  # noqa: E402

from wherefrom.answering.feature_table import FeatureTable  # noqa: E402
from wherefrom.core.config import to_json  # noqa: E402
from wherefrom.evaluation.evaluator import Score  # noqa: E402
from wherefrom.evaluation.relations import divide  # noqa: E402
from wherefrom.memorisation.labelled_answers import (  # noqa: E402
    LABELS,
    LabelledAnswers,
    read_labelled,
)
from wherefrom.memorisation.predictor import (  # noqa: E402
    SOURCE_FEATURES,
    SourcePredictor,
    fit_source_predictor,
)
from wherefrom.memorisation.source_measures import MeasuredSource  # noqa: E402

RESULTS = ROOT / "docs" / "results"
BORROWED = ROOT / "src" / "wherefrom" / "memorisation" / "borrowed_predictor.json"
_NAME = "influence.{}.jsonl.gz"


def take_labels(folders: Sequence[Path]) -> None:
    for folder in folders:
        name = _NAME.format(folder.resolve().name)
        shutil.copyfile(folder / LABELS, RESULTS / name)


def read_all() -> list[LabelledAnswers]:
    return [read_labelled(path) for path in sorted(RESULTS.glob(_NAME.format("*")))]


def measure(labelled: LabelledAnswers) -> MeasuredSource:
    """The run's own predictor, on held-out people."""
    found = labelled.measure(labelled.fit(), labelled.select("held-out"))
    assert found is not None, f"{labelled.run}: nobody was measured"
    return found


ROWS: dict[str, Callable[[MeasuredSource], str]] = {
    "pairs of retrained models": lambda m: str(m.models // 2),
    "answers that are recalled, %": lambda m: _percent(m.recalled_share),
    "one pair agrees with another, %": lambda m: _percent(m.pairs_agree),
    "kappa, one pair against another": lambda m: _of(m.reliability, "kappa_of_pairs"),
    "kappa, half of the pairs against the other": lambda m: _of(m.reliability, "kappa_of_halves"),
    "AUROC among people with text": lambda m: _number(m.auroc_with_text),
    "the ceiling: what the true m would reach": lambda m: _of(m.reliability, "ceiling"),
    "half of the pairs against labels of the other": lambda m: _of(
        m.reliability, "auroc_of_halves"
    ),
    "the model's own probability alone": lambda m: _of(m.probability_alone, "auroc"),
    "the predictor adds to it": lambda m: _of(m.probability_alone, "gain", "+"),
    "the confidence alone": lambda m: _of(m.confidence_alone, "auroc"),
    "the predictor adds to this": lambda m: _of(m.confidence_alone, "gain", "+"),
    "AUROC against what the text states": lambda m: _number(m.by_construction),
    "rank correlation of prediction and m": lambda m: _number(m.spearman),
    "the same of two halves of the pairs": lambda m: _of(m.reliability, "spearman_of_halves"),
    "AUROC among everybody": lambda m: _number(m.auroc),
    "the same by the borrowed predictor": lambda m: _number(m.auroc_of_borrowed),
    "labels that are right, %": lambda m: _percent(m.agreement),
    "right with one label for all, %": lambda m: _percent(m.constant),
}


def labels() -> str:
    """One column a run, one row a figure; then, for several relations, one row a relation."""
    found = read_all()
    if not found:
        return ""
    measured = [measure(each) for each in found]
    lines = [["", *(f"`{each.run}`" for each in found)], ["---"] * (len(found) + 1)]
    lines += [[name, *map(show, measured)] for name, show in ROWS.items()]
    words = [f"- `{each.run}`: {line}" for each, m in zip(found, measured, strict=True)
             for line in m.in_words]  # fmt: skip
    return "\n".join((
        "## Source", "",
        "The source predictor against labels of retrained models, on held-out people, with 95 %",
        "intervals; `benchmarks/labels.py` makes it from `influence.*.jsonl.gz`. docs/TRUST.md",
        "explains the figures.",
        "", *(f"| {' | '.join(line)} |" for line in lines), "", *words, "", *map(relations, found),
    )).rstrip()  # fmt: skip


def relations(labelled: LabelledAnswers) -> str:
    """For each of several relations: the predictor beside the best constant label."""
    parts = divide(labelled.relations)
    if not parts:
        return ""
    rows = [f"| `{labelled.run}` | answers | recalled, % | labels right, % | one label for all, % "
            "| difference, points | of answers that everybody gets, called recalled |",
            "| --- | --- | --- | --- | --- | --- | --- |"]  # fmt: skip
    held, predictor = labelled.select("held-out"), labelled.fit()
    usual = labelled.features["usual"] > 0.5
    called = labelled.predict(predictor) > 0.5
    for relation, places in parts.items():
        here = np.zeros(len(held), dtype=bool)
        here[places] = True
        found = labelled.measure(predictor, here & held)
        if found is None or found.gain is None:
            continue
        low, high = found.gain.interval
        common = here & held & usual
        rows.append(
            f"| {relation} | {found.agreement.n} | {_percent(found.recalled_share)} | "
            f"{_percent(found.agreement)} | {_percent(found.constant)} | "
            f"{100 * found.gain.value:+.1f} [{100 * low:+.1f}, {100 * high:+.1f}] | "
            f"{(called & common).sum()} of {common.sum()} |"
        )
    return "\n".join([*rows, ""])


def fit_borrowed(runs: Sequence[LabelledAnswers]) -> SourcePredictor:
    """One curve over the calibration people with text of several runs of one relation."""
    tables: list[np.ndarray] = []
    ms: list[np.ndarray] = []
    for each in runs:
        m = each.memorisation.m
        here = each.select("calibration") & each.in_corpus & np.isfinite(m)
        tables.append(each.features.rows(here).matrix(SOURCE_FEATURES))
        ms.append(m[here])
    features = FeatureTable.from_matrix(np.vstack(tables), SOURCE_FEATURES)
    models = sum(len(each.models) for each in runs)
    return fit_source_predictor(features, np.concatenate(ms), models)


def write_borrowed(names: Sequence[str]) -> None:
    found = fit_borrowed([read_labelled(RESULTS / _NAME.format(name)) for name in names])
    kept = {k: v for k, v in to_json(found).items() if k in ("curve", "models")}
    BORROWED.write_text(json.dumps(kept, indent=1) + "\n", "utf-8")


def _of(part: Any, name: str, sign: str = "") -> str:
    return _number(None if part is None else getattr(part, name), sign)


def _number(score: Score | None, sign: str = "") -> str:
    if score is None:
        return "-"
    low, high = score.interval
    return f"{score.value:{sign}.3f} [{low:{sign}.2f}, {high:{sign}.2f}]"


def _percent(score: Score | None) -> str:
    if score is None:
        return "-"
    low, high = score.interval
    return f"{100 * score.value:.1f} [{100 * low:.1f}, {100 * high:.1f}]"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--take", type=Path, nargs="+", default=[], metavar="RUN")
    parser.add_argument("--borrow", nargs="+", default=[], metavar="RUN")
    given = parser.parse_args(arguments)
    take_labels(given.take)
    if given.borrow:
        write_borrowed(given.borrow)
    print(labels())
    return 0


if __name__ == "__main__":
    sys.exit(main())
