"""Evidence at 100,000 lines: the time of a query, the size of the index, the accuracy of labels.

The lines are about generated people or, with --data, lines of the birthplaces folder with first
and last names recombined. Limits: 20 ms a query at the 95th percentile, an index 8x the text.
"""

import tempfile
from collections.abc import Callable, Sequence
from itertools import cycle, islice
from pathlib import Path
from time import perf_counter

import numpy as np
from measure import Watch, finish, machine, parser, tell_disturbed
from program import launch

from wherefrom.auditing.verdict_accuracy import VerdictAccuracy, measure_verdicts
from wherefrom.core.contracts import Dataset, Document, Span
from wherefrom.data import birthplaces, people
from wherefrom.reading.index import Index
from wherefrom.reading.verdict import FactChecker
from wherefrom.runs.folder import describe

SLOWEST, LARGEST = 20.0, 8.0  # milliseconds; times the text


def generated(lines: int) -> Dataset:
    """People with about seven lines each; a quarter of them, at most 2,000, is asked about."""
    count = lines // 7
    asked = min(2000, count // 4)
    sizes = {"asked": asked, "calibration": min(400, asked), "untold": min(400, asked)}
    rest = max(count - asked - sizes["calibration"], 1)
    return people.load(people.PeopleConfig(**sizes, held_out=rest), seed=0)


def recombined(folder: str, lines: int) -> Dataset:
    """The folder's own lines first, then the same lines with first and last names recombined."""
    config = birthplaces.BirthplacesConfig(folder, 400)
    dataset = birthplaces.load(config, seed=0)
    named = [d for d in dataset.documents if d.subject]
    words = [d.subject.of(d.text).split() for d in named if d.subject]
    draw = np.random.default_rng(0)
    documents = list(dataset.documents)
    taken = {d.subject.of(d.text) for d in named if d.subject}
    for document in islice(cycle(named), max(lines - len(documents), 0)):
        name, old = "", document.subject.of(document.text)
        while not name or name in taken:
            first, last = (words[i] for i in draw.integers(len(words), size=2))
            name = f"{first[0]} {last[-1]}"
        documents.append(Document(document.text.replace(old, name), Span(0, len(name))))
    return Dataset(tuple(documents), dataset.facts, dataset.questions)


def decoys(names: Sequence[str], count: int) -> list[str]:
    """First and last words of names, recombined; a few of these people may exist."""
    draw = np.random.default_rng(1)
    pairs = draw.integers(len(names), size=(count, 2))
    return [f"{names[a].split()[0]} {names[b].split()[-1]}" for a, b in pairs]


def time_queries(query: Callable[[str], object], texts: Sequence[str]) -> dict[str, float]:
    """Milliseconds a query; every text is looked up once, so that no cache helps."""
    taken: list[float] = []
    for text in texts:
        start = perf_counter()
        query(text)
        taken.append(1000 * (perf_counter() - start))
    p50, p95 = np.percentile(taken, (50, 95))
    return {"p50": float(p50), "p95": float(p95), "n": len(taken)}


def main(arguments: list[str] | None = None) -> dict:
    options = parser(__doc__)
    options.add_argument("--data", default="", help="folder of the birthplaces files")
    given = options.parse_args(arguments)
    lines, count = (700, 20) if given.tiny else (100_000, 200 * given.turns)
    dataset = recombined(given.data, lines) if given.data else generated(lines)
    watch = Watch()
    texts = [d.text for d in dataset.documents]
    size = sum(len(text.encode()) + 1 for text in texts)
    with tempfile.TemporaryDirectory() as folder:
        path, start = Path(folder) / "index", perf_counter()
        index = Index.build(path, dataset.documents, describe(dataset)["sha256"])
        built, ratio = perf_counter() - start, sum(f.stat().st_size for f in path.iterdir()) / size
        start = perf_counter()
        checker = FactChecker.fit(index, dataset.asked)
        fitted = perf_counter() - start
        kinds = measure_kinds(index, checker, dataset, count)
        judged = [q for q in dataset.questions if q.split == "calibration"]
        scores = flatten(measure_verdicts(checker, judged))
        index.close()
    result = {
        "title": "evidence",
        "lines": len(texts),
        "text_bytes": size,
        "index_ratio": ratio,
        "build_seconds": built,
        "asked": len(dataset.asked),
        "fit_seconds": fitted,
        "milliseconds": kinds,
        "accuracy": scores,
        "machine": machine(),
    }
    show(result)
    return finish(given, result | tell_disturbed(watch.reasons()))


def measure_kinds(
    index: Index, checker: FactChecker, dataset: Dataset, count: int
) -> dict[str, dict[str, float]]:
    """The times of each kind of query: names that are there, decoys, short texts, verdicts."""
    named = [d.subject.of(d.text) for d in dataset.documents if d.subject]
    chosen = np.random.default_rng(2).permutation(len(named))[:count]
    subjects = list(dict.fromkeys(named[i] for i in chosen))
    short = sorted({name[:2] for name in subjects})

    questions = {q.text: q for q in dataset.questions if q.split != "asked"}

    def judge(text: str) -> None:
        question = questions[text]
        checker.judge(question.subject, question.answer or "", question.relation)

    return {
        "about a subject": time_queries(index.about, subjects),
        "about a decoy": time_queries(index.about, decoys(named, count)),
        "about two letters": time_queries(index.about, short),
        "judging an answer": time_queries(judge, list(questions)[:count]),
    }


def flatten(found: VerdictAccuracy) -> dict[str, dict]:
    """All shares in one table, as the figures are written."""
    whole = {"all labels": found.overall, "extracted to the letter": found.extraction}
    scores = dict(found.probes) | whole
    return {name: score.as_json() for name, score in scores.items() if score}


def show(result: dict) -> None:
    print(
        f"evidence: {result['lines']} lines, index {result['index_ratio']:.2f}x the text "
        f"(at most {LARGEST:g}x), built in {result['build_seconds']:.1f} s; "
        f"fitted on {result['asked']} questions in {result['fit_seconds']:.1f} s"
    )
    print(f"  {'milliseconds a query':<32}{'p50':>8}{'p95':>8}   (at most {SLOWEST:g} at p95)")
    for kind, one in result["milliseconds"].items():
        print(f"  {kind:<32}{one['p50']:8.2f}{one['p95']:8.2f}")
    for name, score in result["accuracy"].items():
        low, high = score["interval"]
        print(f"  {name:<32}{score['accuracy']:8.3f}  ({low:.3f} to {high:.3f}, n {score['n']})")


if __name__ == "__main__":
    launch(main)
