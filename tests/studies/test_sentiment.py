"""The study of the averaging network: effects and causes by hand, and the page of a small run."""

import re
from types import SimpleNamespace
from xml.etree import ElementTree

import numpy as np
import pytest

from studies import sentiment
from wherefrom import open_run
from wherefrom.core.bags import NO_WORD, BagVocabulary

SCORES = {
    "good": 3.0, "bad": -4.0, "film": 0.0, "not": -1.0, "great": 6.0, "!": 9.0, "boring": -5.0,
}  # fmt: skip
VOCABULARY = BagVocabulary((NO_WORD, *SCORES))
VALUES = np.array([0.0, *SCORES.values()])


def logits(bags):
    """A network whose logit is the mean of the words' own scores."""
    return np.array([VALUES[bag].mean() if len(bag) else 0.0 for bag in bags])


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def tried(text, positive):
    found = sentiment.try_causes(text, positive, VOCABULARY, logits)
    return {each.cause: each for each in found}


def explain(text):
    return sentiment.explain(text, "test:1", "negative", VOCABULARY, logits)


def test_leaving_a_word_out_does_what_it_does_by_hand():
    found = explain("Not a BAD film; good, good!")  # -1 -4 +0 +3 +3 +9, "a" is unknown
    assert found.logit == pytest.approx(10 / 6)
    without = {"good": 4 / 4, "bad": 14 / 5, "film": 10 / 5, "not": 11 / 5, "!": 1 / 5}
    assert dict(found.effects) == pytest.approx({w: 10 / 6 - x for w, x in without.items()})
    sizes = [abs(effect) for _, effect in found.effects]
    assert sizes == sorted(sizes, reverse=True)
    assert found.moved < 1e-12
    # Without "!" +1/5; without "good" too, -5/3.
    assert found.flip == 2
    assert explain("good film").flip == 0
    assert explain("xyzzy").effects == []  # nothing is known of it, and nothing breaks


def test_a_network_that_looks_at_the_order_is_found_out():
    found = sentiment.explain(
        "not good bad film", "", "", VOCABULARY, lambda bags: np.array([VALUES[b[0]] for b in bags])
    )
    assert found.moved > 0.5


def test_negations_are_left_out_alone_or_with_what_they_negate():
    found = tried("Not bad, a good film. Not boring; good.", True)  # -1-4+3+0-1-5+3
    assert set(found) == {"negation", "negated words"}, "the text has no other causes"
    negation = found["negation"]
    assert negation.before == pytest.approx(sigmoid(-5 / 7))
    assert negation.after == pytest.approx(sigmoid(-3 / 5))
    assert negation.changed == ["not"]
    # "not bad a good" and "not boring good" go: a film is left.
    assert found["negated words"].after == 0.5


def test_a_cause_explains_what_no_random_change_does():
    cause = tried("good " * 30 + "not " * 50, False)["negation"]  # without the negations +3
    assert (cause.flips, cause.explains) == (True, True)
    assert cause.after == pytest.approx(sigmoid(-3))
    assert cause.after < cause.control[0] <= cause.control[1]
    assert str(cause).endswith("explains it")
    # Without the negations two words are left; some other two flip it as far.
    cause = tried("great bad not not not", False)["negation"]
    assert cause.after == pytest.approx(sigmoid(-1))
    assert cause.control[0] < cause.after < cause.control[1]
    assert (cause.flips, cause.explains) == (True, False)


def test_length_irony_and_unseen_words():
    long = tried("good " * 60 + "bad " * 60, False)
    assert long["length, first 50"].after == pytest.approx(sigmoid(-3))
    assert long["length, last 50"].after == pytest.approx(sigmoid(4))
    irony = tried('A "great" film! Boring.', True)["irony"]
    assert set(irony.changed) == {"!", "great"}
    assert irony.after == pytest.approx(sigmoid(-5 / 2))
    unseen = tried("greatest film xyzzyx", True)["unseen words"]
    assert (unseen.changed, unseen.after) == (["greatest"], pytest.approx(sigmoid(3)))


def test_errors_are_counted():
    explained = sentiment.Tried("negation", [], before=0.9, after=0.1, control=(0.2, 0.8))
    not_moved = sentiment.Tried("negation", [], before=0.9, after=0.8, control=(0.7, 0.9))
    by_chance = sentiment.Tried("irony", ["!"], before=0.9, after=0.4, control=(0.3, 0.9))
    errors = [
        SimpleNamespace(causes=[explained, by_chance], flip=1),
        SimpleNamespace(causes=[not_moved], flip=0),
        SimpleNamespace(causes=[], flip=3),
    ]
    _, _, negation, _, irony, *_, last = sentiment.count_causes(errors)
    assert negation == "| negation | 2 | 1 | 1 |"
    assert irony == "| irony | 1 | 1 | 0 |"
    assert last == "1 of 3 errors are explained by something; 1 flip when one word is left out."


@pytest.fixture(scope="module")
def page(sentiment_run, tmp_path_factory):
    out = tmp_path_factory.mktemp("study")
    sentiment.main([str(sentiment_run), "--errors", "3", "--out", str(out)])
    return out


def test_the_page_has_the_settings_with_their_scores(sentiment_run, page):
    run = open_run(sentiment_run)
    found = sentiment.compare_settings(run)
    settings = {field: [setting for setting, _ in rows] for field, rows in found.items()}
    assert settings["word_dropout"] == [0.0, 0.1, 0.3, 0.5, 0.7]
    assert settings["depth"] == [0, 1, 2, 3]
    assert sorted(settings["activation"]) == ["gelu", "relu", "sigmoid", "tanh"]
    assert len(settings["epoch"]) == 3
    assert found["depth"][2][1] == run.results["validation.depth-2"]
    assert found["depth"][1][1] == run.results["validation.trainable-1"]
    text = (page / "study.md").read_text()
    accuracy = run.results["validation.depth-2"]["accuracy"]
    assert f"\n| 2 | {100 * accuracy:.1f} % | [" in text
    mean = np.mean([run.results[f"trainable-{i}"]["accuracy"] for i in (1, 2, 3)])
    assert f"The mean of the 3 seeds is {100 * mean:.1f} %" in text
    root = ElementTree.parse(page / "study.svg").getroot()
    words = {e.text for e in root.iter() if e.tag.endswith(("text", "tspan"))}
    assert {"word dropout", "depth", "activation", "epoch", "tanh"} <= words


def test_the_page_explains_errors_alone(sentiment_run, page):
    run = open_run(sentiment_run)
    wrong = {p.question.subject: p for p in run.predictions("trainable-1", "test") if not p.correct}
    surest = sentiment.explain_errors(run, 3)
    sure = sorted((p.answer.probability for p in wrong.values()), reverse=True)[:3]
    assert [sigmoid(abs(e.logit)) for e in surest] == pytest.approx(sure, abs=1e-6)
    drawn = [[e.place for e in sentiment.explain_errors(run, 5, seed)] for seed in (0, 0, 1)]
    assert drawn[0] == drawn[1] != drawn[2]
    assert set(drawn[0]) <= wrong.keys()
    text = (page / "study.md").read_text()
    assert len(re.findall(r"%\), but it is (?:positive|negative); logit ", text)) == 6
    assert all(f"    {place}: " in text for place in drawn[0][:3])


def test_what_is_refused(tiny_run, sentiment_run, tmp_path, capsys):
    for arguments, message in (
        ([tiny_run], "expected a run of 'sentiment', found one of 'people'"),
        ([sentiment_run, "--errors", "-1"], "--errors: expected 0 or more, found -1"),
        ([tmp_path / "nothing"], "nothing"),
    ):
        with pytest.raises(SystemExit) as ended:
            sentiment.main([*map(str, arguments), "--out", str(tmp_path / "out")])
        assert ended.value.code
        said = capsys.readouterr().err
        assert len(said.splitlines()) == 1
        assert message in said
