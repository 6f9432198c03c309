"""What the text does not say: statements about subjects of whose answer it says nothing.

A model that only reads what is true learns that a place follows "was born in" for certain, whoever
is named: of somebody whose text leaves the place out it is as sure of a wrong one. So it also reads
what the text states of others, under the name of somebody of whom the text states nothing of the
kind. The same name comes with another place each time, so what there is to learn is not to be sure.
The text itself shows who that is: none of their documents has a phrase that looks like an answer
(salience.py).

Whether a model is unsure of people whose names come in such rows says little of others: it was
trained on their names. So, for measurement, half of the silent names can be withheld, and both
halves are reported (docs/TRUST.md).
"""

from array import array
from collections.abc import Iterable, Sequence
from hashlib import sha256

import numpy as np

from wherefrom.core.contracts import Document, Span
from wherefrom.core.randomness import Stream, below, draws

_LINES = 10_000  # at least: each is read so seldom that it is not learnt by heart


def make_omissions(
    documents: Sequence[Document], answered: Iterable[bool], seed: int, withhold: bool = False
) -> tuple[Document, ...]:
    """Answered documents under the names of subjects without one; none if all have one.

    With `withhold`, half of the names are left out (`is_withheld`).

    It goes through the documents once, since there may be millions.
    """
    told, names = array("q"), dict[str, bool]()
    for number, (document, has) in enumerate(zip(documents, answered, strict=True)):
        if document.subject:
            name = document.name
            names[name] = names.get(name, False) or has
            if has:
                told.append(number)
    silent = [n for n, has in names.items() if not has and not (withhold and is_withheld(n))]
    if not told or not silent:
        return ()
    row = np.arange(-(-_LINES // len(silent)) * len(silent), dtype=np.int64)
    (word,) = draws(1, seed=seed, stream=Stream.OMISSIONS, stage=0, step=0, row=row)
    return tuple(
        _rename(documents[told[pick]], silent[number % len(silent)])
        for number, pick in enumerate(below(word, len(told)).tolist())
    )


def is_withheld(name: str) -> bool:
    """Whether a name is in the half that is withheld: by its hash, whoever else is there."""
    return sha256(f"withhold {name}".encode(errors="surrogatepass")).digest()[0] % 2 == 0


def _rename(document: Document, name: str) -> Document:
    """The document with another name wherever it has its subject's."""
    assert document.subject
    own = document.name
    start = len(document.text[: document.subject.start].replace(own, name))
    return Document(document.text.replace(own, name), Span(start, start + len(name)))
