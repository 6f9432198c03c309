"""Evidence: at 100,000 lines the time of a query and the size of the index; how often labels are
right.

The lines are about generated people or, with --data, lines of the birthplaces folder with first
and last names recombined. Limits: 20 ms a query at the 95th percentile, an index 8x the text.

    python benchmarks/evidence.py --probes --data FOLDER --text ballplayers --text countries

judges answers whose label is known beforehand, for docs/TRUST.md. FOLDER has the birthplaces files,
and NAME.txt and NAME.tsv are a text and its questions. An extractor is fitted on asked people and
judges answers about calibration people; no model is trained. The rows go to
docs/results/probes.jsonl.gz, one for each answer that was judged.
"""

import hashlib
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import cycle, islice
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from answer_files import read_rows, write_rows
from measure import Watch, finish, machine, parser, tell_disturbed
from program import ROOT, launch

from wherefrom.core.contracts import Dataset, Document, Question, Span
from wherefrom.core.replies import CONTRADICTED, NO_TEXT, SILENT, SUPPORTED
from wherefrom.data import birthplaces, people
from wherefrom.data.data_catalogue import load_dataset
from wherefrom.data.facts import FactsConfig
from wherefrom.evaluation.intervals import wilson
from wherefrom.reading.candidates import Line
from wherefrom.reading.index import Index, fold
from wherefrom.reading.tokens import normalise
from wherefrom.reading.verdict import FactChecker
from wherefrom.runs.folder import describe

SLOWEST, LARGEST = 20.0, 8.0  # milliseconds; times the text
FILE = ROOT / "docs" / "results" / "probes.jsonl.gz"
CALIBRATION = 400  # questions of birthplaces, as in `birthplaces-calibrated`
# The probes: which answer is judged, and what the person's text says.
GOLD = "gold answer"
OTHER_IN_TEXT = "other answer, in the text"
OTHER = "other answer, not in the text"
OMITTED = "text omits the answer"
WITHOUT_TEXT = "without text"
_PROBES_OF_SUPPORT = {
    "stated": (GOLD, SUPPORTED),
    "omitted": (OMITTED, SILENT),
    "none": (WITHOUT_TEXT, NO_TEXT),
}
Rows = Sequence[Mapping[str, Any]]


# -- how often labels are right ---------------------------------------------------------------


def judge(checker: FactChecker, questions: Sequence[Question]) -> Iterator[dict[str, Any]]:
    """Every probe with the label that is right and the one that it gets.

    The extractor must not have learnt from the questions. If the text states the gold answer, then
    the gold answer is supported and any other answer is contradicted. If the text omits the gold
    answer, it should be silent (a user's own text may state another answer instead).
    """
    for question in questions:
        if question.relation not in checker.extractors:
            continue
        for probe, answer, expected in probe_answers(checker, question):
            label = checker.judge(question.subject, answer, question.relation).label
            yield {
                "relation": question.relation, "subject": question.subject, "probe": probe,
                "answer": answer, "expected": expected, "label": label,
            }  # fmt: skip


def count(rows: Rows) -> dict[str, dict[str, Any]]:
    """How often each probe, and all of them, get the right label."""
    found: dict[str, list[bool]] = {}
    for row in rows:
        for probe in (row["probe"], "all"):
            found.setdefault(probe, []).append(row["label"] == row["expected"])
    return {probe: _share(own) for probe, own in found.items()}


def extract(checker: FactChecker, questions: Sequence[Question]) -> dict[str, Any] | None:
    """How often the surest statement is the gold answer, among people whose text states it."""
    asked = [q for q in questions if q.support == "stated" and q.answer is not None]
    found = [(checker.statements(q.subject, q.relation), q) for q in asked]
    exact = [bool(stated) and stated[0].value in _gold(q) for stated, q in found]
    return _share(exact) if exact else None


def _share(right: Sequence[bool]) -> dict[str, Any]:
    n = len(right)
    return {"share": sum(right) / n, "n": n, "interval": wilson(sum(right), n)}


def probe_answers(checker: FactChecker, question: Question) -> Iterator[tuple[str, str, str]]:
    """Answers whose label is known: the probe's name, the answer, and its right label."""
    if not question.answer:
        return
    probe, expected = _PROBES_OF_SUPPORT[question.support]
    yield probe, question.answer, expected
    if question.support == "stated":
        inside, outside = other_answers(checker, question)
        for probe, others in ((OTHER_IN_TEXT, inside), (OTHER, outside)):
            if others:
                # A hash of the question chooses one answer, the same on every machine.
                digest = hashlib.sha256(question.text.encode()).digest()
                yield probe, others[int.from_bytes(digest[:8], "big") % len(others)], CONTRADICTED


def other_answers(checker: FactChecker, question: Question) -> tuple[list[str], list[str]]:
    """Answers of asked people that are wrong here: those in this person's text, and the others.

    Names in the gold answer's chain are left out: such a place may contain the gold answer or lie
    in it, and then it is not wrong.
    """
    profile = checker.extractors[question.relation].profile
    gold = _gold(question)
    inside: set[str] = set()
    near: set[str] = set(gold)
    text = ""
    for number in checker.index.about(question.subject):  # all of it: others may be told of there
        line = Line.of(checker.index.document(number).text, question.subject, profile)
        text += fold(line.text)
        inside |= {candidate.value for candidate in line.candidates}
        chains = {run for c in line.candidates if c.value in gold for run in c.chain}
        near |= {candidate.value for candidate in line.candidates if candidate.run in chains}
    known = sorted(profile.known.keys() - near)
    return [v for v in known if v in inside], [v for v in known if v not in text]


def _gold(question: Question) -> set[str]:
    """The right answers, normalised."""
    return {normalise(answer) for answer in (question.answer or "", *question.accepted)}


def take_probes(data: str, texts: Sequence[Path]) -> None:
    """The probes of people, birthplaces and own texts; the rows are kept."""
    configs: dict[str, Any] = {
        "people": people.PeopleConfig(),
        "birthplaces": birthplaces.BirthplacesConfig(data, CALIBRATION),
    }
    for path in texts:
        configs[path.name] = FactsConfig(*(str(path.with_suffix(end)) for end in (".txt", ".tsv")))
    rows: list[dict[str, Any]] = []
    for text, config in configs.items():
        dataset = load_dataset(config, seed=0)
        subjects = [question.subject for question in dataset.questions]
        read = dataset.training_documents
        passages = (each for each in dataset.passages if each.document < len(read))
        checker = FactChecker.fit(Index.in_memory(FILE, read, subjects, passages), dataset.asked)
        calibration = [q for q in dataset.questions if q.split == "calibration"]
        rows += [{"text": text, **row} for row in judge(checker, calibration)]
    write_rows(FILE, rows)


def read_probes() -> dict[str, dict[str, dict[str, Any]]]:
    """For each text of the kept rows, how often labels are right."""
    rows: dict[str, list[dict[str, Any]]] = {}
    for row in read_rows(FILE):
        rows.setdefault(row["text"], []).append(row)
    return {text: count(own) for text, own in rows.items()}


# -- time and size ----------------------------------------------------------------------------


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
    options.add_argument("--probes", action="store_true", help="judge answers; keep the labels")
    options.add_argument("--text", type=Path, action="append", default=[], metavar="NAME")
    given = options.parse_args(arguments)
    if given.probes:
        take_probes(given.data, given.text)
        for text, probes in read_probes().items():
            for probe, found in probes.items():
                print(f"{text}, {probe}: {100 * found['share']:.1f} % of {found['n']}")
        return {}
    lines, queries = (700, 20) if given.tiny else (100_000, 200 * given.turns)
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
        kinds = measure_kinds(index, checker, dataset, queries)
        judged = [q for q in dataset.questions if q.split == "calibration"]
        scores = count(list(judge(checker, judged)))
        if (extraction := extract(checker, judged)) is not None:
            scores["extracted to the letter"] = extraction
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
        print(f"  {name:<32}{score['share']:8.3f}  ({low:.3f} to {high:.3f}, n {score['n']})")


if __name__ == "__main__":
    launch(main)
