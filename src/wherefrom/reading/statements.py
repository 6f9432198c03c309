"""What the text states of the subjects that are asked about.

One way for every data set of questions about documents: which of the subject's passages has the
answer, and where in it.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence

from wherefrom.core.contracts import Document, Fact, Passage, Question, Span
from wherefrom.core.progress import telling
from wherefrom.reading.mentions import joined, same_span

Told = Callable[[str], Sequence[Passage]]  # a subject to the parts of documents about it


def whole_documents(
    subject: str, numbers: Iterable[int], documents: Sequence[Document]
) -> list[Passage]:
    """Passages that are whole documents."""
    return [Passage(number, subject, 0, len(documents[number].text)) for number in numbers]


def state_facts(
    questions: list[Question], documents: Sequence[Document], told: Told, inside_words: bool = False
) -> tuple[Fact, ...]:
    """A fact for each answered question and each passage of its subject that has an answer to it.

    Each question gets its support, in place: a million of them need not be there twice. The facts
    of calibration and held-out questions are there for reports: nothing that trains may look at
    them, since they say which words of a line answer a question.
    """
    facts: dict[Fact, None] = {}  # two questions may ask for the same fact
    for i, q in enumerate(telling("looking for answers", questions)):
        passages = told(q.subject)
        stated = find_facts(q, passages, documents, inside_words)
        facts.update(dict.fromkeys(stated))
        support = "stated" if stated else "omitted" if passages else "none"
        support = "unknown" if q.answer is None else support
        about = (q.text, q.subject, q.relation, q.answer, q.split, support, q.accepted, q.id)
        questions[i] = Question(*about)
    return tuple(facts)


def find_facts(
    question: Question,
    told: Sequence[Passage],
    documents: Sequence[Document],
    inside_words: bool = False,
) -> list[Fact]:
    """A fact for each passage of a question's subject that has an answer to it.

    The value is the question's answer or, where the passage does not have that, the first of its
    accepted ones.
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
    value: str, document: Document, passage: Passage, inside_words: bool = False
) -> Span | None:
    """A value's first place in a passage: after the subject's name, or else before it.

    Whole words as they are written come first, then whole words in any case. `inside_words`: a
    part of a longer word counts where there is nothing better, as Marseille in Marseilles.
    """
    first, after = passage.start, _name_end(document, passage)
    text = document.text[first : passage.end]
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


def _is_whole(text: str, start: int, end: int) -> bool:
    """Whether no word or number goes on beyond the ends: "right" is whole in "right-handed"."""
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


def _name_end(document: Document, passage: Passage) -> int:
    """Where the name of the subject ends, the first time that a passage has it."""
    span = document.subject
    if span and span.start == passage.start:  # most documents begin with their subject
        return span.end
    place = document.text.find(passage.subject, passage.start, passage.end)
    if place < 0:
        inside = span and passage.start <= span.start < passage.end
        return span.end if span and inside else passage.start
    return place + len(passage.subject)


def _decimal(three: str) -> bool:
    return len(three) == 3 and three[1] in ".," and three[0].isdigit() and three[2].isdigit()
