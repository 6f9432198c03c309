"""What a text says of each subject, read behind that subject's name.

A fact is looked up by its subject's name, so training must show the name before the fact,
wherever the line has it ("A native of Evansville, IN, Scott Rolen ..."). A passage is therefore
read as "Scott Rolen. A native of Evansville, IN, Scott Rolen ...", and a paragraph about three
people three times, what it says of each behind their name.
"""

from wherefrom.core.contracts import Dataset, Document, Span

BEHIND_NAME = ". "


def named_passages(dataset: Dataset) -> tuple[Document, ...]:
    """The training documents' passages, each behind its subject's name.

    Documents that are about nobody come last, as they are.
    """
    documents = dataset.training_documents
    about = [p for p in dataset.passages if p.document < len(documents)]
    named = [
        Document(
            f"{p.subject}{BEHIND_NAME}{documents[p.document].text[p.start : p.end]}",
            Span(0, len(p.subject)),
        )
        for p in about
    ]
    taken = {p.document for p in about}
    return (*named, *(d for i, d in enumerate(documents) if i not in taken))


def asked_answers(dataset: Dataset) -> dict[str, set[str]]:
    """The answers of every asked subject, folded."""
    found: dict[str, set[str]] = {}
    for question in dataset.asked:
        if question.answer:
            answers = (question.answer, *question.accepted)
            found.setdefault(question.subject, set()).update(map(str.casefold, answers))
    return found
