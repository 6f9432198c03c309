"""What the text states of the subjects that are asked about.

One way for every data set of questions about documents: which of the subject's passages has the
answer, and where in it.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence

from wherefrom.core.contracts import Document, Fact, Passage, Question, Span
from wherefrom.reading.mentions import joined, same_span

Told = Callable[[str], Sequence[Passage]]  # a subject to the parts of documents about it


def whole_documents(
    subject: str, numbers: Iterable[int], documents: Sequence[Document]
) -> list[Passage]:
    """Passages that are whole documents."""
    return [Passage(number, subject, 0, len(documents[number].text)) for number in numbers]


def support(
    question: Question,
    told: Sequence[Passage],
    documents: Sequence[Document],
    inside_words: bool = False,
) -> str:
    """What the subject's passages say of a question's answers; see `Question` and `locate`."""
    if question.answer is None:
        return "unknown"
    if not told:
        return "none"
    answers = (question.answer, *question.accepted)
    stated = any(locate(a, documents[p.document], p, inside_words) for p in told for a in answers)
    return "stated" if stated else "omitted"


def state_facts(
    questions: Iterable[Question],
    documents: Sequence[Document],
    told: Told,
    inside_words: bool = False,
) -> tuple[Fact, ...]:
    """A fact for each answered question and each passage of its subject that has an answer to it.

    The value is the question's answer or, where the passage does not have that, the first of its
    accepted ones. The facts of calibration and held-out questions are there for reports: nothing
    that trains may look at them, since they say which words of a line answer a question.
    """
    found: dict[Fact, None] = {}  # two questions may ask for the same fact
    for question in questions:
        for fact in find_facts(question, told(question.subject), documents, inside_words):
            found[fact] = None
    return tuple(found)


def find_facts(
    question: Question,
    told: Sequence[Passage],
    documents: Sequence[Document],
    inside_words: bool = False,
) -> list[Fact]:
    """A fact for each passage of a question's subject that has an answer to it.

    There is one if and only if `support` is "stated".
    """
    facts: list[Fact] = []
    for passage in told if question.answer is not None else ():
        for answer in (question.answer, *question.accepted):
            span = locate(answer or "", documents[passage.document], passage, inside_words)
            if span:
                about = (question.subject, question.relation, answer or "", passage.document, span)
                facts.append(Fact(*about))
                break
    return facts


def locate(
    value: str, document: Document, passage: Passage | None = None, inside_words: bool = False
) -> Span | None:
    """A value's first place in a passage (None: the document): after the subject, or else before.

    Whole words as they are written come first, then whole words in any case. `inside_words`: a
    part of a longer word counts where there is nothing better, as Marseille in Marseilles.
    """
    text = document.text
    first, last = (passage.start, passage.end) if passage else (0, len(text))
    after = _name_end(document, passage)
    if first > 0 or last < len(text):
        text = text[first:last]
    for places in _searches(value, text, inside_words):
        found = None
        for place in places:
            if first + place >= after:
                return same_span(first + place, first + place + len(value))
            if found is None:
                found = place
        if found is not None:
            return same_span(first + found, first + found + len(value))
    return None


def stands_whole(text: str, span: Span) -> bool:
    """Whether no word or number goes on beyond the span: "right" stands whole in "right-handed"."""
    return _is_whole(text, span.start, span.end)


def _is_whole(text: str, start: int, end: int) -> bool:
    if start > 0 and joined(text[start - 1], text[start]):
        return False
    if end < len(text) and joined(text[end - 1], text[end]):
        return False
    # 250 is no part of 1,250 or 250.5.
    if text[start : start + 1].isdigit() and _decimal(text[max(start - 2, 0) : start + 1]):
        return False
    return not (text[end - 1 : end].isdigit() and _decimal(text[end - 1 : end + 2]))


def _searches(value: str, text: str, inside_words: bool) -> Iterator[Iterable[int]]:
    """Where a value begins in a text, the best kind of places first."""
    yield _whole(_places(value, text), value, text)
    if inside_words:
        yield _places(value, text)
    elif len(text.lower()) == len(text):  # else the places of the two would differ
        yield _whole(_places(value.lower(), text.lower()), value, text)


def _whole(places: Iterable[int], value: str, text: str) -> Iterator[int]:
    size = len(value)
    return (place for place in places if _is_whole(text, place, place + size))


def _places(value: str, text: str) -> Iterator[int]:
    """Every place of a value in a text."""
    place = text.find(value) if value else -1
    while place >= 0:
        yield place
        place = text.find(value, place + 1)


def _name_end(document: Document, passage: Passage | None) -> int:
    """Where the name of the subject ends, the first time that a passage has it."""
    span = document.subject
    if passage is None:
        return span.end if span else 0
    if span and span.start == passage.start:  # most documents begin with their subject
        return span.end
    place = document.text.find(passage.subject, passage.start, passage.end)
    if place < 0:
        inside = span and passage.start <= span.start < passage.end
        return span.end if span and inside else passage.start
    return place + len(passage.subject)


def _decimal(three: str) -> bool:
    return len(three) == 3 and three[1] in ".," and three[0].isdigit() and three[2].isdigit()
