"""Counterfactual memorisation: how much an answer owes to the subject's own text.

    m = P(answer | trained with the text) - P(answer | trained without it)

for the answer that the run's own model gives. If m is near 1, the model recalls the answer from the
text. If m is near 0, the model would give the same answer without the text, for example because of
the name or because the answer is common.

Feldman and Zhang (2020) define the memorisation of an example as the difference that the example
makes to a model's prediction. They estimate it with models that are each trained on a random part
of the data, so that every model serves for every example. Zhang et al. (2021; 2023) use the same
definition for documents and language models and call it counterfactual memorisation. Here models
are trained in pairs: one without the text of half the people, the other without the text of the
other half. So exactly one model of a pair has read a person's text.
`experiments/many_runs/retraining.py` trains the models.

Shapes: K models, N questions, P pairs of models.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from wherefrom.answering.source import RECALLED_ABOVE
from wherefrom.core.config import check, from_json, to_json
from wherefrom.core.contracts import WITH_TEXT, Dataset, Question
from wherefrom.core.errors import BadData, Damaged
from wherefrom.generation.answerer import NO_WORDINGS, Wordings, answer_probabilities
from wherefrom.runs.folder import RunFolder
from wherefrom.runs.opened_run import Run

INFLUENCE = "audit/influence.jsonl"  # one line for each retrained model

_REMOVE = "remove it and audit again"


@dataclass(frozen=True)
class RetrainedProbabilities:
    """One line of influence.jsonl: the probabilities that one retrained model gives the answers.

    `has_text` says for each question whether this model was trained with the subject's text.
    """

    model: str
    questions: tuple[str, ...]
    answers: tuple[str, ...]
    has_text: tuple[bool, ...]
    probabilities: tuple[float, ...]

    def __post_init__(self) -> None:
        for name in ("answers", "has_text", "probabilities"):
            size, wanted = len(getattr(self, name)), len(self.questions)
            check(
                size == wanted,
                type(self).__name__,
                name,
                size,
                f"as many as the {wanted} questions",
            )


@dataclass(frozen=True)
class CounterfactualMemorisation:
    """Mean probabilities of N answers, over the models with the text and over those without.

    `m_by_pair` (P, N) has m from one model with the text and one without. The less the pairs
    differ, the more exact m is.
    """

    with_text: np.ndarray
    without_text: np.ndarray
    models: int
    m_by_pair: np.ndarray

    @property
    def m(self) -> np.ndarray:
        return self.with_text - self.without_text

    @property
    def recalled(self) -> np.ndarray:
        """Whether the model recalls each answer; False if m is NaN."""
        return self.m > RECALLED_ABOVE


def find_memorisation(
    folder: RunFolder,
    retrained: Sequence[Run],
    questions: Sequence[Question],
    answers: Sequence[str],
    wordings: Wordings = NO_WORDINGS,
) -> CounterfactualMemorisation | None:
    """The memorisation of these answers; the models' probabilities go to the run's `folder`.

    `wordings` are those in which the run's own model is asked: the others are asked alike.
    Models that an earlier call measured count too, even if their folders are gone, for the answers
    that they were measured on. None if there is no retrained model at all.
    """
    if retrained:
        rows = measure_probabilities(retrained, questions, answers, wordings)
        here = {row.model for row in rows}
        earlier = [
            row
            for row in (read_rows(folder) if folder.has(INFLUENCE) else [])
            if row.model not in here and _shares_answers(row, rows[0])
        ]
        folder.write_jsonl(INFLUENCE, to_json([*earlier, *rows]))
    if not folder.has(INFLUENCE):
        return None
    rows = read_rows(folder)
    if not rows:
        path = folder.path / INFLUENCE
        raise Damaged(f"{path}: expected a row for each retrained model, found none; {_REMOVE}")
    return compute_memorisation(rows, questions, answers)


def measure_probabilities(
    retrained: Sequence[Run],
    questions: Sequence[Question],
    answers: Sequence[str],
    wordings: Wordings = NO_WORDINGS,
) -> list[RetrainedProbabilities]:
    """The probabilities that each retrained model gives to the answers of the run's own model."""
    texts = tuple(q.text for q in questions)
    return [
        RetrainedProbabilities(
            run.path.name,
            texts,
            tuple(answers),
            tuple(has_text(run.dataset, questions).tolist()),
            tuple(answer_probabilities(run.predictor().asking(wordings), texts, answers).tolist()),
        )
        for run in retrained
    ]


def measured_models(folder: RunFolder) -> frozenset[str]:
    """The names of the models whose probabilities are stored in the run's folder."""
    rows = read_rows(folder) if folder.has(INFLUENCE) else []
    return frozenset(row.model for row in rows)


def read_rows(folder: RunFolder) -> list[RetrainedProbabilities]:
    """The lines of influence.jsonl."""
    try:
        lines = enumerate(folder.read_jsonl(INFLUENCE), 1)
        return [from_json(RetrainedProbabilities, line, f"line {n}") for n, line in lines]
    except BadData as error:
        raise Damaged(f"{folder.path / INFLUENCE}: {error}; {_REMOVE}") from None


def compute_memorisation(
    rows: Sequence[RetrainedProbabilities], questions: Sequence[Question], answers: Sequence[str]
) -> CounterfactualMemorisation:
    """The memorisation of these answers, from the rows of influence.jsonl.

    Probabilities are looked up by question and answer. If the model now gives another answer than
    the one that was measured, m is NaN.
    """
    p_KN, has_text_KN = align_rows(rows, questions, answers)
    in_corpus_N = np.array([q.support in WITH_TEXT for q in questions], dtype=bool)
    return estimate(p_KN, has_text_KN, in_corpus_N)


def align_rows(
    rows: Sequence[RetrainedProbabilities], questions: Sequence[Question], answers: Sequence[str]
) -> tuple[np.ndarray, np.ndarray]:
    """(K, N) each: the models' probabilities of these answers, and who had the subject's text.

    A model that was measured on another answer has the probability NaN.
    """
    wanted = [(q.text, answer) for q, answer in zip(questions, answers, strict=True)]
    p_KN = np.full((len(rows), len(wanted)), math.nan)
    has_text_KN = np.ones(p_KN.shape, dtype=bool)
    for k, row in enumerate(rows):
        pairs = zip(row.questions, row.answers, strict=True)
        measured = zip(row.probabilities, row.has_text, strict=True)
        known = dict(zip(pairs, measured, strict=True))
        for n, pair in enumerate(wanted):
            p_KN[k, n], has_text_KN[k, n] = known.get(pair, (math.nan, True))
    return p_KN, has_text_KN


def estimate(
    p_KN: np.ndarray, has_text_KN: np.ndarray, in_corpus_N: np.ndarray
) -> CounterfactualMemorisation:
    """Means over the models that were trained with the subject's text, and over the others.

    `in_corpus_N` says whether the run's own corpus has text about the subject. If it has none,
    there is nothing to leave out, and m is 0. If it has text, but all models or no model was
    trained on it, there is nothing to compare with, and m is NaN. A model whose probability for an
    answer is NaN has not measured this answer, and does not count for it.
    """
    known_KN = np.isfinite(p_KN)
    readers_KN, others_KN = has_text_KN & known_KN, ~has_text_KN & known_KN
    with np.errstate(invalid="ignore", divide="ignore"):
        without_N: np.ndarray = np.where(others_KN, p_KN, 0.0).sum(0) / others_KN.sum(0)
        read_N: np.ndarray = np.where(readers_KN, p_KN, 0.0).sum(0) / readers_KN.sum(0)
    with_N = np.where(in_corpus_N, read_N, without_N)
    by_pair_PN = _pair_models(p_KN, has_text_KN)
    return CounterfactualMemorisation(with_N, without_N, len(p_KN), by_pair_PN)


def has_text(dataset: Dataset, questions: Sequence[Question]) -> np.ndarray:
    """Whether each question's subject has text in this data set."""
    support = {q.text: q.support for q in dataset.questions}
    return np.array([support[q.text] in WITH_TEXT for q in questions], dtype=bool)


def _pair_models(p_KN: np.ndarray, has_text_KN: np.ndarray) -> np.ndarray:
    """(P, N): m from the first model with the text and the first without, and so on."""
    models, questions = p_KN.shape
    by_pair_PN = np.full((models // 2, questions), np.nan)
    for n in range(questions):
        known = np.isfinite(p_KN[:, n])
        readers = p_KN[known & has_text_KN[:, n], n]
        others = p_KN[known & ~has_text_KN[:, n], n]
        count = min(len(readers), len(others))
        by_pair_PN[:count, n] = readers[:count] - others[:count]
    return by_pair_PN


def _shares_answers(one: RetrainedProbabilities, other: RetrainedProbabilities) -> bool:
    """Whether two rows are about the same model's answers.

    Another machine may round a few of them to the next best: most must agree, not all.
    """
    pairs = set(zip(one.questions, one.answers, strict=True))
    same = pairs & set(zip(other.questions, other.answers, strict=True))
    return 2 * len(same) > len(other.questions)
