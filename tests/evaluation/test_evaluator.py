"""The evaluator on answers and texts whose scores are known by hand."""

import json
import math

import numpy as np
import pytest

from tests.support.made_up import ask
from wherefrom.core.answer_table import AnswerTable
from wherefrom.core.contracts import Answer, Question
from wherefrom.core.errors import BadData, Diverged
from wherefrom.evaluation.evaluator import (
    Score,
    ScoredText,
    accuracy,
    evaluate_answers,
    evaluate_text,
    perplexity,
)
from wherefrom.evaluation.intervals import wilson


class Dictionary:
    """Answers what it was told, and notes that it was asked all at once."""

    def __init__(self, answers: dict[str, str]) -> None:
        self.answers, self.calls = answers, 0

    def answer(self, questions):
        self.calls += 1
        return [Answer(self.answers[q], 0.5) for q in questions]


class Fixed:
    def __init__(self, log_probabilities) -> None:
        self.values = np.asarray(log_probabilities, dtype=np.float32)

    def log_probabilities(self, text):
        return self.values[: len(text)]


GOLDS = {"Ada": "London", "Emmy": "Erlangen", "Sofia": "Moscow", "Grace": "New York"}
QUESTIONS = [ask(name, place) for name, place in GOLDS.items()]
REPLIES = ("London", "erlangen", "Moscow ", "New York")


def _evaluated():
    texts = [q.text for q in QUESTIONS]
    answerer = Dictionary(dict(zip(texts, REPLIES, strict=True)))
    return answerer, *evaluate_answers(answerer, QUESTIONS)


def test_a_share_has_wilsons_interval_and_its_details():
    share = Score.of_share("share", 3, 4, details={"correct": 3})
    assert share == Score("share", 0.75, wilson(3, 4), 4, {"correct": 3})
    written = {"share": 0.75, "interval": list(wilson(3, 4)), "n": 4, "correct": 3}
    assert json.loads(json.dumps(share.as_json())) == written
    assert Score.from_json(written) == share


def test_right_is_the_gold_answer_to_the_letter():
    answerer, score, predictions = _evaluated()
    assert [p.correct for p in predictions] == [True, False, False, True]
    assert answerer.calls == 1
    assert (score.measure, score.value, score.n) == ("accuracy", 0.5, 4)
    assert score.interval == wilson(2, 4)
    assert accuracy(predictions) == score
    assert list(predictions.known) == QUESTIONS


def test_nothing_to_evaluate_is_an_error():
    with pytest.raises(BadData, match="found none"):
        evaluate_answers(Dictionary({}), [])
    with pytest.raises(BadData, match="found none"):
        accuracy(AnswerTable.of((), ()))
    with pytest.raises(BadData, match="Where was Nobody born"):
        evaluate_answers(Dictionary({}), [*QUESTIONS, ask("Nobody", None)])
    with pytest.raises(BadData, match="found 0"):
        evaluate_text(Fixed([-1.0, -1.0]), ScoredText(""))


def test_perplexity_by_hand():
    text = ScoredText("abcd", {"unknown_share": 0.25})
    score = evaluate_text(Fixed(np.log([0.5, 0.25, 0.5, 0.125])), text)
    assert score.as_json()["unknown_share"] == 0.25, "what is known of the text"
    nats = (1 + 2 + 1 + 3) / 4 * math.log(2)
    assert score.measure == "perplexity"
    assert score.value == pytest.approx(math.exp(nats), rel=1e-6)
    assert score.details["nats_per_target"] == pytest.approx(nats, rel=1e-6)
    assert score.details["bits_per_target"] == pytest.approx(1.75, rel=1e-6)
    assert score.n == 4
    assert score.interval[0] < score.value < score.interval[1]


def test_the_interval_is_taken_in_nats():
    losses = np.random.default_rng(0).exponential(size=400)
    low, high = evaluate_text(Fixed(-losses), ScoredText("x" * 400)).interval
    half = 1.96 * losses.std(ddof=1) / 20
    assert math.log(low) == pytest.approx(losses.mean() - half, abs=0.15 * half)
    assert math.log(high) == pytest.approx(losses.mean() + half, abs=0.15 * half)


@pytest.mark.parametrize("bad", [-math.inf, math.nan])
def test_an_impossible_target_is_named(bad):
    with pytest.raises(BadData, match="number 2"):
        evaluate_text(Fixed([-1.0, -1.0, bad, -1.0]), ScoredText("abcd"))


def test_several_relations_have_a_score_each():
    asked = [
        Question(f"{relation} of {i}?", f"{i}", relation, "Oslo", "held-out")
        for relation, n in (("where", 4), ("when", 2))
        for i in range(n)
    ]
    answerer = Dictionary({q.text: "Rome" if q.text == "where of 0?" else "Oslo" for q in asked})
    score, predictions = evaluate_answers(answerer, asked)
    parts = score.as_json()["by_relation"]
    assert {name: (part["accuracy"], part["n"]) for name, part in parts.items()} == {
        "when": (1.0, 2), "where": (0.75, 4),
    }  # fmt: skip
    assert parts["where"]["interval"] == list(wilson(3, 4))
    assert list(predictions.relations) == [q.relation for q in asked]
    one, _ = evaluate_answers(answerer, asked[:4])
    assert "by_relation" not in one.as_json()


def test_a_loss_beyond_all_measure_means_that_the_model_diverged():
    losses = np.full(10, 1e28)
    with pytest.raises(Diverged, match=r"at most 700 nats for a target, found 1e\+28; the model"):
        perplexity(losses, {})
