"""What the reader finds in texts: how often its notes are right, and whether it knows silence.

Nothing is trained. For each text and relation, of unasked questions (calibration and held-out,
which the reader never sees): the share of all questions that its notes answer; the share of right
notes among those that score 0.9 and above (bar: 95 %); how many of all right notes these are
(80 %); and the share of subjects that get such a note after every sentence that states the answer
was removed (at most 5 %).

Every figure is given twice: with the names of unasked subjects known from the questions, and with
a file of questions from which their rows were removed before anything was read.

Faulty questions are left out, by rules that look at the text only: the answer must be one sentence
and stand in its subject's text as whole words, somewhere with its end: behind a name stands no
hyphen and no further word with a capital (William in "William M. Hall"), unless a tenth of the
relation's answers are like that (the rank in "Captain William Hall"); nor does a name go on there
as other answers do ("Technical University of Munich" where "University of Geneva" is an answer).

A text without the answer may state another: a second maker, a later year. So the sure notes after
cutting are counted twice. "As stated": the word or the two words before the note are such that, in
the texts of asked subjects, what stands behind them and is of its kind (a number, a word with or
without a capital) is the answer more often than not, three times at least.
These notes may be true, or about somebody else; the others are not stated in any known words.
"""

import re
import tempfile
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from time import process_time
from typing import Any

from measure import finish, machine, parser
from msgspec import structs
from program import launch

from wherefrom.core.contracts import NOT_TRAINED_ON, Note, Passage, Question, Span
from wherefrom.data import facts
from wherefrom.reading.candidates import find_places
from wherefrom.reading.extractor import CrossFitted
from wherefrom.reading.fitting_examples import learn_starters
from wherefrom.reading.index import fold
from wherefrom.reading.mentions import joined, letters_of
from wherefrom.reading.note_scores import SURE
from wherefrom.reading.notes import fit_readers, read_subjects
from wherefrom.reading.sentences import split_sentences
from wherefrom.reading.sources import DatasetPassages, PassageSource, passages_of
from wherefrom.reading.subjects import score_subjects
from wherefrom.reading.tokens import normalise, read_tokens, token_kind

COLUMNS = (
    "asked",
    "questions",
    "right",
    "sure",
    "right of sure",
    "cut",
    "sure of cut",
    "as stated",
)
_FEW = 0.1  # the share up to which answers without an end are faults, and not what is asked for
_FAR = 30  # characters behind an answer: two words
_REPEATED = 3  # asked answers that stand behind the same two words


def answers_of(question: Question) -> list[str]:
    return [answer for answer in (question.answer, *question.accepted) if answer]


def find_clean(questions: Iterable[Question], source: PassageSource) -> list[Question]:
    """The questions that have an answer which the text has, with its end."""
    ended: dict[str, list[tuple[Question, set[str]]]] = defaultdict(list)
    questions = list(questions)
    links: dict[str, set[str]] = defaultdict(set)
    for q in questions:
        links[q.relation].update(link for answer in answers_of(q) for link in _links(answer))
    for q in questions:
        answers = [answer for answer in answers_of(q) if len(split_sentences(answer)) == 1]
        if q.support == "stated" and any(not answer.endswith("-") for answer in answers):
            texts = [text for _, text in passages_of(source, q.subject)]
            own = links[q.relation]
            ends = {end for a in answers for text in texts for end in _ends(a, text, own)}
            ended[q.relation].append((q, ends))
    clean: list[Question] = []
    for own in ended.values():
        many = sum(not ends for _, ends in own) > _FEW * len(own)
        clean += [q for q, ends in own if "whole" in ends or (many and not ends)]
    return clean


def _links(text: str) -> Iterator[str]:
    """The words without a capital before words with one, each with the word before it."""
    for before, link, name in zip(parts := text.split(), parts[1:], parts[2:], strict=False):
        if link.islower() and name[0].isupper():
            yield f"{before} {link}"


def _ends(answer: str, text: str, links: Container[str]) -> Iterator[str]:
    """For each place where a text has an answer with its end, whether it is whole or linked on."""
    last = answer.split()[-1]
    for end in (found.end() for found in re.finditer(re.escape(answer), text, re.IGNORECASE)):
        if not _goes_on(answer[-1], text[end : end + 2], last[0].isupper()):
            behind = " ".join((last + text[end : end + _FAR]).split()[:3])
            yield "linked" if any(link in links for link in _links(behind)) else "whole"


def _goes_on(last: str, behind: str, named: bool) -> bool:
    """Whether the word, or a name whose last word has a capital, goes on behind an end."""
    if behind and joined(last, behind[0]):
        return True
    return len(behind) > 1 and (
        (behind[0] == "-" and behind[1].isalnum() and not last.isdigit())  # 1953-1954 is a range
        or (named and behind[0] == " " and behind[1].isupper())
    )


def hide(questions: Sequence[Question], hidden: Iterable[str], path: Path) -> None:
    """A file of the questions that are not of these splits, each with its split."""
    rows = ["question\tanswers\trelation\tsplit\n"]
    for q in questions:
        if q.split not in hidden:
            answers = "|".join((q.answer or "", *q.accepted))
            rows.append(f"{q.text}\t{answers}\t{q.relation}\t{q.split}\n")
    path.write_text("".join(rows), encoding="utf-8")


def score_sure(
    notes: Iterable[Note], questions: Sequence[Question], clean: Iterable[Question]
) -> dict[str, Any]:
    """For each relation how many notes are right, how many are sure, and how many are both.

    Of notes about subjects that the reader did not learn from; a note is sure from 0.9 on.
    """
    noted = {(letters_of(note.subject), note.relation): note for note in notes}
    found = {q.relation: dict.fromkeys(COLUMNS, 0) for q in questions}
    for q in questions:
        found[q.relation]["asked"] += 1
    for q in clean:
        counts = found[q.relation]
        note = noted.get((letters_of(q.subject), q.relation))
        right, sure = bool(note and q.accepts(note.value)), bool(note and note.score >= SURE)
        counts["questions"] += 1
        counts["right"] += right
        counts["sure"] += sure
        counts["right of sure"] += right and sure
    return found


class Wordings:
    """What stands before the answers of asked questions, one word or two, by relation.

    The kind of a word that follows matters: behind "born in" stand years and places.
    """

    def __init__(self, source: PassageSource, asked: Iterable[Question]) -> None:
        own: dict[str, list[Question]] = defaultdict(list)
        for q in asked:
            own[q.subject].append(q)
        right: Counter[tuple[str, ...]] = Counter()
        every: Counter[tuple[str, ...]] = Counter()
        for subject, questions in own.items():
            for _, text in passages_of(source, subject):
                read = read_tokens(text)
                tokens = read.texts
                every.update(key for i in range(len(tokens)) for key in _before(tokens, i))
                for q in questions:
                    wanted = {*map(normalise, answers_of(q))}
                    firsts = {first for first, _ in find_places(wanted, read.folded, "")}
                    right.update((q.relation, *k) for i in firsts for k in _before(tokens, i))
        self._stating = {k for k, n in right.items() if n >= max(_REPEATED, every[k[1:]] / 2)}

    def states(self, relation: str, text: str, span: Span) -> bool:
        """Whether what stands in this place of a text is stated in such words."""
        tokens = [*read_tokens(text[: span.start]).texts, *read_tokens(span.of(text)).texts[:1]]
        keys = _before(tokens, len(tokens) - 1)
        return any((relation, *key) in self._stating for key in keys)


def _before(tokens: Sequence[str], i: int) -> Iterator[tuple[str, ...]]:
    """The word before a token and the two words before it, each with the kind of the token."""
    for first in {max(i - 2, 0), max(i - 1, 0)}:
        yield (*map(str.lower, tokens[first:i]), token_kind(tokens[i]))


class Silenced:
    """The passages about a subject without the sentences that have one of the answers."""

    def __init__(self, source: DatasetPassages, starters: frozenset[str]) -> None:
        self._source, self._starters = source, starters
        self.texts: list[str] = []

    def cut(self, question: Question) -> bool:
        """Take in what is left of a subject's text; False if nothing was cut or nothing is left."""
        answers = [*map(fold, answers_of(question))]
        whole = [text for _, text in passages_of(self._source, question.subject)]
        self.texts = ["".join(self._without(text, answers)) for text in whole]
        return self.texts != whole and any(map(str.strip, self.texts))

    def _without(self, text: str, answers: Sequence[str]) -> Iterator[str]:
        sentences = (span.of(text) for span in split_sentences(text, self._starters))
        return (s for s in sentences if not any(a in fold(s) for a in answers))

    def passages(self, subject: str) -> tuple[Passage, ...]:
        return tuple(Passage(i, subject, 0, len(text)) for i, text in enumerate(self.texts))

    def document(self, number: int) -> Any:
        return replace(self._source.document(0), text=self.texts[number], subject=None)


def score_cut(
    source: DatasetPassages,
    readers: dict[str, CrossFitted],
    asked: Sequence[Question],
    clean: Iterable[Question],
    counts: dict[str, Any],
) -> None:
    """How many subjects have a text without its stating sentences, and a sure note all the same."""
    silenced, wordings = Silenced(source, learn_starters(source, asked)), Wordings(source, asked)
    for q in clean:
        if q.relation in readers and silenced.cut(q):
            found = readers[q.relation].read(silenced, q.subject)
            sure = bool(found and found[0].certainty >= SURE)
            n = counts[q.relation]
            n["cut"] += 1
            n["sure of cut"] += sure
            n["as stated"] += sure and wordings.states(
                q.relation, silenced.texts[found[0].document], found[0].span
            )


def read(corpus: str, questions: str, documents: str, hidden: bool) -> dict[str, Any]:
    """The figures of one text, with the names of unasked subjects hidden or not."""
    config = facts.FactsConfig(corpus, questions, documents=documents)
    known = facts.load(config, seed=0)
    unasked = [q for q in known.questions if q.split in NOT_TRAINED_ON]
    clean = find_clean(unasked, DatasetPassages(known))
    dataset, start = known, process_time()
    with tempfile.TemporaryDirectory() as folder:
        if hidden:
            path = Path(folder) / "questions.tsv"
            hide(known.questions, NOT_TRAINED_ON, path)
            shares = {"calibration_share": 0.0, "held_out_share": 0.0}
            dataset = facts.load(structs.replace(config, questions=str(path), **shares), seed=0)
    source = DatasetPassages(dataset)
    readers = fit_readers(source, dataset.asked, print)
    counts = score_sure(read_subjects(source, readers), unasked, clean)
    if not hidden:
        score_cut(source, readers, known.asked, clean, counts)
    recall, precision = score_subjects(source.subjects, {q.subject for q in known.questions})
    return {
        "names": {"recall": recall, "precision": precision},
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
            ("as stated", n["as stated"], n["sure of cut"]),
        )
        shown = (f"{what} {part / max(of, 1):.3f} of {of}" for what, part, of in shares if of)
        faulty = n["asked"] - n["questions"]
        print(f"  {relation}: {', '.join(shown)}; left out {faulty} of {n['asked']}", flush=True)


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
