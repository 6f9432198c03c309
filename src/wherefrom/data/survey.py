"""What a data set of questions about documents holds, counted; and what does not fit together."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from wherefrom.core.bounds import LONGEST_QUESTION
from wherefrom.core.plurals import counted
from wherefrom.core.sample_size import PRECISION, least_answers, say_least

if TYPE_CHECKING:  # numpy stands behind it, and everything in `wherefrom.data` passes here
    from wherefrom.core.contracts import Dataset, Document, Question

_SHOWN = 5
_FEW = 0.1  # the share of subjects with several documents up to which one is the rule
_LONGEST = 80  # characters of a name that is shown


# What was left out or does not fit together, as it is said; {} is the word for a document.
_REMARKS = {
    "empty": "empty {}s of the text left out",
    "marked": "{}s whose markup was taken out: emphasis, footnotes, links",
    "formless": "questions left out, of a form of their own",
    "too_long": f"questions left out, of over {LONGEST_QUESTION} characters with their answers",
    "surplus": "questions left out, more than data.most for their split",
    "without_line": "questions about what no {} names",
    "renamed": "names that the text spells otherwise",
    "found": "subjects found beside those of the questions",
    "shared": "names that may be two subjects': several {}s each",
    "answers_not_in_text": "answers that are not in their subject's {}s",
    "unanswerable": "questions without an answer, which should be declined",
    "answers_too_long": "answers too long to be given",
    "without_question": "{}s that no question is about",
    "duplicates": "questions that are there twice",
    "conflicts": "questions with several answers",
    "several_accepted": "questions with more than one right answer",
    "on_both_sides": "subjects that are asked about and held out or calibrated on",
}


@dataclass(frozen=True)
class Survey:
    """Counts; `remarks` are those of `_REMARKS`, and of some of them `first` names five."""

    documents: int
    characters: int
    longest: int
    splits: dict[str, int]
    forms: dict[str, int]
    relations: dict[str, int]  # what the questions' file calls what is asked, if it does
    remarks: dict[str, int]
    first: dict[str, tuple[str, ...]]
    calibration: dict[str, int] = field(default_factory=dict[str, int])  # questions by relation
    precision: float = PRECISION  # the share right that a threshold is set for
    document: str = "line"  # what a document of the text is called: a line, paragraph or file
    table: str = ""  # how a table of facts was understood
    advice: str = ""  # another reading of the text that finds more

    def lines(self) -> list[str]:
        """Plain lines for a person to read, what could not be matched after the counts."""
        one = self.document
        splits = ", ".join(f"{count:,} {split}" for split, count in self.splits.items())
        rows = [
            *([self.table] if self.table else []),
            f"text: {counted(self.documents, one)}, {counted(self.characters, 'character')}, the "
            f"longest {one} has {self.longest:,}",
            f"questions: {splits}",
            *(f"form: {form} ({count:,})" for form, count in self.forms.items()),
            *(f"relation: {name} ({count:,})" for name, count in self.relations.items()),
            *self._calibration(),
        ]
        for name, what in _REMARKS.items():
            if count := self.remarks.get(name, 0):
                first = self.first.get(name, ())
                named = f" ({', '.join(first)}{', ...' if count > len(first) else ''})"
                rows.append(f"{what.format(one)}: {count:,}{named if first else ''}")
        return [*rows, self.advice] if self.advice else rows

    @property
    def needed(self) -> int:
        """The calibration questions without which no threshold of a relation can be shown."""
        return least_answers(1 - self.precision) if self.precision < 1 else 1

    def _calibration(self) -> list[str]:
        """What each relation has and needs; known before anything is trained."""
        bound = f"at least {self.needed} needed for the {100 * (1 - self.precision):.3g} % bound"
        few = "; too few: answers will be unverified"
        if sum(n < self.needed for n in self.calibration.values()) > 1:
            few += " unless such relations, about different subjects, have enough together"
        same: dict[int, list[str]] = {}  # a table may have dozens of relations
        for name, n in self.calibration.items():
            same.setdefault(n, []).append(name)
        lines = [
            f"calibration: {_list(names)}: {counted(n, 'question')}"
            f"{' each' if len(names) > 1 else ''}, {bound}{few if n < self.needed else ''}"
            for n, names in same.items()
        ]
        if min(self.calibration.values(), default=self.needed) < self.needed:
            how = "--set data.calibration_share=0.4, or --calibration FILE"
            takes = f"it takes {say_least(1 - self.precision)}; " if self.precision < 1 else ""
            lines.append(f"calibration: {takes}for more questions: {how}")
        return lines


@dataclass(frozen=True)
class FileSurvey:
    """What a text, or a file of questions, was taken for and holds by itself.

    `tables` count by name: the forms, splits and relations of questions. `counts` are the rest.
    """

    file: str
    holds: str
    tables: dict[str, dict[str, int]]
    counts: dict[str, int]

    def lines(self) -> list[str]:
        pairs = [(w, name, n) for w, table in self.tables.items() for name, n in table.items()]
        return [
            f"{self.file}: {self.holds}",
            *(f"{what}: {name} ({n:,})" for what, name, n in pairs),
            *(f"{what}: {count:,}" for what, count in self.counts.items() if count),
        ]


def survey_questions(
    dataset: "Dataset",
    known: Mapping[str, int | Sequence[str]],
    max_input: int = 0,
    document: str = "line",
) -> Survey:
    """`known` are remarks on what is not in the data set: counts, or names.

    `max_input` is the longest row that a model will read; 0: any. `document` is the word for a
    document of the text.
    """
    questions, lengths = dataset.questions, [len(d.text) for d in dataset.documents]
    room, asked = dataset.answer_room, {q.subject for q in questions}
    order = ("asked", "calibration", "held-out", "masked", "unanswered")
    splits = Counter(q.split for q in questions)
    asked_for = Counter(q.relation for q in questions).most_common()
    calibrated = Counter(q.relation for q in questions if q.split == "calibration")
    forms = {q.relation for q in questions if q.text.replace(q.subject, "X", 1) == q.relation}
    found = dict.fromkeys(p.subject for p in dataset.passages if p.subject not in asked)
    remarks: dict[str, int | Sequence[str]] = {
        **known,
        "without_line": [q.subject for q in questions if q.support == "none"],
        "answers_not_in_text": [q.answer or "" for q in questions if _is_omitted(q)],
        "found": list(found),
        "shared": _share_names(dataset.documents),
        "unanswerable": sum(not q.answerable for q in questions),
        "answers_too_long": sum(not _has_room(q, room, max_input) for q in questions),
        "without_question": len(lengths) - _asked_about(dataset, asked),
        "duplicates": count_duplicates(questions),
        "conflicts": len(conflicting(questions)),
        "on_both_sides": len(on_both_sides(questions)),
        "several_accepted": sum(bool(q.accepted) for q in questions),
    }
    return Survey(
        documents=len(lengths),
        characters=sum(lengths),
        longest=max(lengths, default=0),
        splits={split: splits[split] for split in order if splits[split]},
        forms={name: count for name, count in asked_for if name in forms},
        relations={name: count for name, count in asked_for if name not in forms},
        remarks={n: each if isinstance(each, int) else len(each) for n, each in remarks.items()},
        first={n: _first(each) for n, each in remarks.items() if not isinstance(each, int)},
        document=document,
        calibration={name: calibrated[name] for name, _ in asked_for},
    )


def _is_omitted(question: "Question") -> bool:
    return question.support == "omitted" and question.answerable


def _share_names(documents: "Iterable[Document]") -> list[str]:
    """Names of several subjects: two documents that open with one name, where few others do."""
    own = Counter(d.name for d in documents if d.subject and d.subject.start == 0)
    shared = [subject for subject, n in own.items() if n > 1]
    return shared if len(shared) <= _FEW * len(own) else []


def _asked_about(dataset: "Dataset", asked: set[str]) -> int:
    """How many documents some question is about."""
    if not dataset.passages:
        return sum(document.subject is not None for document in dataset.documents)
    return len({p.document for p in dataset.passages if p.subject in asked})


def _has_room(question: "Question", room: int, max_input: int) -> bool:
    """Whether an answer and its closing mask can be written behind the question and its mask."""
    answer = len(question.answer or "") + 1
    left = max_input - len(question.text) if max_input else room
    return answer <= min(room, left)


def _list(names: Sequence[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more


def _first(names: Iterable[str]) -> tuple[str, ...]:
    """The first few different ones, cut where they are very long."""
    shown = list(dict.fromkeys(names))[:_SHOWN]
    return tuple(n if len(n) <= _LONGEST else f"{n[:_LONGEST]}..." for n in shown)


def count_duplicates(questions: "Iterable[Question]") -> int:
    """Questions that were there before with the same answer."""
    return sum(n - 1 for n in Counter((q.text, q.answer) for q in questions).values())


def conflicting(questions: "Iterable[Question]") -> list[str]:
    """The questions that have several answers, each once."""
    answers: dict[str, set[str]] = {}
    for question in questions:
        if question.answer is not None:
            answers.setdefault(question.text, set()).add(question.answer)
    return [text for text, given in answers.items() if len(given) > 1]


def on_both_sides(questions: "Iterable[Question]") -> list[str]:
    """Subjects that are trained on and calibrated or reported on as well."""
    sides: dict[str, set[bool]] = {}
    for question in questions:
        if question.answer:
            sides.setdefault(question.subject, set()).add(question.split == "asked")
    return [subject for subject, found in sides.items() if len(found) > 1]
