"""What the text states of the subjects that are asked about.

One way for every data set of questions about documents: which of the subject's lines has the
answer, and where in it.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence

from wherefrom.core.contracts import Document, Fact, Question, Span

Told = Callable[[str], Sequence[int]]  # a subject to the numbers of its documents


def support(answer: str | None, told: Sequence[int], documents: Sequence[Document]) -> str:
    """What the subject's documents say of an answer; see `Question`."""
    if answer is None:
        return "unknown"
    if not told:
        return "none"
    return "stated" if any(answer in documents[i].text for i in told) else "omitted"


def state_facts(
    questions: Iterable[Question], documents: Sequence[Document], told: Told
) -> tuple[Fact, ...]:
    """A fact for each answered question and each line of its subject that has the answer.

    The facts of calibration and held-out questions are there for reports: nothing that trains
    may look at them, since they say which words of a line answer a question.
    """
    found: dict[Fact, None] = {}  # two questions may ask for the same fact
    for question in questions:
        if question.answer is None:
            continue
        for number in told(question.subject):
            if span := locate(question.answer, documents[number]):
                fact = Fact(question.subject, question.relation, question.answer, number, span)
                found[fact] = None
    return tuple(found)


def locate(value: str, document: Document) -> Span | None:
    """A value's first place after the subject, or else before it; whole words if possible."""
    start = document.subject.end if document.subject else 0
    for first in dict.fromkeys((start, 0)):
        places = list(_places(value, document.text, first))
        whole = [place for place in places if _bounded(document.text, place, len(value))]
        if places:
            place = (whole or places)[0]
            return Span(place, place + len(value))
    return None


def _places(value: str, text: str, start: int) -> Iterator[int]:
    """Every place of a value in a text from a start on."""
    place = text.find(value, start)
    while place >= 0:
        yield place
        place = text.find(value, place + 1)


def _bounded(text: str, start: int, length: int) -> bool:
    """Whether no letter or digit of another word stands next to it."""
    around = text[max(start - 1, 0) : start] + text[start + length : start + length + 1]
    return not any(c.isalnum() for c in around)
