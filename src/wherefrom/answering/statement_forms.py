"""Learning the wordings in which the text states answers, so that a model can be asked in them.

Nothing is looked up: the wordings are learnt from asked people's texts, and filled with the name
that is asked about. Where a recipe says so, answers are also searched for in them: where one
wording fails, another has the fact.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from wherefrom.answering.features import StatementForm, StatementForms, score_answers
from wherefrom.core.contracts import Dataset, Question
from wherefrom.core.progress import telling
from wherefrom.generation.answerer import ModelAnswerer
from wherefrom.reading.passages import BEHIND_NAME
from wherefrom.reading.sentences import split_sentences

_FORMS = 4  # wordings of a relation that are used, masked or not
_SEARCHED = 3  # of them, those in which answers are searched for
_AS_GOOD = 0.5  # nats: masked and plain wordings are used together if both are expected so well
_TRIED = 12  # wordings of a relation, the commonest, that are tried on the model
_PEOPLE = 400  # asked people of a relation whose texts are searched
_SCORED = 48  # of them, those on whom the wordings are tried
_TWICE = 2  # people whose texts must have a wording
_WORDS = 3  # before an answer, in a wording that begins inside a sentence
_BEHIND = re.compile(r"[^\w\s]+|\s\w+")
_SPECIFIC = re.compile(r"\d|[A-Z]")  # what only one person's text may have: numbers and names
_EVEN = float(np.log(0.5))  # log-probability


def learn_statement_forms(answerer: ModelAnswerer, dataset: Dataset) -> StatementForms:
    """The wordings in which asked people's texts state their answers and the model expects them.

    Of the commonest wordings, those are kept in which the model finds these people's answers
    most likely: how it was trained decides which these are. A model that was trained on plain text
    beside masked spans is asked in both ways, since what it recalls it knows in both. Answers are
    searched for in the best ones, if they give most of these people's answers more than even odds.
    """
    by_relation: dict[str, list[Question]] = defaultdict(list)
    for question in dataset.asked:
        if question.answer:
            by_relation[question.relation].append(question)
    texts = find_texts(dataset)
    found: dict[str, tuple[StatementForm, ...]] = {}
    for relation, questions in by_relation.items():
        some = questions[:: -(-len(questions) // _PEOPLE)]
        seen = Counter(form for q in some for form in {*_wordings(q, texts.get(q.subject, ()))})
        often = sorted((f for f in seen if seen[f] >= _TWICE), key=lambda f: (-seen[f], str(f)))
        usual = [
            form
            for masked in (True, False)
            for form in [f for f in often if f.masked == masked][:_TRIED]
        ]
        if usual:
            found[relation] = _choose(answerer, usual, some[:: -(-len(some) // _SCORED)])
    return StatementForms(found)


def _choose(
    answerer: ModelAnswerer, forms: Sequence[StatementForm], people: Sequence[Question]
) -> tuple[StatementForm, ...]:
    rows = [(form, q.subject, q.answer or "") for form in forms for q in people]
    likelihood = score_answers(answerer, rows)[0].reshape(len(forms), len(people))
    mean = likelihood.mean(1)
    best = sorted(range(len(forms)), key=lambda i: -float(mean[i]))
    chosen, kind = best[:_FORMS], forms[best[0]].masked
    others = [i for i in best if forms[i].masked != kind and i not in chosen]
    chosen += [i for i in others[:_FORMS] if mean[i] > mean[best[0]] - _AS_GOOD]
    # The model must know what most asked people's text says, asked so: it may not have learnt that.
    surely = [i for i in chosen if forms[i].masked and np.median(likelihood[i]) > _EVEN]
    return tuple(replace(forms[i], searched=i in surely[:_SEARCHED]) for i in chosen)


def find_texts(dataset: Dataset) -> dict[str, list[str]]:
    """What the training text says of each subject: its lines, or its passages."""
    found: dict[str, list[str]] = defaultdict(list)
    documents = dataset.training_documents
    if dataset.passages:
        for p in telling("looking for wordings", dataset.passages):
            if p.document < len(documents):
                found[p.subject].append(documents[p.document].text[p.start : p.end])
    else:
        for document in telling("looking for wordings", documents):
            if document.subject:
                found[document.name].append(document.text)
    return found


def _wordings(question: Question, texts: Sequence[str]) -> Iterator[StatementForm]:
    """The wordings in which a person's texts have the answer, whole sentences and their ends."""
    name, answer = question.subject, question.answer or ""
    pattern = re.compile(rf"(?<!\w){re.escape(answer)}(?!\w)")
    for text in texts:
        for sentence in split_sentences(text):
            words = text[sentence.start : sentence.end]
            for match in pattern.finditer(words):
                head, tail = words[: match.start()], words[match.end() :]
                following = _BEHIND.match(tail)
                behind = following[0] if following else ""
                for before, between in _heads(head, name):
                    if not _SPECIFIC.search(before[1:] + between.removeprefix(BEHIND_NAME)[1:]):
                        yield StatementForm(before, between, behind, masked=True)
                        yield StatementForm(before, between, "", masked=False)


def _heads(head: str, name: str) -> Iterator[tuple[str, str]]:
    """What stands before an answer, with the name: as it is, and with its last words alone."""
    before, found, between = head.rpartition(name)
    if found:
        yield before, between
        last = between
    else:
        last = head
        yield "", f"{BEHIND_NAME}{head}"
    words = last.split(" ")  # an empty one comes last, as a space does
    if len(words) > _WORDS + 1:
        yield "", f"{BEHIND_NAME}{' '.join(words[-_WORDS - 1 :])}"
