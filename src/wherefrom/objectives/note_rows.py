"""What the reader noted, as rows to learn from: a prompt, and the noted value behind it.

A note is taught in several wordings, so that it can be asked for in any of them: the questions of
its relation, the same words behind the subject's name, and the sentence that the note stands in,
with a mask in the value's place. All have the layout of `answers.py`: prompt MASK value MASK.

A note that may be wrong is taught as one: among the rows of its questions, as many have another
note's value as its score leaves room for. So the model is about as sure of a value as the reader,
and may decline where it only has a doubtful note, as of a text that omits the answer.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from wherefrom.core.contracts import Dataset, Note, Question
from wherefrom.core.vocabulary import MASK
from wherefrom.reading.passages import BEHIND_NAME
from wherefrom.reading.sentences import find_sentence

_COMMON = 0.05  # share of a relation's asked questions that a wording needs to be taught
_ROWS = 4  # of each question of a doubtful note
_CONTEXT = 48  # characters of a sentence that are shown on each side of the value, at most


def teach_notes(
    notes: Sequence[Note], dataset: Dataset, wordings: int = 3, mask: str = MASK
) -> tuple[Question, ...]:
    """Every note in its wordings; of what was asked, the given answer holds and not a note.

    With fewer than three wordings there is no sentence, with one there are only questions.
    """
    forms = _find_forms(dataset.asked)
    given = {(q.subject, q.relation): q for q in dataset.asked}
    noted: dict[str, list[str]] = defaultdict(list)
    for note in notes:
        noted[note.relation].append(note.value)
    rows: list[Question] = []
    for number, note in enumerate(notes):
        known = given.get((note.subject, note.relation))
        if known is not None and not known.accepts(note.value):
            continue
        doubts = 0 if known else round(_ROWS * (1 - note.score))
        values, own = _doubt(note.value, noted[note.relation], number, doubts), forms[note.relation]
        rows += [
            Question(prompt, note.subject, note.relation, value, "asked")
            for prompt in _prompts(note, own, dataset, 1 if doubts else wordings, mask)
            for value in values
        ]
    return tuple(rows)


def _doubt(value: str, noted: Sequence[str], number: int, doubts: int) -> list[str]:
    """The values that a note is taught with: its own, and as many others as there are doubts."""
    if not doubts:
        return [value]
    places = (number + (nth + 1) * len(noted) // (doubts + 1) for nth in range(doubts))
    return [value] * (_ROWS - doubts) + [noted[place % len(noted)] for place in places]


def _find_forms(asked: Sequence[Question]) -> dict[str, list[tuple[str, str]]]:
    """What stands before and behind the subject in the questions of each relation."""
    counts: dict[str, Counter[tuple[str, str]]] = defaultdict(Counter)
    for question in asked:
        before, found, behind = question.text.partition(question.subject)
        if found:
            counts[question.relation][before, behind] += 1
    return {
        relation: [form for form, n in found.items() if n >= _COMMON * found.total()]
        for relation, found in counts.items()
    }


def _prompts(
    note: Note, forms: Sequence[tuple[str, str]], dataset: Dataset, wordings: int, mask: str
) -> Iterator[str]:
    for before, behind in forms:
        yield f"{before}{note.subject}{behind}"
        if wordings > 1:
            yield f"{note.subject}{BEHIND_NAME}{before.strip()} {behind.strip()}"
    if wordings > 2:
        yield f"{note.subject}{BEHIND_NAME}{mask_value(note, dataset, mask)}"


def mask_value(note: Note, dataset: Dataset, mask: str = MASK) -> str:
    """The sentence of a note with a mask in its value's place, cut at words where it is long."""
    text = dataset.documents[note.document].text
    sentence = find_sentence(text, note.span)
    left = text[max(sentence.start, note.span.start - _CONTEXT) : note.span.start]
    right = text[note.span.end : min(sentence.end, note.span.end + _CONTEXT)].rstrip()
    if note.span.start - _CONTEXT > sentence.start:
        left = left.partition(" ")[2]
    if note.span.end + _CONTEXT < sentence.end:
        right = right.rpartition(" ")[0]
    return f"{left}{mask}{right}"
