"""A user's own text and questions, about any relation.

`texts.py` reads the documents and `question_files.py` the questions, in any format that they know.
What a question is about is its varying part; the documents about that are those that name it.
"""

import gc
import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import repeat
from pathlib import Path

from wherefrom.core.bounds import MOST_QUESTIONS, check_share, check_whole
from wherefrom.core.config import TaggedConfig, check
from wherefrom.core.contracts import Dataset, Document, Passage, Question
from wherefrom.core.errors import BadData, UsageError
from wherefrom.core.forms import Form, find_forms, match
from wherefrom.core.made_sequence import in_batches
from wherefrom.core.plurals import counted
from wherefrom.core.sample_size import PRECISION
from wherefrom.data.survey import Survey, survey_questions
from wherefrom.reading.fact_tables import is_table, read_fact_table
from wherefrom.reading.markup import clean_text
from wherefrom.reading.mentions import Mentions, letters_of
from wherefrom.reading.names import match_names
from wherefrom.reading.passages import BEHIND_NAME, find_passages
from wherefrom.reading.question_files import QuestionRow, read_questions
from wherefrom.reading.statements import state_facts
from wherefrom.reading.subjects import find_subjects
from wherefrom.reading.texts import (
    LAYOUTS,
    Texts,
    add_titles,
    name_document,
    read_every_line,
    read_texts,
)
from wherefrom.reading.unchanged import LastRead

_BATCH = 20_000  # questions whose letters are gathered at once
_SHARES = ("calibration_share", "held_out_share")
_CROWD = 20  # subjects: a document about as many is none of theirs
_CLEARLY = 0.05  # share of the answers that a better reading must find besides


class FactsConfig(TaggedConfig, frozen=True, tag="facts"):
    """The files, and how the questions are split where no file says so.

    A table of facts as `corpus` needs no questions; `table` names its columns, the subject's first.
    `documents` says what a document of the text is: a line, a paragraph or a file. A subject's
    questions, of whatever relation, all fall into one split, by the subject's hash. `held_out` and
    `calibration` name further tables: what they hold is that split. The questions of `questions`
    are not divided for a split that such a file, or a column `split`, names. A question without an
    answer is never asked: where its subject is, it stands under `masked`. A split that is divided
    by hash has about `most` questions at most (0: any number): more take long to answer and say
    little more. The others of the split are left out, so that no subject changes its split.
    """

    corpus: str = ""
    questions: str = ""
    held_out: str = ""
    calibration: str = ""
    calibration_share: float = 0.2
    held_out_share: float = 0.2
    documents: str = "lines"
    table: str = ""
    most: int = 2000

    def __post_init__(self) -> None:
        known = self.documents in LAYOUTS
        check(known, "FactsConfig", "documents", self.documents, f"one of {', '.join(LAYOUTS)}")
        for name in _SHARES:
            check_share(self, name)
        check_whole(self, "most", 0, MOST_QUESTIONS, "0: any number")
        both = self.calibration_share + self.held_out_share
        check(both < 1, "FactsConfig", "calibration_share + held_out_share", both, "less than 1")


@dataclass(frozen=True)
class _Loaded:
    """A data set, and what its files have that is not part of it."""

    dataset: Dataset
    remarks: dict[str, int | Sequence[str]]  # for the survey
    table: str = ""  # how a table of facts was understood


_last = LastRead[_Loaded]()


def load(config: FactsConfig, seed: int) -> Dataset:
    """The data set; nothing in it depends on the seed."""
    return _load(config).dataset


def survey(config: FactsConfig, max_input: int = 0, precision: float = PRECISION) -> Survey:
    """What is in the files and what could not be matched: shown before anything is trained.

    `max_input` is the longest row that the model will read; 0: any. `precision` is the share right
    that a threshold must reach.
    """
    found = _load(config)
    one = "document" if found.table else name_document(Path(config.corpus), config.documents)
    surveyed = survey_questions(found.dataset, found.remarks, max_input, one)
    advice = "" if one == "document" else _suggest_reading(Path(config.corpus), one, found.dataset)
    return replace(surveyed, table=found.table, precision=precision, advice=advice)


def _suggest_reading(corpus: Path, one: str, dataset: Dataset) -> str:
    """What else a document could be, where clearly more answers then stand where they belong.

    `one` is the word for a document now: a line, a paragraph, a file.
    """
    known = [q for q in dataset.questions if q.answer]
    subjects = {q.subject for q in known}
    found, own = _count_found(dataset, known)
    ways: list[tuple[str, str, Callable[[], Texts]]] = [
        ("paragraph", "add --documents paragraphs", lambda: read_texts(corpus, "paragraphs")),
        (name_document(corpus, "lines"), "leave --documents out", lambda: read_texts(corpus)),
    ]
    if corpus.is_dir():
        advice = "make one file of its files, and give that as --corpus"
        ways.append(("line", advice, lambda: read_every_line(corpus)))
    better: list[tuple[int, int, str]] = []
    for other, advice, read in ways:
        if other == one or len(known) - own < _CLEARLY * len(known):
            continue
        texts = add_titles(read(), {q.subject for q in known if q.split == "asked"})
        count = len(texts.texts)
        if count == len(dataset.documents) or count * _CROWD < len(subjects):
            continue  # the same documents, or about too many each: that takes long to read
        other_found, other_own = _count_found(_assemble(texts, [*known])[0], known)
        if other_found >= found and other_own - own >= _CLEARLY * len(known):
            better.append((other_own, count, f"in {other}s: {other_own:,}; {advice}"))
    if not better:
        return ""
    now = f"answers in {one}s about their subject and few others: {own:,} of {len(known):,}"
    return f"{now}; {max(better)[2]}"


def _count_found(dataset: Dataset, known: Sequence[Question]) -> tuple[int, int]:
    """How many answers a subject's documents state; and documents that are about few others."""
    asked = {q.subject for q in known}
    pairs = {(p.document, p.subject) for p in dataset.passages if p.subject in asked}
    about = Counter(number for number, _ in pairs)
    few = [f for f in dataset.facts if about[f.document] < _CROWD]
    stated, own = ({(f.subject, f.relation) for f in facts} for facts in (dataset.facts, few))
    keys = [(q.subject, q.relation) for q in known]
    return sum(key in stated for key in keys), sum(key in own for key in keys)


def _load(config: FactsConfig) -> _Loaded:
    named = (config.corpus, config.questions, config.held_out, config.calibration)
    return _last.get(config, [Path(name) for name in named if name], lambda: _load_files(config))


def _load_files(config: FactsConfig) -> _Loaded:
    corpus = Path(config.corpus)
    tabular = bool(config.corpus) and is_table(corpus)
    if config.table and config.corpus and not tabular:
        raise UsageError(
            f"--table: expected a table as --corpus (.csv or .tsv), found {corpus}; leave it out"
        )
    for name, suffix in (("corpus", "FILE.txt"), ("questions", "FILE.tsv")):
        if not getattr(config, name) and not (tabular and name == "questions"):
            raise UsageError(f"Missing --{name} {suffix} (data.{name})")
    with _many_objects():
        table = read_fact_table(corpus, config.table) if tabular else None
        texts = Texts(table.texts(), [], 0) if table else read_texts(corpus, config.documents)
        files = {
            "": config.questions,
            "calibration": config.calibration,
            "held-out": config.held_out,
        }
        tables = {split: _read_rows(file) for split, file in files.items() if file}
        if table and not config.questions:
            tables[""] = list(table.questions())
        too_long = _leave_out_long(tables, {s: Path(f).name for s, f in files.items() if f})
        shares = _share_out(config, tables)
        rows = len(tables[""])
        most = {s: config.most / max(rows * share, 1) for s, share in shares.items()}
        questions, formless, surplus = _parse(config, tables, shares, most if config.most else {})
        _require_splits(config, questions, shares)
        texts = add_titles(texts, {q.subject for q in questions if q.split == "asked"})
        dataset, renamed = _assemble(texts, questions)
        _require_subjects(config, questions)
        remarks: dict[str, int | Sequence[str]] = {
            "empty": texts.empty,
            "marked": texts.marked,
            "formless": formless,
            "too_long": too_long,
            "surplus": surplus,
            "renamed": [f"{name} is {other}" for name, other in renamed.items()],
        }
        return _Loaded(dataset, remarks, table.describe() if table else "")


def _read_rows(file: str) -> list[QuestionRow]:
    """The questions of a file, without markup, as the text is: `_Repo Man_` is Repo Man."""
    rows = read_questions(Path(file))
    for i, row in enumerate(rows):
        question, answer = clean_text(row.question), clean_text(row.answer)
        accepted = tuple(map(clean_text, row.accepted))
        if (question, answer, accepted) != (row.question, row.answer, row.accepted):
            rows[i] = replace(row, question=question, answer=answer, accepted=accepted)
    return rows


def _leave_out_long(tables: dict[str, list[QuestionRow]], files: Mapping[str, str]) -> list[str]:
    """Take out questions that are too long for a model's rows; where they stand, or their names."""
    places: list[str] = []
    for split, rows in tables.items():
        long = [row for row in rows if row.is_long]
        places += [f"{files[split]}:{r.line}" if split in files else r.subject for r in long]
        if long:
            rows[:] = (row for row in rows if not row.is_long)
    return places


@contextmanager
def _many_objects() -> Iterator[None]:
    """Put off Python's search for cycles: there are none here, and it takes a third of the time."""
    searched = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if searched:
            gc.enable()


def choose_split(subject: str, shares: dict[str, float]) -> str:
    """Asked, unless the subject's hash falls into the share of another split.

    It depends on nothing but the subject, so a longer file leaves everyone where they were.
    """
    place = _draw(subject)
    for split, share in shares.items():
        if place < share:
            return split
        place -= share
    return "asked"


def _draw(subject: str, salt: str = "") -> float:
    """A number from 0 to 1 that depends on the subject alone, however it is capitalised."""
    digest = hashlib.sha256((salt + subject.casefold()).encode()).digest()
    return int.from_bytes(digest[:8], "big") / 2**64


def _share_out(config: FactsConfig, tables: dict[str, list[QuestionRow]]) -> dict[str, float]:
    """The share of each split that neither a file nor a column names."""
    given = {*tables, *(row.split for row in tables[""])}
    return {s: 0.0 if s in given else share for s, share in _shares(config).items()}


def _shares(config: FactsConfig) -> dict[str, float]:
    return {"held-out": config.held_out_share, "calibration": config.calibration_share}


def _parse(
    config: FactsConfig,
    tables: dict[str, list[QuestionRow]],
    shares: dict[str, float],
    most: dict[str, float],
) -> tuple[list[Question], list[str], int]:
    """The questions that fit a form, those that fit none, and how many are more than needed.

    The rows of a file that says its split stand under that split. Of the rows of the other one,
    those that name no split or `asked` are divided for the splits that nobody names. Of such a
    split, a share `most` is kept.
    """
    unparsed = [row.question for rows in tables.values() for row in rows if not row.subject]
    forms = find_forms(unparsed)
    relations = _relations(forms, tables)
    questions, formless, surplus = list[Question](), list[str](), 0
    for given, rows in tables.items():
        rows.reverse()
        while rows:  # a row is let go when its question is there
            row = rows.pop()
            about = _find_subject(row, forms, relations)
            if about is None:
                formless.append(row.question)
                continue
            subject, relation = about
            split = given or row.split
            if split in ("", "asked"):
                split = choose_split(subject, shares if row.answer else _shares(config))
                if _draw(subject, "kept ") >= most.get(split, 1.0):
                    surplus += 1
                    continue
                split = "masked" if split == "asked" and not row.answer else split
            asked = (row.question, subject, relation, row.answer, split)
            questions.append(Question(*asked, accepted=row.accepted, id=row.id))
    return questions, formless, surplus


def _find_subject(
    row: QuestionRow, forms: Sequence[Form], relations: Mapping[Form, str]
) -> tuple[str, str] | None:
    """Whom a row asks about, and what for; None if its question fits no form."""
    if row.subject:
        return row.subject, row.relation
    fits = match(forms, row.question)
    return fits and (fits[1], row.relation or relations[fits[0]])


def _relations(forms: Sequence[Form], tables: dict[str, list[QuestionRow]]) -> dict[Form, str]:
    """What the questions of a form ask for: the name that most of them give, or else the form."""
    named: dict[Form, Counter[str]] = {}
    for row in (r for rows in tables.values() for r in rows if r.relation and not r.subject):
        if fits := match(forms, row.question):
            named.setdefault(fits[0], Counter())[row.relation] += 1
    names = {form: counts.most_common(1)[0][0] for form, counts in named.items()}
    return {form: names.get(form, form.fill("X")) for form in forms}


def _assemble(texts: Texts, questions: list[Question]) -> tuple[Dataset, dict[str, str]]:
    """The data set, and names of questions that the text spells otherwise.

    Each question gets its support, in place.
    """
    mentions = Mentions(texts.texts, (question.subject for question in questions))
    renamed = _add_subjects(texts.texts, mentions, questions)
    passages = find_passages(texts.texts, mentions)
    documents = tuple(map(Document, texts.texts, mentions.spans, texts.ids or repeat("")))
    del mentions  # of a million names, they take as much memory as the text
    own: dict[str, list[Passage]] = defaultdict(list)
    for passage in passages:
        own[passage.subject].append(passage)
    facts = state_facts(questions, documents, lambda subject: own.get(subject, ()))
    letters = _unwritten(documents, questions)
    return Dataset(documents, facts, tuple(questions), letters, passages=passages), renamed


def _add_subjects(
    texts: Sequence[str], mentions: Mentions, questions: Sequence[Question]
) -> dict[str, str]:
    """Add the subjects of documents that no question names as the text does.

    Where such a name is another spelling of a name that the text lacks, it is that subject: the
    names of questions and of the text that were matched so.
    """
    asked = (question.subject for question in questions if question.split == "asked")
    found = [(n, span, span.of(texts[n])) for n, span in find_subjects(texts, mentions, asked)]
    lost = (q.subject for q in questions if not mentions.of(q.subject))
    spelt = match_names(lost, (name for _, _, name in found))
    own = {letters_of(name): subject for subject, name in spelt.items()}
    own |= {letters_of(question.subject): question.subject for question in questions}
    mentions.add(texts, ((n, span, own.get(letters_of(name), name)) for n, span, name in found))
    return mentions.spelt | spelt


def _require_splits(
    config: FactsConfig, questions: Sequence[Question], shares: dict[str, float]
) -> None:
    """No split that was asked for may be empty: nothing could be learnt or reported on it."""
    file = config.questions or config.corpus
    if not questions:
        raise BadData(
            f"{file}: expected several questions of one form that differ in whom they "
            "are about ('Where was Ada born?', 'Where was Bo born?'), found none"
        )
    counts = Counter(question.split for question in questions if question.answer)
    if not counts:
        raise BadData(
            f"{file}: expected questions with their answers, found {len(questions):,} "
            "and no answer; a model learns from answers: add questions that have one"
        )
    wanted = ["asked", *(split for split, share in shares.items() if share)]
    if lacking := [split for split in wanted if not counts[split]]:
        raise BadData(
            f"{file}: expected questions for every split, found none for "
            f"{lacking[0]} among {counted(len(questions), 'question')}"
            f"{'' if config.questions else ' of this table of facts'}; give more, or change "
            f"data.{' or data.'.join(_SHARES)}"
        )


def _require_subjects(config: FactsConfig, questions: Sequence[Question]) -> None:
    """The text must name somebody who is asked about: a model could only learn to guess."""
    if all(q.support == "none" for q in questions):
        subjects = list(dict.fromkeys(q.subject for q in questions))
        shown = ", ".join(f"'{subject[:40]}'" for subject in subjects[:3])
        raise BadData(
            f"{config.corpus}: expected a text that names what the questions are about ({shown}, "
            f"...), found none of {len(subjects):,} names in it; use the text and the questions "
            "that belong together, with names spelt alike"
        )


def _unwritten(documents: Sequence[Document], questions: Iterable[Question]) -> str:
    """The characters of the questions and answers, and behind a name, that no document has."""
    needed = set(BEHIND_NAME)
    for some in in_batches(questions, _BATCH):
        needed.update("".join(question.text for question in some))
        needed.update(*{answer for q in some for answer in (q.answer or "", *q.accepted)})
    # Most characters stand in one of the first documents, so few are looked for in all.
    return "".join(sorted(c for c in needed if not any(c in d.text for d in documents)))
