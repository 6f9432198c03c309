"""How often the labels of evidence are right on a user's own text, relation by relation.

    python benchmarks/own_text_evidence.py FOLDER/ballplayers FOLDER/countries --joined 3

A text is FOLDER/NAME.txt with FOLDER/NAME.tsv. `--joined 3` also joins every three lines, in a
shuffled order, into one paragraph: what is told of others there must not count. `--read 100` prints
labels with their quotes, to be read by hand. Nothing is trained but the extractors.
"""

import random
import tempfile
from collections.abc import Sequence
from pathlib import Path

from measure import finish, machine, parser

from wherefrom.core.contracts import Dataset
from wherefrom.core.replies import Verdict
from wherefrom.data.facts import FactsConfig, load
from wherefrom.evidence.accuracy import measure_verdicts, probe_answers
from wherefrom.evidence.index import Index
from wherefrom.evidence.verdict import FactChecker


def read(text: Path, joined: int = 1, seed: int = 0) -> Dataset:
    """The data set of a text, its lines joined to paragraphs."""
    questions = text.with_suffix(".tsv")
    lines = text.with_suffix(".txt").read_text("utf-8").splitlines()
    if joined > 1:
        random.Random(seed).shuffle(lines)
    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(folder) / "corpus.txt"
        parts = [" ".join(lines[i : i + joined]) for i in range(0, len(lines), joined)]
        corpus.write_text("".join(f"{part}\n" for part in parts), "utf-8")
        return load(FactsConfig(str(corpus), str(questions)), seed=0)


def fit(dataset: Dataset) -> FactChecker:
    subjects = [question.subject for question in dataset.questions]
    index = Index.in_memory(
        Path("index.sqlite"), dataset.documents, "0" * 64, subjects, dataset.passages
    )
    return FactChecker.fit(index, dataset.asked)


def measure(name: str, dataset: Dataset) -> list[dict]:
    """For each relation, how often the labels of questions that were not learnt from are right."""
    checker, rows = fit(dataset), []
    judged = [question for question in dataset.questions if question.split != "asked"]
    for relation in dict.fromkeys(question.relation for question in judged):
        own = [question for question in judged if question.relation == relation]
        found = measure_verdicts(checker, own)
        assert found.overall is not None, "there are questions of this relation"
        rows.append(
            {
                "text": name,
                "relation": relation,
                "overall": found.overall.as_json(),
                "probes": {probe: score.as_json() for probe, score in found.probes.items()},
            }
        )
    return rows


def sample(dataset: Dataset, count: int, seed: int) -> list[tuple[str, str, str, Verdict]]:
    """Questions, answers and their right label with the verdict, drawn at random."""
    checker = fit(dataset)
    asked = [question for question in dataset.questions if question.split == "held-out"]
    found = [
        (question.text, answer, expected, question)
        for question in asked
        for _, answer, expected in probe_answers(checker, question)
    ]
    chosen = random.Random(seed).sample(found, min(count, len(found)))
    return [
        (text, answer, expected, checker.judge(question.subject, answer, question.relation))
        for text, answer, expected, question in chosen
    ]


def show(rows: Sequence[dict]) -> None:
    for row in rows:
        overall = row["overall"]
        print(f"{row['text']}: {row['relation']}")
        print(f"  {'all labels':<32}{overall['accuracy']:8.4f}  n {overall['n']}")
        for probe, score in row["probes"].items():
            print(f"  {probe:<32}{score['accuracy']:8.4f}  n {score['n']}")


def show_labels(labels: Sequence[tuple[str, str, str, Verdict]]) -> None:
    for number, (question, answer, expected, verdict) in enumerate(labels, 1):
        print(f"{number}. {question} {answer}: {verdict.label} (by the probe: {expected})")
        if verdict.quote:
            also = "".join(f"; also {other.text}" for other in verdict.also)
            print(f"   [{verdict.stated}{also}] {verdict.quote}")


def main(arguments: list[str] | None = None) -> dict:
    options = parser(__doc__)
    options.add_argument("texts", nargs="*", type=Path, help="FOLDER/NAME of .txt and .tsv")
    options.add_argument("--joined", type=int, default=1, help="lines joined to a paragraph")
    options.add_argument("--read", type=int, default=0, help="labels to print for reading")
    options.add_argument("--seed", type=int, default=0, help="which labels are drawn")
    given = options.parse_args(arguments)
    rows: list[dict] = []
    for text in given.texts:
        for joined in sorted({1, given.joined}):
            name = f"{text.name}, {joined} lines a paragraph" if joined > 1 else text.name
            dataset = read(text, joined)
            rows += measure(name, dataset)
            if given.read:
                show_labels(sample(dataset, given.read, given.seed))
    show(rows)
    return finish(given, {"title": "own text evidence", "relations": rows, "machine": machine()})


if __name__ == "__main__":
    main()
