"""The first screen's sentences, from results that are known by hand."""

from types import SimpleNamespace

import pytest

from wherefrom.core.contracts import Dataset, Document, Question, Span
from wherefrom.show.page.summary_sentences import percent, summarise


def accuracy(correct, n, **more):
    return {"accuracy": correct / n, "interval": [0.91, 0.99], "n": n, "correct": correct, **more}


def share(name, value, n):
    return {name: value, "interval": [0.5, 1.0], "n": n}


@pytest.fixture
def run():
    names = ("Ada", "Bo")
    documents = tuple(Document(f"{name} was born in Oslo.", Span(0, len(name))) for name in names)
    asked = tuple(Question(f"Where was {n} born?", n, "r", "Oslo", "asked") for n in names[:1])
    held = tuple(Question(f"Where was {n} born?", n, "r", "Oslo", "held-out") for n in names * 40)
    models = tuple(SimpleNamespace(name=n) for n in ("without_pretraining", "with_pretraining"))
    tasks = (SimpleNamespace(name="birthplace"),)
    recipe = SimpleNamespace(tasks=tasks, models=models, primary="with_pretraining")
    recipe.data = SimpleNamespace(kind="people")
    return SimpleNamespace(
        dataset=Dataset((*documents, *documents), (), (*asked, *held)),
        questions=lambda _: held,
        cost=lambda: {"parameters": 1234},
        recipe=recipe,
        results={
            "majority": accuracy(6, 80),
            "nearest_name": accuracy(4, 80),
            "without_pretraining": accuracy(2, 80),
            "with_pretraining": accuracy(78, 80),
            "answered_share": share("answered_share", 0.9375, 80),
            "precision": share("precision", 1.0, 75),
            "refused_without_text": share("refused_share", 1.0, 60),
            "refused_omitted": share("refused_share", 0.5, 12),
        },
    )


@pytest.mark.parametrize(
    ("few", "said"), [(("a", "b"), "Its answers are"), (("b",), "Answers of 1 of 2 kinds are")]
)
def test_unverified_answers_are_called_so(run, few, said):
    each = {name: {"unverified": "too few"} if name in few else {} for name in ("a", "b")}
    run.results["answered_share"]["by_relation"] = each
    reason = "no threshold was shown to keep the risk."
    assert summarise(run)[2].striptags().endswith(f". {said} unverified: {reason}")


def test_three_sentences_say_what_was_taught_scored_and_known(run):
    taught, scored, knows = (s.striptags() for s in summarise(run))
    assert taught == (
        "A GPT of 1,234 parameters read 4 sentences about 2 invented people and was taught to "
        "answer with 1 question. It is in this page: ask it. It answers from memory, and says "
        "“I don’t know” where it does not know."
    )
    assert scored == (
        "Asked 80 questions that it was not trained on, it got 78 of 80 right (97.5 %, 91 to 99). "
        "For comparison: a twin that was taught the same questions and never read the text, 2; "
        "always giving the commonest answer, 6."
    )
    assert knows == (
        "It says “I don’t know” to 60 of 60 people whom nobody wrote about and to 6 of 12 people "
        "whose text leaves it out; where the text states it, it answers 75 of 80, 100 % of them "
        "right (50 to 100)."
    )


def test_what_is_not_known_to_be_people_is_called_names(run):
    run.recipe.data.kind = "facts"
    taught, _, knows = (s.striptags() for s in summarise(run))
    assert "read 4 documents about 2 names and was" in taught
    assert "60 of 60 names that nobody wrote about and to 6 of 12 names whose text" in knows


OMITTED, WITHOUT_TEXT = "refused_omitted", "refused_without_text"


@pytest.mark.parametrize(
    ("unknown", "words"),
    [
        (("answered_share", OMITTED),
         "It says “I don’t know” to 60 of 60 people whom nobody wrote about."),
        (("answered_share", OMITTED, WITHOUT_TEXT),
         "It says “I don’t know” where it is not sure enough."),
        ((OMITTED, WITHOUT_TEXT),
         "It answers 75 of 80 questions, 100 % of them right (50 to 100), and says “I don’t know” "
         "to the others."),
    ],
)  # fmt: skip
def test_what_was_not_measured_is_not_said(run, unknown, words):
    for name in unknown:
        del run.results[name]
    assert summarise(run)[2].striptags() == words


def test_a_run_without_calibration_always_answers(run):
    del run.results["answered_share"]
    assert summarise(run, abstains=False)[2].striptags().startswith("It always answers")


def test_a_run_that_answers_all_or_none_or_has_no_baselines_says_so(run):
    run.results = {"with_pretraining": accuracy(78, 80)}
    for answered, words in (
        (0, "It answers 0 of 24 questions and says “I don’t know” to all of them."),
        (24, "It answers 24 of 24 questions."),
    ):
        run.results["answered_share"] = share("answered_share", answered / 24, 24)
        assert summarise(run)[2].striptags() == words
    assert summarise(run)[1].striptags().endswith("(97.5 %, 91 to 99).")


def test_percentages_have_a_decimal_where_it_says_something():
    said = [percent(share).replace("\u00a0", " ") for share in (0.975, 1.0, 0.03, 0.0, 0.0006)]
    assert said == ["97.5 %", "100 %", "3 %", "0 %", "0.1 %"]
