"""Answers whose evidence label is known beforehand, judged: what TRUST.md says about evidence.

    python benchmarks/probes.py --data FOLDER --text ballplayers --text countries

FOLDER has the birthplaces files, and NAME.txt and NAME.tsv are a text and its questions. An
extractor is fitted on asked people and judges answers about calibration people; no model is
trained. The rows go to docs/results/probes.jsonl.gz, one for each answer that was judged.
"""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from answer_files import read_rows, write_rows
from program import ROOT, launch

from wherefrom.auditing.verdict_accuracy import probe_answers
from wherefrom.core.contracts import Dataset
from wherefrom.data.birthplaces import BirthplacesConfig
from wherefrom.data.data_catalogue import load_dataset
from wherefrom.data.facts import FactsConfig
from wherefrom.data.people import PeopleConfig
from wherefrom.evaluation.intervals import wilson
from wherefrom.reading.index import Index
from wherefrom.reading.verdict import FactChecker

FILE = ROOT / "docs" / "results" / "probes.jsonl.gz"
CALIBRATION = 400  # questions of birthplaces, as in `birthplaces-calibrated`


def judge(text: str, dataset: Dataset) -> Iterator[dict[str, Any]]:
    """Every probe of the calibration people, with the label that is right and the one it gets."""
    subjects = [question.subject for question in dataset.questions]
    read = dataset.training_documents
    passages = (each for each in dataset.passages if each.document < len(read))
    checker = FactChecker.fit(Index.in_memory(FILE, read, subjects, passages), dataset.asked)
    for question in dataset.questions:
        if question.split != "calibration" or question.relation not in checker.extractors:
            continue
        for probe, answer, expected in probe_answers(checker, question):
            label = checker.judge(question.subject, answer, question.relation).label
            yield {
                "text": text, "relation": question.relation, "subject": question.subject,
                "probe": probe, "answer": answer, "expected": expected, "label": label,
            }  # fmt: skip


def count(rows: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """For each text: how often each probe, and all of them, get the right label."""
    found: dict[str, dict[str, list[bool]]] = {}
    for row in rows:
        for probe in (row["probe"], "all"):
            each = found.setdefault(row["text"], {}).setdefault(probe, [])
            each.append(row["label"] == row["expected"])
    return {
        text: {
            probe: {
                "share": sum(own) / len(own),
                "n": len(own),
                "interval": wilson(sum(own), len(own)),
            }
            for probe, own in probes.items()
        }
        for text, probes in found.items()
    }


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--data", required=True, help="folder of the birthplaces files")
    parser.add_argument("--text", type=Path, action="append", default=[], metavar="NAME")
    given = parser.parse_args(arguments)
    texts: dict[str, Any] = {
        "people": PeopleConfig(),
        "birthplaces": BirthplacesConfig(given.data, CALIBRATION),
    }
    for path in given.text:
        texts[path.name] = FactsConfig(*(str(path.with_suffix(end)) for end in (".txt", ".tsv")))
    sets = ((text, load_dataset(config, seed=0)) for text, config in texts.items())
    write_rows(FILE, (row for text, dataset in sets for row in judge(text, dataset)))
    for text, probes in count(read_rows(FILE)).items():
        for probe, found in probes.items():
            print(f"{text}, {probe}: {100 * found['share']:.1f} % of {found['n']}")
    return 0


if __name__ == "__main__":
    launch(main)
