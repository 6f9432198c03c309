"""Wordings of the text: which are learnt, and how likely an answer is in them."""

import math
from typing import Any, cast

import numpy as np
import pytest
import torch
from torch import nn

from tests.support.made_up import Unmoved
from wherefrom.answering.features import NO_FORMS, STATEMENT, StatementForm, StatementForms
from wherefrom.answering.statement_forms import learn_statement_forms
from wherefrom.core.contracts import Dataset, Document, Passage, Question, Span
from wherefrom.core.forms import Form, ParsedQuestion
from wherefrom.core.vocabulary import MASK_ID, Vocabulary
from wherefrom.generation.answerer import ModelAnswerer

BORN = Form("Where was ", " born?")
PEOPLE = {"Ann Ash": "Oslo", "Bob Bax": "Rome", "Cy Cox": "Oslo", "Di Dow": "Bern"}
VOCABULARY = Vocabulary.from_text("".join(map(chr, range(32, 127))))


def even(liked: str = "", liking: float = 0.0) -> Unmoved:
    """Finds every character as likely as any other, but for a liking of one it may be given."""
    return Unmoved([liking if c == liked else 0.0 for c in VOCABULARY.characters], 60)


def answerer(model: Any = None) -> ModelAnswerer:
    return ModelAnswerer(cast(Any, model or even()), VOCABULARY)


def parsed(name: str, relation: str = "birthplace") -> ParsedQuestion:
    return ParsedQuestion(BORN.fill(name), BORN, name, relation)


def dataset(*wordings: str, passages: bool = False) -> Dataset:
    """Every person's text has all the wordings; the first stands in a document of its own."""
    documents, found = [], []
    for name, place in PEOPLE.items():
        for wording in wordings:
            text = wording.format(name=name, place=place)
            start = text.find(name)
            subject = Span(start, start + len(name)) if start >= 0 else None
            found.append(Passage(len(documents), name, 0, len(text)))
            documents.append(Document(text, subject))
    questions = tuple(
        Question(BORN.fill(name), name, "birthplace", place, "asked")
        for name, place in PEOPLE.items()
    )
    return Dataset(tuple(documents), questions=questions, passages=tuple(found) if passages else ())


def learnt(*wordings: str, passages: bool = False) -> set[tuple[str, str, str, bool]]:
    forms = learn_statement_forms(answerer(), dataset(*wordings, passages=passages))
    found = forms.relations.get("birthplace", ())
    return {(f.before, f.between, f.behind, f.masked) for f in found}


def test_the_wording_around_an_answer_is_learnt_with_room_for_a_name():
    found = learnt("The birthplace of {name} is {place}.")
    assert ("The birthplace of ", " is ", ".", True) in found
    assert ("The birthplace of ", " is ", "", False) in found


def test_an_answer_before_the_name_is_read_behind_the_name():
    assert ("", ". A native of ", ",", True) in learnt("A native of {place}, {name} sang.")
    # So is a sentence without the name, where passages say whose it is.
    found = learnt("She was born in {place} in May.", passages=True)
    assert ("", ". She was born in ", " in", True) in found


def test_of_a_long_sentence_the_last_words_are_a_wording_too():
    found = learnt("{name} was a rather well known singer born in {place}.")
    assert ("", ". singer born in ", ".", True) in found


@pytest.mark.parametrize(
    "wording", ["{name} (12 May) came from {place}.", "{name} and Al: {place}"]
)
def test_what_only_one_persons_text_may_have_is_no_wording(wording: str):
    assert not any("12" in between or "Al" in between for _, between, _, _ in learnt(wording))


def test_a_wording_of_one_person_alone_is_not_learnt():
    whole = dataset("{name} sang.")
    alone = Document("Ann Ash comes from Oslo.", Span(0, 7))
    forms = learn_statement_forms(
        answerer(), Dataset((*whole.documents, alone), questions=whole.questions)
    )
    assert forms == NO_FORMS


def test_the_wordings_are_kept_in_which_the_model_expects_the_answers():
    """A model that likes masks finds answers likelier where a mask closes them."""
    forms = learn_statement_forms(
        answerer(even(VOCABULARY.characters[MASK_ID], 5.0)), dataset("{name} is from {place}.")
    )
    assert forms.relations["birthplace"][0].masked is False, "there is no mask to pay for"
    assert [f.masked for f in forms.relations["birthplace"]] == [False, True]


@pytest.mark.parametrize(("liking", "masked"), [(6.0, 4), (3.0, 0)])
def test_masked_and_plain_wordings_are_used_together_if_they_are_about_as_likely(
    liking: float, masked: int
):
    """By hand: the closing mask costs log(1 + 98 / e^6) = 0.2 nats, or log(1 + 98 / e^3) = 1.8."""
    verbs = ("is from", "came from", "hails from", "was born in", "grew up in")
    text = dataset(*(f"{{name}} {verb} {{place}}." for verb in verbs))
    forms = learn_statement_forms(answerer(even(VOCABULARY.characters[MASK_ID], liking)), text)
    kinds = [form.masked for form in forms.relations["birthplace"]]
    assert (kinds.count(False), kinds.count(True)) == (4, masked)


def test_the_likelihood_of_an_answer_is_the_mean_over_the_wordings():
    each = math.log(len(VOCABULARY))
    masked = StatementForm("", " is from ", ".", masked=True)
    plain = StatementForm("", " is from ", "", masked=False)
    found = StatementForms({"birthplace": (masked, plain)}).measure(
        answerer(), [parsed("Ann Ash"), parsed("Bob Bax", "hand")], ["Oslo", "left"]
    )
    likely, undecided = found["statement_likelihood"], found["statement_entropy"]
    nats = math.log(0.1 + each * (5 + 4) / 2)  # the closing mask counts
    assert likely[0] == pytest.approx(-nats, rel=1e-5)
    assert undecided[0] == pytest.approx(nats, rel=1e-5), "as undecided as can be"
    assert -likely[1] == undecided[1] == math.log(0.1), "it is not known how the text states a hand"


def test_what_is_not_expected_at_all_has_a_floor_and_what_is_too_long_is_cut():
    form = StatementForm("", " is from ", "", masked=False)
    forms = StatementForms({"birthplace": (form,)})
    far = forms.measure(answerer(even("x", 50.0)), [parsed("Ann Ash")], ["Oslo"])
    assert far["statement_likelihood"].tolist() == [pytest.approx(-math.log(30.1))]
    assert far["statement_entropy"][0] == pytest.approx(math.log(0.1), abs=1e-4), "sure of another"
    cut = forms.measure(answerer(), [parsed("A" * 80)], ["Oslo"])
    assert np.isfinite(cut.matrix(STATEMENT)).all()


# -- searching in them ----------------------------------------------------------------

TEXT = ("{name} is from {place}.", "{name} came from {place}.", "{name} hails from {place}.")


class Reader(nn.Module):
    """Has read every sentence about everybody, and how an answer is masked; says nothing else."""

    max_input = 60
    cacheable = False

    def __init__(self, people: dict[str, str], certainty: float = 0.9) -> None:
        super().__init__()
        self.certainty, self.following = certainty, dict[str, str]()
        self.unused = nn.Parameter(torch.zeros(1))
        mask = VOCABULARY.characters[MASK_ID]
        for name, place in people.items():
            for wording in TEXT:
                head, tail = wording.format(name=name, place="|").split("|")
                self._learn(head, place)
                self._learn(f"{head}{mask}{tail}{mask}", place + mask)

    def _learn(self, prompt: str, answer: str) -> None:
        for i, character in enumerate(answer):
            self.following[prompt + answer[:i]] = character

    def forward(self, tokens: torch.Tensor, cache: None = None) -> torch.Tensor:
        other = math.log((1 - self.certainty) / (len(VOCABULARY) - 1))
        logits = torch.full((*tokens.shape, len(VOCABULARY)), other)
        for row, line in enumerate(tokens.tolist()):
            for i in range(len(line)):
                known = self.following.get(VOCABULARY.decode(line[: i + 1]))
                if known is not None:
                    logits[row, i, VOCABULARY.encode(known)[0]] = math.log(self.certainty)
        return logits


@pytest.mark.parametrize(("certainty", "searched"), [(0.95, 3), (0.6, 0)])
def test_answers_are_searched_for_where_the_model_knows_most_of_them(
    certainty: float, searched: int
):
    """By hand: four letters and a mask have 0.95^5 = 0.77, more than even odds, or 0.6^5 = 0.08."""
    reader = answerer(Reader(PEOPLE, certainty))
    forms = learn_statement_forms(reader, dataset(*TEXT)).relations["birthplace"]
    assert sum(f.searched for f in forms) == searched
    assert all(f.masked for f in forms if f.searched)


def test_what_the_question_does_not_reach_is_found_in_other_words():
    """The model has never read a question, so it repeats itself there; the text it knows."""
    reader = answerer(Reader({**PEOPLE, "Ed Elk": "Lima"}))
    forms = learn_statement_forms(reader, dataset(*TEXT))
    question = parsed("Ed Elk")
    asked = reader.asking({question.text: forms.wordings(question)})
    (answer,) = asked.answer([question.text])
    assert (answer.text, answer.finished) == ("Lima", True)
    assert answer.probability == pytest.approx(3 / 4 * 0.9**5, rel=1e-3), "of four prompts, three"
    assert reader.answer([BORN.fill("Ed Elk")])[0].text != "Lima"


def test_a_wording_too_long_for_the_model_is_not_asked():
    reader = answerer(Reader(PEOPLE))
    forms = learn_statement_forms(reader, dataset(*TEXT))
    name = "Ann " + "Ash" * 15  # 49 letters: " is from ", a mask, "." and a mask fit in 60, exactly
    for question, asked in (
        (parsed(name[:48]), [" is from "]),
        (parsed(name), []),
        (parsed("Ann Ash", "profession"), []),
    ):
        _, *others = reader.asking({question.text: forms.wordings(question)}).prompts(question.text)
        texts = [VOCABULARY.decode(prompt) for prompt in others]
        assert len(texts) == len(asked)
        assert all(words in text for words, text in zip(asked, texts, strict=True))
