"""What the reader finds in texts: how often its notes are right, and whether it knows silence.

Nothing is trained. For each text and relation, of unasked questions (calibration and held-out,
which the reader never sees): the share of all questions that its notes answer; the share of right
notes among those that score 0.9 and above (bar: 95 %); how many of all right notes these are
(80 %); and the share of subjects that get such a note after every sentence that states the answer
was removed (at most 5 %).

Every figure is given twice: with the names of unasked subjects known from the questions, and with
a file of questions from which their rows were removed before anything was read.

Faulty questions are left out, by rules that look at the text only: the answer must stand in its
subject's text as whole words, be one sentence, and not end with a hyphen.
"""

import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from time import process_time
from typing import Any

from measure import finish, machine, parser
from program import launch

from wherefrom.core.contracts import NOT_TRAINED_ON, Dataset, Note, Passage, Question
from wherefrom.data import facts
from wherefrom.reading.fitting_examples import learn_starters
from wherefrom.reading.index import fold
from wherefrom.reading.note_scores import SURE
from wherefrom.reading.notes import Reader, fit_readers, read_subjects
from wherefrom.reading.sentences import split_sentences
from wherefrom.reading.sources import DatasetPassages, passages_of
from wherefrom.reading.subjects import score_subjects

COLUMNS = ("questions", "right", "sure", "right of sure", "cut", "sure of cut")


def is_clean(question: Question) -> bool:
    """Whether a question that patterns drew from a text has the answer that the text has."""
    answer = question.answer or ""
    return question.support == "stated" and (
        len(split_sentences(answer)) == 1 and not answer.endswith("-")
    )


def hide(questions: Sequence[Question], hidden: Iterable[str], path: Path) -> None:
    """A file of the questions that are not of these splits, each with its split."""
    rows = ["question\tanswers\trelation\tsplit\n"]
    for q in questions:
        if q.split not in hidden:
            answers = "|".join((q.answer or "", *q.accepted))
            rows.append(f"{q.text}\t{answers}\t{q.relation}\t{q.split}\n")
    path.write_text("".join(rows), encoding="utf-8")


def score_sure(notes: Iterable[Note], questions: Iterable[Question]) -> dict[str, Any]:
    """For each relation how many notes are right, how many are sure, and how many are both.

    Of notes about subjects that the reader did not learn from; a note is sure from 0.9 on.
    """
    noted = {(fold(note.subject), note.relation): note for note in notes}
    found: dict[str, dict[str, int]] = {}
    for q in filter(is_clean, questions):
        counts = found.setdefault(q.relation, dict.fromkeys(COLUMNS, 0))
        note = noted.get((fold(q.subject), q.relation))
        right, sure = bool(note and q.accepts(note.value)), bool(note and note.score >= SURE)
        counts["questions"] += 1
        counts["right"] += right
        counts["sure"] += sure
        counts["right of sure"] += right and sure
    return found


class Silenced:
    """The passages about a subject without the sentences that have one of the answers."""

    def __init__(self, source: DatasetPassages, starters: frozenset[str]) -> None:
        self._source, self._starters = source, starters
        self._texts: list[str] = []

    def cut(self, question: Question) -> bool:
        """Take in what is left of a subject's text; False if nothing was cut or nothing is left."""
        answers = [fold(answer) for answer in (question.answer, *question.accepted) if answer]
        whole = [text for _, text in passages_of(self._source, question.subject)]
        self._texts = [self._without(text, answers) for text in whole]
        return self._texts != whole and any(map(str.strip, self._texts))

    def _without(self, text: str, answers: Sequence[str]) -> str:
        sentences = (span.of(text) for span in split_sentences(text, self._starters))
        return "".join(s for s in sentences if not any(a in fold(s) for a in answers))

    def passages(self, subject: str) -> tuple[Passage, ...]:
        return tuple(Passage(i, subject, 0, len(text)) for i, text in enumerate(self._texts))

    def document(self, number: int) -> Any:
        return replace(self._source.document(0), text=self._texts[number], subject=None)


def score_cut(
    source: DatasetPassages, readers: dict[str, Reader], dataset: Dataset, counts: dict[str, Any]
) -> None:
    """How many subjects have a text without its stating sentences, and a sure note all the same."""
    silenced = Silenced(source, learn_starters(source, dataset.asked))
    for q in (q for q in dataset.questions if q.split in NOT_TRAINED_ON and is_clean(q)):
        if q.relation in readers and silenced.cut(q):
            found = readers[q.relation].read(silenced, q.subject)
            counts[q.relation]["cut"] += 1
            counts[q.relation]["sure of cut"] += bool(found and found[0].certainty >= SURE)


def read(corpus: str, questions: str, documents: str, hidden: bool) -> dict[str, Any]:
    """The figures of one text, with the names of unasked subjects hidden or not."""
    config = facts.FactsConfig(corpus, questions, documents=documents)
    known = facts.load(config, seed=0)
    unasked = [q for q in known.questions if q.split in NOT_TRAINED_ON]
    dataset, start = known, process_time()
    with tempfile.TemporaryDirectory() as folder:
        if hidden:
            path = Path(folder) / "questions.tsv"
            hide(known.questions, NOT_TRAINED_ON, path)
            shares = {"calibration_share": 0.0, "held_out_share": 0.0}
            dataset = facts.load(replace(config, questions=str(path), **shares), seed=0)
    source = DatasetPassages(dataset)
    readers = fit_readers(source, dataset.asked, print)
    counts = score_sure(read_subjects(source, readers), unasked)
    if not hidden:
        score_cut(source, readers, known, counts)
    names = score_subjects(source.subjects, {q.subject for q in known.questions})
    return {
        "names": {"recall": names.recall, "precision": names.precision},
        "relations": counts,
        "seconds": process_time() - start,
    }


def show(name: str, result: dict[str, Any]) -> None:
    names = result["names"]
    print(f"{name}: subjects recall {names['recall']:.3f}, precision {names['precision']:.3f}")
    for relation, n in result["relations"].items():
        shares = (
            ("answered", n["right"], n["questions"]),
            ("right of sure", n["right of sure"], n["sure"]),
            ("sure of right", n["right of sure"], n["right"]),
            ("sure of cut", n["sure of cut"], n["cut"]),
        )
        shown = (f"{what} {part / max(of, 1):.3f} of {of}" for what, part, of in shares if of)
        print(f"  {relation}: {', '.join(shown)}", flush=True)


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--corpus", nargs="+", required=True)
    options.add_argument("--questions", nargs="+", required=True, help="a file for each text")
    options.add_argument("--documents", default="lines")
    args = options.parse_args()
    found: dict[str, Any] = {"machine": machine()}
    for corpus, questions in zip(args.corpus, args.questions, strict=True):
        for hidden in (False, True):
            name = f"{Path(corpus).stem}, names {'hidden' if hidden else 'known'}"
            found[name] = read(corpus, questions, args.documents, hidden)
            show(name, found[name])
    finish(args, found)


if __name__ == "__main__":
    launch(main)
