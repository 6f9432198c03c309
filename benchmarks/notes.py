"""What notes are worth on a text: open-book, and closed-book.

Every score is given twice. First with the names of held-out people known from the questions, as
users have it. Then with a file of questions from which their rows were removed before anything was
read (--hidden): whoever is not found in the text by the reader cannot be learnt.

Faulty questions are left out of the second column, by rules that look at the text only: the answer
must stand in its subject's text as whole words, be one sentence, and not end with a hyphen.
"""

import tempfile
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any

from measure import finish, machine, parser
from program import launch
from reading import find_clean, hide, score_sure

import wherefrom
from wherefrom.answering.closed_book import open_closed_book
from wherefrom.core.contracts import Question
from wherefrom.data import facts
from wherefrom.evaluation.baselines import OpenBook
from wherefrom.evaluation.evaluator import Score
from wherefrom.reading.sources import DatasetPassages
from wherefrom.reading.subjects import score_subjects
from wherefrom.runs.opened_run import Run, open_run


def score(
    predictor: Any, questions: Sequence[Question], clean: Collection[Question]
) -> dict[str, Any]:
    """The share of right answers, of all held-out questions and of those without a fault."""
    answers = predictor.answer([q.text for q in questions])
    right = [q.accepts(a.text) for q, a in zip(questions, answers, strict=True)]
    kept = [one for one, q in zip(right, questions, strict=True) if q in clean]
    named = [one for one, q in zip(right, questions, strict=True) if q.support != "none"]
    return {
        name: Score.of_share("accuracy", sum(some), len(some)).as_json()
        for name, some in (("all", right), ("named in the text", named), ("clean", kept))
        if some
    }


def score_run(
    run: Run, questions: Sequence[Question], clean: Collection[Question]
) -> dict[str, Any]:
    predictors: dict[str, Callable[[], Any]] = {
        "open-book": lambda: OpenBook(run.folder.read_notes(), questions),
        "with notes": lambda: open_closed_book(run).answerer,
    }
    return {name: score(make(), questions, clean) for name, make in predictors.items()}


def main() -> None:
    options = parser(__doc__)
    _add_arguments(options.add_argument)
    args = options.parse_args()
    config = facts.FactsConfig(args.corpus, args.questions, args.held_out, documents=args.documents)
    dataset = facts.load(config, seed=0)
    questions = [q for q in dataset.questions if q.split == "held-out"]
    clean = set(find_clean(questions, DatasetPassages(dataset)))
    found: dict[str, Any] = {"machine": machine(), "text": args.corpus, "minutes": args.minutes}
    with tempfile.TemporaryDirectory() as folder:
        given, settings = args.questions, list[str]()
        if args.hidden:
            given = str(Path(folder) / "questions.tsv")
            hide(dataset.questions, ("held-out",), Path(given))
            settings = ["data.held_out_share=0", "tasks.answers.split=calibration"]
        outcome = wherefrom.run(
            "facts",
            out=Path(folder) / "run",
            progress=True,
            corpus=args.corpus,
            questions=given,
            held_out=None if args.hidden else args.held_out or None,
            documents=args.documents,
            minutes=args.minutes,
            seed=args.seed,
            settings=settings,
        )
        found["seconds"] = outcome.seconds
        run = open_run(Path(outcome.run))
        found["scores"] = score_run(run, questions, clean)
        found["notes"] = score_sure(run.folder.read_notes(), questions, clean)
        subjects = {passage.subject for passage in run.dataset.passages}
    recall, precision = score_subjects(subjects, {q.subject for q in dataset.questions})
    found["subjects"] = {"recall": recall, "precision": precision}
    print(f"subjects: {recall:.1%} of those asked about; these are {precision:.1%} of all found")
    for relation, n in found["notes"].items():
        sure = f"of {n['sure']} sure notes {n['right of sure']} are right"
        print(f"notes about '{relation}': {n['right']} are right; {sure}")
    for name, scores in found["scores"].items():
        shown = (f"{which} {100 * s['accuracy']:.1f} % of {s['n']}" for which, s in scores.items())
        print(f"{name}: {', '.join(shown)}")
    finish(args, found)


def _add_arguments(add: Callable[..., Any]) -> None:
    add("--corpus", required=True)
    add("--questions", required=True)
    add("--held-out", default="")
    add("--documents", default="lines")
    add("--minutes", type=float, default=8.0)
    add("--seed", type=int, default=0)
    add("--hidden", action="store_true", help="remove held-out rows before anything is read")


if __name__ == "__main__":
    launch(main)
