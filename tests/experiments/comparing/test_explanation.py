import json
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch

from wherefrom.core.bags import NO_WORD, BagVocabulary
from wherefrom.core.config import to_json
from wherefrom.core.errors import BadData, MissingInput, UsageError
from wherefrom.experiments.comparing.explanation import (
    SHUFFLES,
    Explainer,
    explain,
    explain_errors,
    open_explainer,
)
from wherefrom.models.dan import DAN, Classifier, DANConfig
from wherefrom.runs.folder import RunFolder
from wherefrom.runs.opened_run import open_run

SCORES = {"good": 3.0, "bad": -4.0, "film": 0.5, "not": -1.0}  # a word's own log-odds


@pytest.fixture
def explainer() -> Explainer:
    """Without hidden layers the logit is the mean of the words' scores."""
    vectors = np.array([[0.0], *([s] for s in SCORES.values())], np.float32)
    model = DAN(DANConfig(width=1, depth=0, vocab_size=5), vectors)
    with torch.no_grad():
        model.head.weight.copy_(torch.tensor([[0.0], [1.0]]))
        model.head.bias.zero_()
    return Explainer(Classifier(model, BagVocabulary((NO_WORD, *SCORES))), "by hand")


def test_leaving_a_word_out_does_what_it_does_by_hand(explainer):
    found = explainer.explain("Not a BAD film; good, good!")
    assert found.logit == pytest.approx((-1 - 4 + 0.5 + 3 + 3) / 5)
    without = {
        "good": (-1 - 4 + 0.5) / 3, "bad": (-1 + 0.5 + 6) / 4,
        "film": (-1 - 4 + 6) / 4, "not": (-4 + 0.5 + 6) / 4,
    }  # fmt: skip
    effects = {word.word: word.effect for word in found.words}
    assert effects == pytest.approx({word: found.logit - x for word, x in without.items()})
    assert [word.word for word in found.words] == ["good", "bad", "not", "film"]
    assert {word.word: word.times for word in found.words}["good"] == 2
    assert found.unknown == ("a", "!")
    assert (found.answer, found.model) == ("positive", "by hand")
    assert found.probability == pytest.approx(1 / (1 + np.exp(-found.logit)))
    (only,) = explainer.explain("bad").words
    assert only.effect == pytest.approx(-4.0)  # against nothing at all
    with pytest.raises(BadData, match="found only 'xyzzy'"):
        explainer.explain("xyzzy")


def test_the_shuffles_that_are_tried_are_shuffles(explainer, monkeypatch):
    """A network that did look at the order would be found out."""
    assert explainer.explain("not good bad film film good").largest_change_by_shuffling < 1e-12
    bags = []
    plain = explainer.classifier.logits

    def by_order(given):
        bags.extend(given)
        logits = plain(given)
        logits[:, 1] += torch.tensor([float(bag[0]) if len(bag) else 0.0 for bag in given])
        return logits

    monkeypatch.setattr(explainer.classifier, "logits", by_order)
    assert explainer.explain("not good bad film").largest_change_by_shuffling > 0.5
    shuffled = [bag.tolist() for bag in bags if len(bag) == 4]
    assert len(shuffled) == 2 + SHUFFLES  # the text itself twice: explained and answered
    assert all(sorted(bag) == [1, 2, 3, 4] for bag in shuffled)
    assert len({tuple(bag) for bag in shuffled}) > 5
    assert shuffled[1] == shuffled[0][::-1]


def test_errors_are_the_surest_ones_with_what_is_right(sentiment_run):
    run = open_run(sentiment_run)
    found = explain_errors(run, open_explainer(run), 3)
    wrong = [p for p in run.predictions("trainable-1", "test") if not p.correct]
    surest = sorted((p.answer.probability for p in wrong), reverse=True)[:3]
    assert [e.probability for e in found] == pytest.approx(surest, abs=1e-6)
    assert all(e.gold is not None and e.gold != e.answer for e in found)
    texts = {q.subject: q.text for q in run.dataset.questions}
    assert [texts[e.place or ""] for e in found] == [e.text for e in found]
    assert len(explain_errors(run, open_explainer(run), 10**6)) == len(wrong)


def test_sampled_errors_are_drawn_by_the_seed_and_their_causes_tested(sentiment_run):
    run = open_run(sentiment_run)
    explainer = open_explainer(run)
    drawn = [[e.place for e in explain_errors(run, explainer, 5, seed)] for seed in (0, 0, 1)]
    assert drawn[0] == drawn[1] != drawn[2]
    wrong = {p.question.subject for p in run.predictions("trainable-1", "test") if not p.correct}
    assert set(drawn[0]) <= wrong
    (first, *_) = explain(run, errors=5, sampled=True, seed=1)
    assert first.place == drawn[2][0]
    assert [cause.before for cause in first.causes] == pytest.approx([first.probability] * 6)
    assert sum("at random" in line or "none in the" in line for line in first.in_words()) == 6
    assert explain(run, ["Superb."])[0].causes == ()


REVIEW = "The acting was superb, the plot was not dull; xyzzy!"


def test_errors_instead_of_texts_are_those_of_the_study(sentiment_run):
    found = explain(open_run(sentiment_run), errors=5)
    study = json.loads((sentiment_run / "study.json").read_text())
    assert json.loads(json.dumps(to_json(found))) == study["errors"]
    seed = open_run(sentiment_run).recipe.seed
    sampled = explain(sentiment_run, errors=5, sampled=True, seed=seed)
    assert json.loads(json.dumps(to_json(sampled))) == study["sampled_errors"]


def test_texts_or_errors_but_not_both(sentiment_run):
    for options, message in (
        ({}, "expected texts or a number of errors, found neither"),
        ({"texts": [REVIEW], "errors": 2}, "expected texts or a number of errors, found both"),
        ({"errors": 0}, "expected the number of errors to be at least 1, found 0"),
        ({"texts": [REVIEW], "sampled": True}, "a number of errors to sample, found texts"),
        ({"errors": 1, "sampled": True, "seed": -1}, "seed"),
    ):
        with pytest.raises(UsageError, match=message):
            explain(sentiment_run, **options)


def test_another_kind_of_run_and_an_unfinished_one_are_refused(tiny_run, sentiment_run, tmp_path):
    with pytest.raises(BadData, match=r"expected a run of an averaging network, found 'people'"):
        explain(tiny_run, [REVIEW])
    copy = Path(shutil.copytree(sentiment_run, tmp_path / "copy"))
    RunFolder(copy).write_status({"state": "unfinished"})
    with pytest.raises(MissingInput, match="this run is not finished"):
        explain(copy, [REVIEW])
