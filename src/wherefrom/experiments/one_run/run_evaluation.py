"""Scoring a run's models and baselines on its tasks, and fitting when a model should answer."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from wherefrom.answering.closed_book import ClosedBookModel, open_closed_book
from wherefrom.answering.fitting import UNANSWERABLE, fit_policy, judge, report_policy
from wherefrom.answering.name_gate import make_decoy_names
from wherefrom.answering.policy import write_policy
from wherefrom.core.answer_table import AnswerTable
from wherefrom.core.contracts import EVERY_SUPPORT, Answer, Dataset
from wherefrom.core.errors import BadData
from wherefrom.core.recipe import Task
from wherefrom.evaluation.baselines import BASELINES, OPEN_BOOK, OpenBook
from wherefrom.evaluation.evaluator import Score, evaluate_answers, evaluate_text
from wherefrom.evaluation.mistakes import sort_mistakes
from wherefrom.evaluation.places import PlaceMatch, place_aware_accuracy
from wherefrom.experiments.one_run.samples import leave_samples, read_losses
from wherefrom.generation.answerer import BEAMS, ModelAnswerer
from wherefrom.generation.text_scorer import TextScorer
from wherefrom.objectives.span_corruption import SpanCorruptionConfig
from wherefrom.runs.families import Family
from wherefrom.runs.opened_run import Run

PLACE_AWARE = ", place-aware"
_NOTHING = AnswerTable.of((), ())  # of a task that scores no answers


def evaluate(run: Run) -> dict[str, Any]:
    """The score of every predictor on every task, and what the answering policy does, by name."""
    results: dict[str, Any] = {}
    decoded: dict[str, Answer] = {}  # by the primary model, so that nothing is decoded twice
    predictors = _Predictors(run)
    for i, task in enumerate(run.recipe.tasks):
        for name in task.predictors:
            key = name if i == 0 else f"{task.name}.{name}"
            found, predictions = evaluate_task(run, task, name, key, predictors.of(name, task))
            results |= found
            if name == run.recipe.primary and task.beams == BEAMS:
                decoded |= {q.text: answer for q, answer in predictions}
    if run.recipe.abstain:
        results |= set_policy(run, predictors.model, decoded)
    return results


class _Predictors:
    """A run's models and baselines by name; the primary model is asked as the recipe says."""

    def __init__(self, run: Run) -> None:
        self.run = run

    @cached_property
    def model(self) -> ClosedBookModel:
        """The primary model, of a run that answers questions."""
        return open_closed_book(self.run)

    def of(self, name: str, task: Task) -> Any:
        run = self.run
        if name == OPEN_BOOK:
            return OpenBook(run.notes, run.dataset.questions)
        if name not in {m.name for m in run.recipe.models}:
            return BASELINES[name](run.dataset, run.vocabulary)
        if name != run.recipe.primary or not run.recipe.wordings:
            return run.predictor(name)
        questions = run.dataset.scored(task.split, task.support)
        return self.model.answerer.asking(self.model.word_texts(q.text for q in questions))


def evaluate_task(
    run: Run, task: Task, name: str, key: str, predictor: Any
) -> tuple[dict[str, Any], AnswerTable]:
    """One predictor's scores on one task; its predictions go into the run folder."""
    if task.measure == "samples":
        leave_samples(run, name)
        return {}, _NOTHING
    if task.measure == "perplexity":
        score = put_text(task, predictor, run.workshop.family, run.dataset, run.vocabulary)
        return {key: score.as_json() | _training_loss(run, name)}, _NOTHING
    put = put_task(task, predictor, run.dataset, reach(run.recipe.model))
    if len(said := put.predictions):
        brief = tuple(replace(q, text=q.subject) for q in said.known)
        shown = replace(said, known=brief) if task.brief else said
        run.folder.write_predictions(name, task.name, shown)
    run.folder.write_answers(name, task.name, put.answers)
    scores = {f"{key}{suffix}": score.as_json() for suffix, score in put.scores.items()}
    return scores, put.predictions


def put_text(task: Task, scorer: Any, family: Family, dataset: Dataset, vocabulary: Any) -> Score:
    """Perplexity of the whole held-out text; for a language model, also how it was windowed."""
    held_out_text = family.held_out_text
    assert held_out_text is not None, f"{family.config.__name__} has no text to be scored on"
    text = held_out_text(dataset, vocabulary)
    if isinstance(scorer, TextScorer):
        scorer = scorer.overlapping(task.overlap)
        text = replace(text, details=text.details | scorer.details)
    return evaluate_text(scorer, text)


def _training_loss(run: Run, name: str) -> dict[str, float]:
    """The mean loss of a model's last hundred updates; the homework reports this number."""
    if name not in {m.name for m in run.recipe.models} or not (tens := read_losses(run, name)):
        return {}
    return {"last_100_updates": sum(tens[-10:]) / len(tens[-10:])}


@dataclass(frozen=True)
class Put:
    """A predictor's answers to a task's questions; `scores` by the suffix of their names."""

    answers: list[str]
    predictions: AnswerTable
    scores: dict[str, Score]


def put_task(task: Task, predictor: Any, dataset: Dataset, reach: int) -> Put:
    """Ask a task's questions; questions without a known answer are not scored."""
    questions = dataset.scored(task.split, task.support)
    if isinstance(predictor, ModelAnswerer):
        predictor = predictor.searching(task.beams)
    if task.measure == "predictions":
        answers = predictor.answer([q.text for q in questions])
        return Put([a.text for a in answers], _NOTHING, {})
    score, predictions = evaluate_answers(predictor, questions)
    scores = {"": score}
    if task.place_aware:
        mistakes = sort_mistakes(predictions, dataset, reach)
        score.details["mistakes"] = mistakes
        scores[PLACE_AWARE] = place_aware_accuracy(predictions, PlaceMatch(dataset))
    return Put([a.text for a in predictions.answers], predictions, scores)


def reach(model: Any) -> int:
    """How many characters of a line a training row of the course's objective can show."""
    return int(getattr(model, "block_size", 0) * SpanCorruptionConfig().longest)


def set_policy(run: Run, model: ClosedBookModel, decoded: Mapping[str, Answer]) -> dict[str, Any]:
    """Fit the answering policy on calibration people, and report it on held-out people.

    `decoded` has answers of the primary model that were already decoded for the tasks.
    """
    dataset: Dataset = run.dataset
    model.decoded |= decoded
    decoys = make_decoy_names(model, dataset)
    people = judge(model, dataset.select("calibration", EVERY_SUPPORT))
    masked = dataset.select("masked", EVERY_SUPPORT)
    more = judge(model, masked) if masked else None
    policy = fit_policy(model, people, run.recipe.precision, decoys, more)
    write_policy(run.folder, policy)
    asked = {support: dataset.scored("held-out", (support,)) for support in EVERY_SUPPORT}
    held_out = dataset.select("held-out", EVERY_SUPPORT)
    asked[UNANSWERABLE] = tuple(q for q in held_out if not q.answerable)
    groups: dict[str, AnswerTable] = {}
    for name, questions in asked.items():
        with suppress(BadData):  # nobody of this group can be asked about
            groups[name] = judge(model, questions)
    run.folder.write_answered(people, *groups.values())
    return {name: score.as_json() for name, score in report_policy(policy, groups).items()}
