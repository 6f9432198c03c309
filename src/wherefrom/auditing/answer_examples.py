"""Right answers beside wrong ones: can one tell them apart by looking at them?

From the predictions of a finished run, or from a file of the course's: one prediction a line, in
the order of a table of questions.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median

from wherefrom.answering.closed_book import no_answers
from wherefrom.answering.inspector import Inspector, OpenedRun
from wherefrom.core.answer_table import Prediction
from wherefrom.core.contracts import Answer, Question
from wherefrom.core.errors import BadData, MissingInput, UsageError, WherefromError, nearest
from wherefrom.core.forms import find_forms
from wherefrom.core.recipe import Task
from wherefrom.core.replies import Verdict
from wherefrom.data.birthplaces import RELATION, TABLES, TEXT, BirthplacesConfig
from wherefrom.data.data_catalogue import load_dataset
from wherefrom.data.fetching import registry
from wherefrom.reading.index import Index
from wherefrom.reading.table_files import read_lines, read_table
from wherefrom.reading.verdict import FactChecker
from wherefrom.runs.folder import describe
from wherefrom.runs.opened_run import Run

_DEV = "birth_dev.tsv"


@dataclass(frozen=True)
class Example:
    """One answered question. `answer` is the right one, `prediction` what the model said.

    `model_probability` is the model's own, which is not calibrated; `confidence` is calibrated.
    Both are None where nobody kept them. `evidence` is what the text says about the prediction.
    """

    question: str
    subject: str
    relation: str
    answer: str
    prediction: str
    right: bool
    model_probability: float | None = None
    confidence: float | None = None
    evidence: Verdict | None = None


@dataclass(frozen=True)
class Examples:
    """Right and wrong answers, drawn by the seed, and how many of each there are.

    `right_probability` and `wrong_probability` are medians of the model's own over all answers of
    that kind.
    """

    of: str
    questions: int
    right_questions: int
    right: tuple[Example, ...]
    wrong: tuple[Example, ...]
    seed: int
    model: str | None = None
    task: str | None = None
    relation: str | None = None
    right_probability: float | None = None
    wrong_probability: float | None = None
    notes: tuple[str, ...] = ()


def examples_of_run(
    run: Run, n: int, seed: int, relation: str | None, model: str | None, task: str | None
) -> Examples:
    """Examples of what a run's model answered when it was evaluated."""
    run.require_finished()
    chosen = _choose_task(run, task)
    name = _choose_model(run, chosen, model)
    rows = _of_relation(list(run.predictions(name, chosen.name)), relation, str(run.path))
    drawn = _draw(rows, n, seed)
    shown = [_example(row, row.answer.probability) for row in drawn]
    if not chosen.brief:  # a review has no name that a text could be about
        opened = OpenedRun(run)
        inspector = Inspector(opened)
        verdicts = [inspector.judge_answer(row.question, row.answer.text) for row in drawn]
        shown = [replace(each, evidence=v) for each, v in zip(shown, verdicts, strict=True)]
        # Only the primary model has a policy.
        if name == run.recipe.primary and opened.stored_policy is not None:
            shown = _with_confidence(inspector, shown)
    right, wrong = (
        [row.answer.probability for row in rows if row.correct == kind] for kind in (True, False)
    )
    return replace(
        _assemble(str(run.path), rows, shown, seed),
        model=name,
        task=chosen.name,
        relation=relation,
        right_probability=median(right) if right else None,
        wrong_probability=median(wrong) if wrong else None,
    )


def examples_of_file(
    predictions: Path, questions: Path | None, data: Path | None, n: int, seed: int
) -> Examples:
    """Examples from a file of the course's; `data` is the folder with the text, if it is known."""
    table = questions or _usual_questions(predictions, data)
    asked = read_table(table, 2)
    said = read_lines(predictions, gaps=True)
    if len(said) != len(asked):
        raise BadData(
            f"{predictions}: expected {len(asked)} lines, one for each question of {table}, found "
            f"{len(said)}; name the questions that it answers with --questions"
        )
    texts = [row.cells[0] for row in asked]
    form = find_forms(texts)[0]
    rows = [
        Prediction(
            Question(row.cells[0], form.subject(row.cells[0]) or "", RELATION, row.cells[1], ""),
            Answer(place, 1.0),  # the file does not say how sure the model was
        )
        for row, place in zip(asked, said, strict=True)
    ]
    checker, notes = _check_by(data or table.parent)
    shown = _with_evidence(checker, [_example(row, None) for row in _draw(rows, n, seed)])
    return replace(_assemble(str(predictions), rows, shown, seed), notes=notes)


# -- which answers -------------------------------------------------------------------------------


def _choose_task(run: Run, name: str | None) -> Task:
    tasks = {task.name: task for task in run.recipe.tasks if task.measure == "accuracy"}
    if not tasks:
        raise no_answers(run)
    if name is not None and name not in tasks:
        raise UsageError(f"--task: no task '{name}' with answers; {nearest(name, tasks)}")
    return tasks[name] if name else next(iter(tasks.values()))


def _choose_model(run: Run, task: Task, name: str | None) -> str:
    if name is not None and name not in task.predictors:
        close = nearest(name, task.predictors)
        raise UsageError(f"--model: no model '{name}' in the task '{task.name}'; {close}")
    usual = run.recipe.primary if run.recipe.primary in task.predictors else task.predictors[0]
    return name or usual


def _of_relation(
    rows: Sequence[Prediction], relation: str | None, where: str
) -> Sequence[Prediction]:
    if relation is None:
        return rows
    known = sorted({row.question.relation for row in rows})
    if relation not in known:
        raise UsageError(
            f"--relation: no relation '{relation}' in {where}; {nearest(relation, known)}"
        )
    return [row for row in rows if row.question.relation == relation]


def _draw(rows: Sequence[Prediction], n: int, seed: int) -> list[Prediction]:
    """n right and n wrong ones, or all there are, each kind in the order of the questions."""
    if n < 1:
        raise UsageError(f"--number: expected 1 or more of each, found {n}")
    drawn: list[Prediction] = []
    for right in (True, False):
        places = [i for i, row in enumerate(rows) if row.correct == right]
        chosen = random.Random(f"{seed} {right}").sample(places, min(n, len(places)))
        drawn += [rows[i] for i in sorted(chosen)]
    return drawn


# -- what is known of them -----------------------------------------------------------------------


def _assemble(of: str, rows: Sequence[Prediction], shown: Sequence[Example], seed: int) -> Examples:
    return Examples(
        of=of,
        questions=len(rows),
        right_questions=sum(row.correct for row in rows),
        right=tuple(each for each in shown if each.right),
        wrong=tuple(each for each in shown if not each.right),
        seed=seed,
    )


def _example(row: Prediction, probability: float | None) -> Example:
    return Example(
        question=row.question.text,
        subject=row.question.subject,
        relation=row.question.relation,
        answer=" or ".join([row.question.answer or "", *row.question.accepted]),
        prediction=row.answer.text,
        right=row.correct,
        model_probability=probability,
    )


def _with_confidence(inspector: Inspector, shown: list[Example]) -> list[Example]:
    """Asked again, since predictions keep the model's own probability only."""
    replies = inspector.reply([inspector.parse(each.question) for each in shown])
    return [
        # The task may have searched otherwise than `ask` does; another answer has another one.
        replace(each, confidence=reply.confidence) if reply.answer == each.prediction else each
        for each, reply in zip(shown, replies, strict=True)
    ]


def _with_evidence(checker: FactChecker | None, shown: list[Example]) -> list[Example]:
    if checker is None:
        return shown
    return [
        replace(each, evidence=checker.judge(each.subject, each.prediction, each.relation))
        if each.relation in checker.extractors
        else each
        for each in shown
    ]


# -- the course's files --------------------------------------------------------------------------


def _usual_questions(predictions: Path, data: Path | None) -> Path:
    """The dev questions: those of the folder that is named, or of the registered one."""
    folder = data or registry.find_unchanged("birthplaces")
    if folder is None or not (folder / _DEV).is_file():
        raise MissingInput(
            f"{predictions}: expected the questions that it answers, found none; name them with "
            "--questions FILE.tsv, or register the course's data with 'wherefrom data add "
            "birthplaces FOLDER'"
        )
    return folder / _DEV


def _check_by(folder: Path) -> tuple[FactChecker | None, tuple[str, ...]]:
    """A checker of the course's text, which learns from its training questions."""
    if not all((folder / name).is_file() for name in (TEXT, *list(TABLES)[:2])):
        note = f"{folder} has no {TEXT}, so nothing is said about the text; --data names its folder"
        return None, (note,)
    try:
        dataset = load_dataset(BirthplacesConfig(str(folder)), 0)
        digest = describe(dataset)["sha256"]
        index = Index.in_memory(folder / TEXT, dataset.documents, digest)
        return FactChecker.fit(index, dataset.asked), ()
    except WherefromError as error:
        return None, (f"nothing is said about the text: {error}",)
