"""Raw answers of trained models, kept, and the answering policy fitted on them again.

    python benchmarks/replay.py RUN ... --file docs/results/raw.people-omitted.jsonl.gz

A raw file has everything that a policy is fitted on and judged by, and nothing that a policy
decides: each question with its answer, features and support; the four measures of each name, of
decoys too. So a change of the policy is measured on the same answers, without a model.
"""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from answer_files import by_run, read_rows, write_rows
from program import launch

from wherefrom.answering.decoys import make_tiers
from wherefrom.answering.features import FEATURES, MEASURES, NO_FORMS, FamiliarityReference
from wherefrom.answering.fitting import certify_policy, fit_policy, judge
from wherefrom.answering.inspector import OpenedRun
from wherefrom.answering.name_gate import find_novel
from wherefrom.answering.policy import AnswerPolicy, decide
from wherefrom.core.answer_table import AnswerTable, FeatureTable
from wherefrom.core.contracts import WITH_TEXT, Answer, Question
from wherefrom.core.forms import Form, ParsedQuestion
from wherefrom.core.sample_size import ALPHA, DELTA
from wherefrom.core.vocabulary import MASK_ID
from wherefrom.generation.answerer import ModelAnswerer
from wherefrom.generation.requests import Request
from wherefrom.runs.opened_run import open_run

PRECISION = 0.9
FITTING = "fitting"  # the decoys that a name gate is fitted on
INVENTED = "invented for fitting"  # names that show whether it leaks
NO_FORM = Form("", "")
TIER = 300  # names a tier
DIGITS = 4  # of the measures of decoys, of which there are many


# -- taking ---------------------------------------------------------------------------------------


def take_run(path: Path, tier: int, samples: int) -> Iterator[dict[str, Any]]:
    """The rows of a run: its reference of known names, its answers, decoys of each tier."""
    run = open_run(path)
    opened, dataset = OpenedRun(run), run.dataset
    model, reference = opened.model, opened.model.reference
    yield {"run": path.name, "part": "reference", "mean": dict(reference.mean),
           "spread": dict(reference.spread), "known_supports": model.known_supports}  # fmt: skip
    asked = [q for q in dataset.questions if q.split != "asked" and q.answer is not None]
    pairs = [(q, found) for q in asked if (found := model.try_parse(q.text))]
    table = model.answer([found for _, found in pairs])
    drawn = draw_samples(model.answerer, [found.text for _, found in pairs], samples)
    for i, (question, answer) in enumerate(zip((q for q, _ in pairs), table.answers, strict=True)):
        yield {
            "run": path.name, "part": "answer", "subject": question.subject,
            "relation": question.relation, "split": question.split, "support": question.support,
            "gold": question.answer, "answer": answer.text, "right": question.accepts(answer.text),
            "features": table.features.row(i), **({"samples": drawn[i]} if samples else {}),
        }  # fmt: skip
    names: list[tuple[str, str, str]] = []  # a kind, a name, and whose decoy it is
    for subject in dict.fromkeys(q.subject for q, _ in pairs if q.split == "calibration"):
        own = opened.decoys.of(subject)[:2] if opened.decoys else ()
        names += [(FITTING, name, subject) for name in own]
    if opened.decoys:
        names += [(INVENTED, name, "") for name in opened.decoys.invented(model.likelihood)]
    tiers = make_tiers(find_novel(model, dataset), model.likelihood, tier)
    names += [(kind, name, "") for kind, each in tiers.items() for name in each]
    measured = model.measure([name for _, name, _ in names]).matrix(MEASURES).tolist()
    for (kind, name, of), values in zip(names, measured, strict=True):
        kept = [float(f"{value:.{DIGITS}g}") for value in values]
        yield {"run": path.name, "part": kind, "name": name, "of": of, "measures": kept}


def draw_samples(answerer: ModelAnswerer, questions: Sequence[str], count: int) -> list[list[str]]:
    """So many answers to each question, sampled from the model's own probabilities."""
    encode, decode = answerer.vocabulary.encode, answerer.vocabulary.decode
    requests = [
        Request((*encode(text), MASK_ID), temperature=1.0, number=i * count + k)
        for i, text in enumerate(questions)
        for k in range(count)
    ]
    found = [decode(each[0].tokens) for each in answerer.generate(requests)] if requests else []
    return [found[i * count : (i + 1) * count] for i in range(len(questions))]


# -- fitting again --------------------------------------------------------------------------------


class Replay:
    """The raw answers of one run, in place of the model and of the maker of decoys."""

    def __init__(self, rows: Sequence[Mapping[str, Any]]) -> None:
        parts: dict[str, list[Mapping[str, Any]]] = {}
        for row in rows:
            parts.setdefault(row["part"], []).append(row)
        self.parts, self.forms = parts, NO_FORMS
        (found,) = parts["reference"]
        self.reference = FamiliarityReference(found["mean"], found["spread"])
        self.known_supports = found.get("known_supports", WITH_TEXT)
        # A question's place stands for its text: two may ask for the same.
        self._rows = {str(i): row for i, row in enumerate(parts["answer"])}
        decoys = (*parts[FITTING], *parts.get(INVENTED, ()))
        self._decoys = {row["name"]: row for row in decoys}
        self.relations = frozenset(row["relation"] for row in parts["answer"])

    def questions(self, split: str) -> list[Question]:
        return [
            Question(text, r["subject"], r["relation"], r["gold"], split, r["support"])
            for text, r in self._rows.items()
            if r["split"] == split
        ]

    def fit(self, split: str = "calibration") -> AnswerPolicy:
        """The policy that a run with these answers would have; fitted on another split, if named.

        Decoys are those of calibration people.
        """
        here: Any = self
        masked = self.questions("masked")
        more = judge(here, masked) if masked else None
        return fit_policy(here, judge(here, self.questions(split)), PRECISION, here, more)

    def certify(self) -> AnswerPolicy:
        """The same with the risk bound."""
        here: Any = self
        people = self.questions("calibration")
        return certify_policy(here, judge(here, people), ALPHA, DELTA, here).policy

    def judge(self, split: str = "held-out") -> list[dict[str, Any]]:
        """What the two policies do with the questions of a split.

        `confidence` is what a reply would show, `ungated` that of unknown names too.
        """
        questions, policy = self.questions(split), self.fit()
        table = self.answer([self.try_parse(question.text) for question in questions])
        certified = self.certify().answers(table.features, table.relations)
        ungated = policy.confidence(table.features, table.relations)
        decisions = decide(policy, table.features, table.relations)
        return [
            {"subject": q.subject, "relation": q.relation, "support": q.support, "split": split,
             "right": q.accepts(answer.text), "answered": decision.given,
             "certified": bool(sure), "confidence": decision.confidence, "ungated": float(p),
             "name_known": decision.name_known, "features": table.features.row(i)}
            for i, (q, answer, decision, sure, p) in enumerate(
                zip(questions, table.answers, decisions, certified, ungated, strict=True)
            )
        ]  # fmt: skip

    # what fitting asks of a model

    def try_parse(self, text: str) -> ParsedQuestion:
        row = self._rows[text]
        return ParsedQuestion(text, NO_FORM, row["subject"], row["relation"])

    def answer(self, questions: Sequence[ParsedQuestion]) -> AnswerTable:
        rows = [self._rows[question.text] for question in questions]
        columns = {name: np.array([row["features"][name] for row in rows]) for name in FEATURES}
        given = tuple(Answer(row["answer"], 1.0) for row in rows)
        return AnswerTable(tuple(questions), given, FeatureTable(columns))

    def familiarity(self, names: Sequence[str]) -> FeatureTable:
        return self._standardise([self._decoys[name] for name in names])

    # what it asks of the maker of decoys

    def of(self, subject: str) -> list[str]:
        return [row["name"] for row in self.parts[FITTING] if row["of"] == subject]

    def likelihood(self, names: Sequence[str]) -> np.ndarray:
        raise NotImplementedError("inventions are kept, not made again")

    def invented(self, likelihood: Any) -> list[str]:
        return [row["name"] for row in self.parts.get(INVENTED, ())]

    def tier(self, name: str) -> FeatureTable:
        """The familiarity of a tier's names."""
        return self._standardise(self.parts.get(name, []))

    def _standardise(self, rows: Sequence[Mapping[str, Any]]) -> FeatureTable:
        values = np.array([row["measures"] for row in rows]).reshape(-1, len(MEASURES))
        return self.reference.standardise(FeatureTable.from_matrix(values, MEASURES))


def replay(file: Path) -> dict[str, Replay]:
    """Each run of a raw file."""
    return {run: Replay(rows) for run, rows in by_run(read_rows(file)).items()}


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("runs", type=Path, nargs="+", help="finished runs")
    parser.add_argument("--file", type=Path, required=True, help="the raw file to write")
    parser.add_argument("--tier", type=int, default=TIER, help="names in each tier of decoys")
    parser.add_argument("--samples", type=int, default=0, help="sampled answers to each question")
    given = parser.parse_args(arguments)
    runs = (take_run(run, given.tier, given.samples) for run in given.runs)
    write_rows(given.file, (row for rows in runs for row in rows))


if __name__ == "__main__":
    launch(main)
