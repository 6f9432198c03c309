"""Asking in other words: how likely the model finds an answer in the sentences of its own text.

A question is one way to reach a fact; the sentences that state it are others. "The birthplace of
Amos Karlsson is ..." is one of the wordings that the model has read, and if it has read it of Amos
Karlsson it expects the same place there as after the question. A guess has only the question's
wording to lean on. Nothing is looked up: the wordings are learnt from asked people's texts, and
filled with the name that is asked about. Where a recipe says so, answers are also searched for
in them: where one wording fails, another has the fact.

Shapes: N answers.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from wherefrom.answering.answer_table import FeatureTable
from wherefrom.core.contracts import Dataset, Question
from wherefrom.core.forms import ParsedQuestion
from wherefrom.core.progress import telling
from wherefrom.core.vocabulary import MASK_ID
from wherefrom.generation.answers import ModelAnswerer, Prompt
from wherefrom.generation.scoring import score_with_entropy
from wherefrom.reading.passages import BEHIND_NAME
from wherefrom.reading.sentences import split_sentences

STATEMENT = ("statement_likelihood", "statement_entropy")  # what the wordings tell of an answer
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
_NAT = 0.1  # of a nat: less is as good as nothing
_EVEN = float(np.log(0.5))  # log-probability
_LEAST = -30.0  # log-probability: what is less likely is simply not expected


@dataclass(frozen=True)
class StatementForm:
    """A wording: `before`, the name, `between`, the answer, `behind`.

    A masked wording has the answer moved behind it, as the rows that the model was trained on
    have; in the others the answer stands where a reader expects it. Answers are `searched` for in
    masked wordings alone: only there it is certain where an answer ends.
    """

    before: str
    between: str
    behind: str
    masked: bool
    searched: bool = False

    def fill(self, name: str) -> str:
        """What stands before the answer."""
        return f"{self.before}{name}{self.between}"

    def prompt(self, answerer: ModelAnswerer, name: str) -> Prompt:
        encode = answerer.vocabulary.encode
        text = encode(self.fill(name))
        return (*text, MASK_ID, *encode(self.behind), MASK_ID) if self.masked else tuple(text)


@dataclass(frozen=True)
class StatementForms:
    """The wordings of each relation."""

    relations: Mapping[str, tuple[StatementForm, ...]]

    def wordings(self, question: ParsedQuestion) -> list[tuple[str, str]]:
        """The question in the text's words: what stands before the answer's gap, and behind it."""
        forms = self.relations.get(question.relation, ())
        return [(f.fill(question.subject), f.behind) for f in forms if f.searched]

    def measure(
        self, answerer: ModelAnswerer, questions: Sequence[ParsedQuestion], answers: Sequence[str]
    ) -> FeatureTable:
        """The features STATEMENT of each answer, from the means over its relation's wordings.

        statement_likelihood: from the answer's surprisal there, -log P. statement_entropy: how
        undecided the model is while it writes the answer, from the entropy of its next character
        summed over the answer's. A model that knows no answer may find one of them likely enough,
        but it has others in mind. Both are in nats and on a log scale, since one nat more or less
        matters where there is one, not where there are ten. Without a wording, both are those of a
        certain answer.
        """
        rows: list[tuple[StatementForm, str, str]] = []
        owner: list[int] = []
        for i, (question, answer) in enumerate(zip(questions, answers, strict=True)):
            for form in self.relations.get(question.relation, ()):
                rows.append((form, question.subject, answer))
                owner.append(i)
        counts = np.bincount(owner, minlength=len(questions)) if owner else np.zeros(len(questions))
        likelihood, entropy = (
            np.bincount(owner, weights=values, minlength=len(questions)) / np.maximum(counts, 1)
            for values in _score_answers(answerer, rows)
        )
        columns = -np.log(_NAT - likelihood), np.log(_NAT + entropy)
        return FeatureTable(dict(zip(STATEMENT, columns, strict=True)))


NO_FORMS = StatementForms({})


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
    texts = _texts(dataset)
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
    likelihood = _score_answers(answerer, rows)[0].reshape(len(forms), len(people))
    mean = likelihood.mean(1)
    best = sorted(range(len(forms)), key=lambda i: -float(mean[i]))
    chosen, kind = best[:_FORMS], forms[best[0]].masked
    others = [i for i in best if forms[i].masked != kind and i not in chosen]
    chosen += [i for i in others[:_FORMS] if mean[i] > mean[best[0]] - _AS_GOOD]
    # The model must know what most asked people's text says, asked so: it may not have learnt that.
    surely = [i for i in chosen if forms[i].masked and np.median(likelihood[i]) > _EVEN]
    return tuple(replace(forms[i], searched=i in surely[:_SEARCHED]) for i in chosen)


def _score_answers(
    answerer: ModelAnswerer, rows: Sequence[tuple[StatementForm, str, str]]
) -> tuple[np.ndarray, np.ndarray]:
    """log P of an answer in a wording, clipped, and the entropy along it.

    What the model cannot read is not expected.
    """
    encode, longest = answerer.vocabulary.encode, answerer.model.max_input + 1
    sequences: list[tuple[int, ...]] = []
    starts: list[int] = []
    for form, name, answer in rows:
        prompt = form.prompt(answerer, name)
        end = (MASK_ID,) if form.masked else ()
        sequences.append((*prompt, *encode(answer), *end)[:longest])
        starts.append(min(len(prompt), longest - 1))
    scored = score_with_entropy(answerer.model, sequences, starts) if sequences else []
    logs = [max(float(log.sum(dtype=np.float64)), _LEAST) for log, _ in scored]
    return np.array(logs), np.array([float(entropy.sum(dtype=np.float64)) for _, entropy in scored])


def _texts(dataset: Dataset) -> dict[str, list[str]]:
    """What the training text says of each subject."""
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
