"""Right answers beside wrong ones: can one tell them apart by looking at them?

From the predictions of a finished run, or from a file of the course's: one prediction a line, in
the order of a table of questions.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median

from wherefrom.auditing.inspector import Inspector, OpenedRun
from wherefrom.core.contracts import Answer, Question
from wherefrom.core.errors import BadData, MissingInput, UsageError, WherefromError, nearest
from wherefrom.core.forms import find_forms
from wherefrom.core.recipe import Task
from wherefrom.core.replies import Verdict
from wherefrom.data.birthplaces import RELATION, TABLES, TEXT, BirthplacesConfig
from wherefrom.data.catalogue import load_dataset
from wherefrom.data.fetching import registry
from wherefrom.evaluation.evaluator import Prediction
from wherefrom.evidence.index import Index
from wherefrom.evidence.verdict import FactChecker
from wherefrom.reading.tables import read_lines, read_table
from wherefrom.runs.folder import describe
from wherefrom.runs.run import Run

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
    """Of what a run's model answered when it was evaluated."""
    run.require_finished()
    chosen = _choose_task(run, task)
    name = _choose_model(run, chosen, model)
    rows = _of_relation(run.predictions(name, chosen.name), relation, str(run.path))
    drawn = _draw(rows, n, seed)
    own = name == run.recipe.primary
    # A review has no name that a text could be about, and only the primary model has a policy.
    complete = _completer(run, own) if not chosen.brief else _as_it_is
    found = _assemble(str(run.path), rows, drawn, seed, complete, probabilities=True)
    return replace(found, model=name, task=chosen.name, relation=relation)


def examples_of_file(
    predictions: Path, questions: Path | None, data: Path | None, n: int, seed: int
) -> Examples:
    """Of a file of the course's; `data` is the folder with the text, if it is known."""
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
        Prediction.of(
            Question(row.cells[0], form.subject(row.cells[0]) or "", RELATION, row.cells[1], ""),
            Answer(place, 1.0),  # the file does not say how sure the model was
        )
        for row, place in zip(asked, said, strict=True)
    ]
    checker, notes = _check_by(data or table.parent)
    complete = _judge_by(checker) if checker is not None else _as_it_is
    found = _assemble(
        str(predictions), rows, _draw(rows, n, seed), seed, complete, probabilities=False
    )
    return replace(found, notes=notes)


# -- which answers -------------------------------------------------------------------------------


def _choose_task(run: Run, name: str | None) -> Task:
    tasks = {task.name: task for task in run.recipe.tasks if task.measure == "accuracy"}
    if not tasks:
        raise BadData(
            f"{run.path}: expected a run that answers questions, found a run of "
            f"'{run.recipe.name}'; 'wherefrom run people' makes one"
        )
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
    known = sorted({row.relation for row in rows})
    if relation not in known:
        raise UsageError(
            f"--relation: no relation '{relation}' in {where}; {nearest(relation, known)}"
        )
    return [row for row in rows if row.relation == relation]


def _draw(rows: Sequence[Prediction], n: int, seed: int) -> dict[bool, list[Prediction]]:
    """n right and n wrong ones, or all there are, in the order of the questions."""
    if n < 1:
        raise UsageError(f"--number: expected 1 or more of each, found {n}")
    drawn: dict[bool, list[Prediction]] = {}
    for right in (True, False):
        places = [i for i, row in enumerate(rows) if row.correct == right]
        chosen = random.Random(f"{seed} {right}").sample(places, min(n, len(places)))
        drawn[right] = [rows[i] for i in sorted(chosen)]
    return drawn


# -- what is known of them -----------------------------------------------------------------------

Complete = Callable[[list[Example]], list[Example]]


def _assemble(
    of: str,
    rows: Sequence[Prediction],
    drawn: dict[bool, list[Prediction]],
    seed: int,
    complete: Complete,
    probabilities: bool,
) -> Examples:
    shown = [_example(row, probabilities) for right in (True, False) for row in drawn[right]]
    shown = complete(shown)
    known = {right: [r.answer.probability for r in rows if r.correct == right] for right in drawn}
    middle = {k: median(v) if v and probabilities else None for k, v in known.items()}
    return Examples(
        of=of,
        questions=len(rows),
        right_questions=len(known[True]),
        right=tuple(each for each in shown if each.right),
        wrong=tuple(each for each in shown if not each.right),
        seed=seed,
        right_probability=middle[True],
        wrong_probability=middle[False],
    )


def _example(row: Prediction, probabilities: bool) -> Example:
    return Example(
        question=row.question,
        subject=row.subject,
        relation=row.relation,
        answer=" or ".join([row.gold, *row.accepted]),
        prediction=row.answer.text,
        right=row.correct,
        model_probability=row.answer.probability if probabilities else None,
    )


def _as_it_is(shown: list[Example]) -> list[Example]:
    return shown


def _completer(run: Run, own: bool) -> Complete:
    """What the text says, and the calibrated confidence where the run has one."""
    opened = OpenedRun(run)
    inspector = Inspector(opened) if own and opened.stored_policy is not None else None

    def complete(shown: list[Example]) -> list[Example]:
        checker = opened.fact_checker
        judged = _judge_by(checker)(shown) if checker is not None else shown
        return _with_confidence(inspector, judged) if inspector is not None else judged

    return complete


def _with_confidence(inspector: Inspector, shown: list[Example]) -> list[Example]:
    """Asked again, since predictions keep the model's own probability only."""
    replies = inspector.reply([inspector.parse(each.question) for each in shown])
    return [
        # The task may have searched otherwise than `ask` does; another answer has another one.
        replace(each, confidence=reply.confidence) if reply.answer == each.prediction else each
        for each, reply in zip(shown, replies, strict=True)
    ]


def _judge_by(checker: FactChecker) -> Complete:
    def judge(shown: list[Example]) -> list[Example]:
        return [
            replace(each, evidence=checker.judge(each.subject, each.prediction, each.relation))
            if each.relation in checker.extractors
            else each
            for each in shown
        ]

    return judge


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
