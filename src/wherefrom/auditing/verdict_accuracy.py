"""How often the fact checker's labels are right, on people whom the extractor did not learn from.

Nobody labelled the text. But for some answers the right label is known beforehand: these answers
are the probes below.
"""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from wherefrom.core.contracts import Question
from wherefrom.core.replies import CONTRADICTED, NO_TEXT, SILENT, SUPPORTED, VERDICTS
from wherefrom.evaluation.evaluator import Score
from wherefrom.reading.candidates import Line
from wherefrom.reading.index import fold
from wherefrom.reading.tokens import normalise
from wherefrom.reading.verdict import FactChecker

# The probes: which answer is judged, and what the person's text says.
GOLD = "gold answer"
OTHER_IN_TEXT = "other answer, in the text"
OTHER = "other answer, not in the text"
OMITTED = "text omits the answer"
WITHOUT_TEXT = "without text"
_PROBES_OF_SUPPORT = {
    "stated": (GOLD, SUPPORTED),
    "omitted": (OMITTED, SILENT),
    "none": (WITHOUT_TEXT, NO_TEXT),
}


@dataclass(frozen=True)
class VerdictAccuracy:
    """How often labels are right, for each probe and overall; the details count the labels.

    If the text states the gold answer, then the gold answer is supported and any other answer is
    contradicted. If the text omits the gold answer, it should be silent (a user's own text may
    state another answer instead). `extraction` is how often the surest statement equals the gold
    answer, among people whose text states it. A probe without people is left out; without any
    people everything is empty.
    """

    probes: Mapping[str, Score]
    overall: Score | None
    extraction: Score | None


def measure_verdicts(checker: FactChecker, questions: Sequence[Question]) -> VerdictAccuracy:
    """Judge answers whose label is known; the extractor must not have learnt from the questions."""
    labels: dict[str, Counter[str]] = defaultdict(Counter)
    right: Counter[str] = Counter()
    for question in questions:
        for probe, answer, expected in probe_answers(checker, question):
            label = checker.judge(question.subject, answer, question.relation).label
            labels[probe][label] += 1
            right[probe] += label == expected
    every: Counter[str] = Counter()
    for counts in labels.values():
        every.update(counts)
    return VerdictAccuracy(
        {probe: _accuracy(right[probe], counts) for probe, counts in labels.items()},
        _accuracy(right.total(), every) if every else None,
        _extraction(checker, questions),
    )


def _accuracy(right: int, labels: Counter[str]) -> Score:
    details = {"labels": {label: labels[label] for label in VERDICTS}}
    return Score.of_share("accuracy", right, labels.total(), details)


def _extraction(checker: FactChecker, questions: Sequence[Question]) -> Score | None:
    asked = [q for q in questions if q.support == "stated" and q.answer is not None]
    if not asked:
        return None
    found = [(checker.statements(q.subject, q.relation), q) for q in asked]
    exact = sum(bool(stated) and stated[0].value in _gold(q) for stated, q in found)
    return Score.of_share("accuracy", exact, len(asked))


def probe_answers(checker: FactChecker, question: Question) -> Iterator[tuple[str, str, str]]:
    """Answers whose label is known: the probe's name, the answer, and its right label."""
    if not question.answer:
        return
    probe, expected = _PROBES_OF_SUPPORT[question.support]
    yield probe, question.answer, expected
    if question.support == "stated":
        inside, outside = _other_answers(checker, question)
        for probe, others in ((OTHER_IN_TEXT, inside), (OTHER, outside)):
            if others:
                # A hash of the question chooses one answer, the same on every machine.
                digest = hashlib.sha256(question.text.encode()).digest()
                yield probe, others[int.from_bytes(digest[:8], "big") % len(others)], CONTRADICTED


def _other_answers(checker: FactChecker, question: Question) -> tuple[list[str], list[str]]:
    """Answers of asked people that are wrong here: those in this person's text, and the others.

    Names in the gold answer's chain are left out: such a place may contain the gold answer or lie
    in it, and then it is not wrong.
    """
    profile = checker.extractors[question.relation].profile
    gold = _gold(question)
    inside: set[str] = set()
    near: set[str] = set(gold)
    text = ""
    for number in checker.index.about(question.subject):  # all of it: others may be told of there
        line = Line.of(checker.index.document(number).text, question.subject, profile)
        text += fold(line.text)
        inside |= {candidate.value for candidate in line.candidates}
        chains = {run for c in line.candidates if c.value in gold for run in c.chain}
        near |= {candidate.value for candidate in line.candidates if candidate.run in chains}
    known = sorted(profile.known.keys() - near)
    return [v for v in known if v in inside], [v for v in known if v not in text]


def _gold(question: Question) -> set[str]:
    """The right answers, normalised."""
    return {normalise(answer) for answer in (question.answer or "", *question.accepted)}
