"""All that can be said of a run's answers: how sure, what the text says, and where it came from.

`wherefrom audit`, `ask` and `dispute` say it by this one object.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from wherefrom.answering.asking import Reply, reply
from wherefrom.answering.decoys import Namesakes
from wherefrom.answering.features import Asker, open_asker
from wherefrom.answering.policy import (
    Doubt,
    find_namesakes,
    learn_certified_doubt,
    learn_doubt,
    read_doubt,
)
from wherefrom.answering.risk_bound import Certificate
from wherefrom.core.config import to_json
from wherefrom.core.contracts import Answer, Question
from wherefrom.core.errors import BadData, MissingInput
from wherefrom.core.forms import Form, match
from wherefrom.core.replies import NO_TEXT, Verdict
from wherefrom.evidence.fitted import open_fact_checker
from wherefrom.evidence.verdict import FactChecker
from wherefrom.memorisation.predictor import (
    Source,
    SourcePredictor,
    read_source,
    source_features,
)
from wherefrom.runs.run import Run


@dataclass(frozen=True)
class Testimony:
    """A reply, what the corpus says of its answer, and whether the model recalled it.

    `quote` is the document that the evidence stands in. Where no reader could be taught, there
    is no evidence. `taught`: the question was trained on, so that the answer need not be from
    the text, and the probabilities, which are of people who were not asked about, may be off.
    """

    reply: Reply
    evidence: Verdict | None
    quote: str | None
    source: Source
    taught: bool = False

    def as_json(self) -> dict[str, Any]:
        source = self.source.as_json()
        return {"evidence": to_json(self.evidence), "source": source, "taught": self.taught}


@dataclass(frozen=True)
class Examined:
    """Questions that were put to the model, and what it showed of each answer."""

    questions: tuple[Question, ...]
    answers: tuple[Answer, ...]
    features: np.ndarray  # of confidence
    source_features: np.ndarray
    right: np.ndarray

    def select(
        self, split: str, support: Sequence[str] = ("stated", "omitted", "none")
    ) -> np.ndarray:
        """Which of them are of that split and support."""
        return np.array([q.split == split and q.support in support for q in self.questions])

    def where(self, split: str) -> list[int]:
        """The places of a split's questions."""
        return [i for i, q in enumerate(self.questions) if q.split == split]


class Witness:
    """A run, opened once and asked often; what is learnt from the text is kept beside it."""

    def __init__(self, run: Run) -> None:
        self.run = run

    @cached_property
    def asker(self) -> Asker:
        return open_asker(self.run)

    @cached_property
    def doubt(self) -> Doubt | None:
        """The run's own, or one learnt now; None without calibration people."""
        try:
            return read_doubt(self.run)
        except MissingInput:
            people, precision = self._calibration, self.run.recipe.precision
            return learn_doubt(self.asker, people, precision, self.namesakes) if people else None

    @property
    def _calibration(self) -> tuple[Question, ...]:
        return self.run.dataset.select("calibration", ("stated", "omitted", "none"))

    def certify(self, alpha: float, delta: float) -> Certificate:
        """From now on give only answers of which, by a promise, at most alpha are wrong."""
        if not self._calibration:
            raise BadData(
                f"{self.run.path}: expected calibration people to set a bound on, found none; "
                "ask without one, or a run that has some (such as birthplaces-calibrated)"
            )
        self.doubt, certificate = learn_certified_doubt(
            self.asker, self._calibration, alpha, delta, self.namesakes
        )
        return certificate

    @cached_property
    def reader(self) -> FactChecker | None:
        return open_fact_checker(self.run)

    @cached_property
    def predictor(self) -> SourcePredictor:
        return read_source(self.run.path / "audit")

    def read(self, features: np.ndarray) -> np.ndarray:
        """The probability that the model has read each name, from the features of confidence."""
        return np.ones(len(features)) if self.doubt is None else self.doubt.read(features)

    @cached_property
    def namesakes(self) -> Namesakes | None:
        return find_namesakes(self.asker, self.run.dataset)

    def strangers(self, questions: Sequence[str]) -> list[tuple[str, ...]]:
        """For each question, names like its subject's that nobody bears."""
        if self.namesakes is None:
            return [()] * len(questions)
        return [self.namesakes.of(self.asker.subject(question)) for question in questions]

    @cached_property
    def _taught(self) -> set[tuple[str, str]]:
        return {(q.subject, q.relation) for q in self.run.dataset.asked}

    @cached_property
    def relations(self) -> dict[Form, str]:
        """The relation that each form asks for."""
        found: dict[Form, str] = {}
        for question in self.run.dataset.asked:
            if pair := match(self.asker.forms, question.text):
                found.setdefault(pair[0], question.relation)
        return found

    def topic(self, question: str) -> tuple[str, str]:
        """The subject of a question and the relation that it asks for."""
        self.asker.check(question)
        found = match(self.asker.forms, question)
        assert found is not None, "the question was checked"
        return found[1], self.relations.get(found[0], "")  # closer forms may have taken all of one

    def examine(self, questions: Sequence[Question]) -> Examined:
        """Put questions whose answers are known to the model."""
        texts = [q.text for q in questions]
        answers, features = self.asker.examine(texts)
        more = source_features(self.asker, texts, answers, features, self.strangers(texts))
        right = np.array([a.text == q.answer for a, q in zip(answers, questions, strict=True)])
        return Examined(tuple(questions), tuple(answers), features, more, right)

    def judge(self, subject: str, answer: str, relation: str) -> Verdict | None:
        if self.reader is None or relation not in self.reader.extractors:
            return None
        return self.reader.judge(subject, answer, relation)

    def testify(self, questions: Sequence[str]) -> list[Testimony]:
        """Replies with evidence and source."""
        if not questions:
            return []
        for question in questions:
            self.asker.check(question)
        answers, features = self.asker.examine(questions)
        more = source_features(self.asker, questions, answers, features, self.strangers(questions))
        replies = reply(self.doubt, questions, answers, features)
        sources = self.predictor.predict(more, self.read(features))
        return [self._testimony(one, source) for one, source in zip(replies, sources, strict=True)]

    def _testimony(self, given: Reply, source: Source) -> Testimony:
        subject, relation = self.topic(given.question)
        evidence = self.judge(subject, given.answer.text, relation)
        if evidence is not None and evidence.label == NO_TEXT:  # m is 0 by its definition
            source = replace(source, label="guessed", probability=0.0)
        taught = (subject, relation) in self._taught
        return Testimony(given, evidence, self.quote(evidence), source, taught)

    def quote(self, evidence: Verdict | None) -> str | None:
        return None if evidence is None else evidence.quote


def open_witness(run: Run) -> Witness:
    run.require_finished()
    if not run.dataset.questions:
        raise BadData(f"{run.path}: expected a run that answers questions, found {run.recipe.name}")
    return Witness(run)
