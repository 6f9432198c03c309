"""What a question is about, and the features of its answer."""

import math

import numpy as np
import pytest
import torch
from torch import nn

from wherefrom.answering.features import FEATURES, Asker
from wherefrom.core.contracts import Answer, Candidate, Document, Question, Span
from wherefrom.core.errors import BadData
from wherefrom.core.forms import Form
from wherefrom.core.vocabulary import Vocabulary

NAMES = ["Ada Lund", "Bo Falk", "Cy Roth", "Di Holm"]
VOCABULARY = Vocabulary.from_text(["Where was born? By", *NAMES])
DOCUMENTS = [Document(f"{name} was.", Span(0, len(name))) for name in NAMES]


def question(name: str, answer: str = "Oslo", support: str = "stated") -> Question:
    return Question(f"Where was {name} born?", name, "birthplace", answer, "asked", support)


ASKED = [question(name) for name in NAMES]


class Even(nn.Module):
    """Finds every character as likely as any other: a name is as familiar as it is short."""

    max_input, cacheable = 40, False

    def __init__(self) -> None:
        super().__init__()
        self.size = nn.Parameter(torch.zeros(len(VOCABULARY)))

    def new_cache(self, rows: int, positions: int) -> None:
        raise AssertionError("it has none")

    def forward(self, tokens: torch.Tensor, cache: None = None) -> torch.Tensor:
        return self.size.expand(*tokens.shape, -1)


class Told:
    """An answerer that says what it was told to say."""

    def __init__(self, answers: dict[str, Answer] | None = None) -> None:
        self.model, self.vocabulary = Even(), VOCABULARY
        self.answers = answers or {}

    def answer(self, questions) -> list[Answer]:
        return [self.answers.get(q, Answer("Oslo", 0.5)) for q in questions]


# --- what a question is about ----------------------------------------------------------------


def test_the_subject_is_what_stands_in_the_frame():
    asker = Asker(Told(), DOCUMENTS, ASKED)
    assert asker.forms == (Form("Where was ", " born?"),)
    assert asker.subject("Where was Ada Falk born?") == "Ada Falk"
    assert asker.subject("Where was Ada born?") == "Ada"


@pytest.mark.parametrize(
    "asked",
    ["Where was Ada Lund", "Who was Ada Lund?", "", "Where was  born?", "Where was born?", "Ada"],
)
def test_another_form_is_refused_with_the_one_that_was_taught(asked):
    asker = Asker(Told(), DOCUMENTS, ASKED)
    with pytest.raises(BadData, match=r"expected a question like 'Where was \.\.\. born\?'"):
        asker.subject(asked)


def test_any_form_that_was_taught_may_be_asked():
    other = [Question(f"Who was {name}?", name, "self", "Bo", "asked") for name in NAMES]
    asker = Asker(Told(), DOCUMENTS, [*ASKED, *other])
    assert asker.subject("Where was Ada Falk born?") == "Ada Falk"
    assert asker.subject("Who was Ada Falk?") == "Ada Falk"
    wanted = r"like 'Where was \.\.\. born\?' or 'Who was \.\.\.\?', .* taught 2 forms"
    with pytest.raises(BadData, match=wanted):
        asker.subject("When was Ada Falk here?")


def test_questions_without_a_form_tell_no_names():
    for asked in ([], ASKED[:1]):
        with pytest.raises(BadData, match=r"expected several of one form, found \d without"):
            Asker(Told(), DOCUMENTS, asked)


def test_what_cannot_be_asked_is_told():
    asker = Asker(Told(), DOCUMENTS, ASKED)
    asker.check("Where was Ada Lund born?")
    with pytest.raises(BadData, match="'ø'"):
        asker.check("Where was Adø Lund born?")
    with pytest.raises(BadData, match=r"U\+2047"):
        asker.check("Where was Ada⁇ Lund born?")
    longest = 40 - 1 - len("Where was  born?")
    asker.check(f"Where was {'a' * longest} born?")
    with pytest.raises(
        BadData, match=f"a name of at most {longest} characters, found {longest + 1}"
    ):
        asker.check(f"Where was {'a' * (longest + 1)} born?")


# --- features --------------------------------------------------------------------------------


def test_features_by_hand():
    """An even model gives a last name of n letters n times the same log-probability.

    The asked last names have 4 letters each: nothing varies, so any other length is as far
    out as it gets, and 4 letters are typical.
    """
    texts = [f"Where was {name} born?" for name in ("Ada Falk", "Bo Lu", "Cy Holmroth")]
    answers = {
        texts[0]: Answer("Oslo", 0.8, (Candidate("Rome", 0.1), Candidate("Lima", 0.05))),
        texts[1]: Answer("Rome", 0.25),
        texts[2]: Answer("", 0.0, (Candidate("x", 0.0),), False),
    }
    asker = Asker(Told(answers), DOCUMENTS, ASKED)
    found, features = asker.examine(texts)
    assert found == list(answers.values())
    tiny = math.log(1e-12)
    np.testing.assert_allclose(features[:, 0], [math.log(0.8), math.log(0.25), tiny])
    np.testing.assert_allclose(features[:, 1], [math.log(8), math.log(0.25) - tiny, 0.0])
    np.testing.assert_allclose(features[:, 2], [0, 6, -6], atol=1e-3)
    np.testing.assert_allclose(features[:, 3], [0, 0, -6], atol=1e-3)
    assert features.shape[1] == len(FEATURES)


def test_familiarity_counts_in_spreads_of_the_asked():
    """Last names of 2, 4, 4 and 6 letters: 4 on average, with a spread of sqrt(2)."""
    asked = [question(name) for name in ("Ada Lu", "Bo Falk", "Cy Roth", "Di Holmro")]
    _, features = Asker(Told(), DOCUMENTS, asked).examine(
        [f"Where was Ada {'a' * n} born?" for n in (3, 4, 5)]
    )
    np.testing.assert_allclose(features[:, 2], np.array([1, 0, -1]) / math.sqrt(2), atol=1e-4)


def test_a_name_with_one_strange_part_is_strange_all_over(monkeypatch):
    """Familiarity of three parts, in spreads: (0, 0, -1), and one that is far off in the last."""
    asker = Asker(Told(), DOCUMENTS, ASKED)
    table = {"Ada Lund": (0.0, 0.0, -1.0), "Bo Falk": (2.0, 1.0, -9.0)}
    asker._typical, asker._spread = np.zeros(3), np.ones(3)
    monkeypatch.setattr(asker, "_familiarity", lambda names: np.array([table[n] for n in names]))
    _, features = asker.examine([q.text for q in ASKED[:2]])
    assert features[:, 2:].tolist() == [[0.0, 0.0], [-6.0, -6.0]]
