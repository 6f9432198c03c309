"""The averaging network in the page against the package's classifier."""

from pathlib import Path

import pytest

from tests.support.engine import embed
from wherefrom.core.bags import split_words
from wherefrom.models.dan import Classifier
from wherefrom.runs.opened_run import open_run

TEXTS = [
    "I didn't like this film's end!<br />It was _awful_, really; 10/10 for Joe’s café?",
    "",
    "n't nan't 's",
    "ÉTÉ straße they'll you've I'm he'd she'sx rock'n'roll",
]


def test_words_of_reviews(run_js) -> None:
    found = run_js({"reviews.js": "splitReview"}, "return given.map(splitReview);", TEXTS)
    assert found == [split_words(text) for text in TEXTS]


def test_reviews_are_judged_as_by_the_classifier(run_js, sentiment_run: Path) -> None:
    run = open_run(sentiment_run)
    engine = embed(run)
    assert [m["name"] for m in engine["data"]["models"]] == [run.recipe.primary]
    classifier: Classifier = run.predictor()
    texts = [q.text for q in run.dataset.questions[:6]]
    code = """
    const engine = new Engine(given.data, given.weights);
    return given.texts.map((text) => {
      try { return engine.call('review', { text }); } catch (error) { return error.message; }
    });
    """
    asked = [*texts, "", "qqq www", "qqq"]
    given = {**engine, "texts": asked}
    *found, empty, foreign, one = run_js({"engine.js": "Engine"}, code, given)
    for here, there in zip(found, classifier.answer(texts), strict=True):
        assert here["label"] == there.text
        assert here["probability"] == pytest.approx(there.probability, abs=1e-5)
    assert empty == "review: expected words, found an empty text; give some"
    missing = "review: expected a word that the training reviews have, found only "
    assert foreign == f"{missing}'qqq', 'www'; the model has never seen them"
    assert one == f"{missing}'qqq'; the model has never seen it"
    # A word's effect is what its odds lose without it: by the classifier itself.
    vocabulary = run.vocabulary
    known = [w["word"] for w in found[0]["words"] if w["known"]]
    once = next(w for w in known if known.count(w) == 1)
    bags = [vocabulary.number(known), vocabulary.number([w for w in known if w != once])]
    odds = classifier.logits(bags)
    fall = float((odds[0, 1] - odds[0, 0]) - (odds[1, 1] - odds[1, 0]))
    effect = next(w["effect"] for w in found[0]["words"] if w["word"] == once)
    assert effect == pytest.approx(fall, abs=1e-5)
