"""Baselines on small worlds known by hand, and against scikit-learn's n-grams."""

import numpy as np
import pytest

from wherefrom.core.contracts import Document, Question, Scorer
from wherefrom.core.errors import BadData
from wherefrom.core.words import WordVocabulary
from wherefrom.evaluation.baselines import CountBigram, Majority, NearestName, Unigram


def _asked(people: dict[str, str], form: str = "Where was {} born?") -> list[Question]:
    return [
        Question(form.format(name), name, "birthplace", place, "asked")
        for name, place in people.items()
    ]


PEOPLE = {
    "Clara Whitfield": "Paris",
    "Edwin Marsh": "Rome",
    "Clara Whitman": "Oslo",
    "Otto Braun": "Rome",
}


def test_majority_answers_the_most_frequent_with_its_share():
    first, second = Majority(_asked(PEOPLE)).answer(["Where was X born?", "anything"])
    assert first == second
    tied = _asked({"Person b": "b", "Person a": "a"})
    assert Majority(tied).answer(["?"])[0].text == "a", "by name, not by order"
    assert (first.text, first.probability) == ("Rome", 0.5)
    assert [(o.text, o.probability) for o in first.others] == [("Oslo", 0.25), ("Paris", 0.25)]


@pytest.mark.parametrize("baseline", [Majority, NearestName])
def test_asked_questions_must_be_there_and_have_answers(baseline):
    with pytest.raises(BadData, match="found none"):
        baseline([])
    unanswered = Question("Where was Ada born?", "Ada", "birthplace", None, "asked")
    with pytest.raises(BadData, match="Ada"):
        baseline([unanswered])


def test_equally_similar_names_go_to_the_first_asked():
    for first, second in (("Anna Bo", "Anna Cu"), ("Anna Cu", "Anna Bo")):
        asked = _asked({first: "first", second: "second"})
        assert NearestName(asked).answer(["Where was Anna Dy born?"])[0].text == "first"


def test_a_name_like_no_other_and_a_single_asked_person_still_get_an_answer():
    answer = NearestName(_asked(PEOPLE)).answer(["Where was 王 born?"])[0]
    assert (answer.text, answer.probability) == ("Paris", 0.0)
    alone = NearestName(_asked({"Ada Bell": "London"}))
    assert [a.text for a in alone.answer(["Where was Emmy born?", ""])] == ["London", "London"]
    assert alone.answer([]) == []


def _relations() -> list[Question]:
    """Four people, and for each a place and a hand; most hands are right ones."""
    hands = ["right", "right", "left", "right"]
    return [
        question
        for (name, place), hand in zip(PEOPLE.items(), hands, strict=True)
        for question in (
            Question(f"Where was {name} born?", name, "birthplace", place, "asked"),
            Question(f"Which hand did {name} use?", name, "hand", hand, "asked"),
        )
    ]


def test_majority_answers_each_relation_by_its_own_answers():
    """Over all questions "right" is the most frequent answer: nobody was born there."""
    asked = _relations()
    texts = ["Where was Ada Bell born?", "Which hand did Ada Bell use?", "Who is Ada Bell?"]
    place, hand, other = Majority(asked).answer(texts)
    assert (place.text, place.probability) == ("Rome", 0.5)
    assert (hand.text, hand.probability) == ("right", 0.75)
    assert other.text == "right", "a question of another form is answered from all"
    alone = Majority([q for q in asked if q.relation == "birthplace"])
    assert alone.answer(texts[:1]) == [place]


def test_the_nearest_name_answers_the_same_relation():
    """The asked person's first question is about another relation."""
    asked = _relations()
    texts = ["Which hand did Clara Whitmann use?", "Where was Clara Whitmann born?"]
    hand, place = NearestName(asked).answer(texts)
    assert (hand.text, place.text) == ("left", "Oslo")
    assert hand.probability == place.probability
    alone = NearestName([q for q in asked if q.relation == "birthplace"])
    assert alone.answer(texts[1:]) == [place]
    assert NearestName(asked).answer(["Who is Otto Braun?"])[0].text in ("Rome", "right")


def _names(count: int, seed: int) -> list[str]:
    generator = np.random.default_rng(seed)
    syllables = [c + v for c in "bdgklmnprstvz" for v in "aeiou"]
    words = ["".join(generator.choice(syllables, 3)).title() for _ in range(count // 4)]
    return [" ".join(pair) for pair in generator.choice(words, (count, 2))]


def test_similarity_is_scikit_learns_n_gram_cosine():
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.metrics.pairwise import cosine_similarity

    names, new = _names(300, 0), _names(60, 1)
    asked = _asked({name: f"place {i}" for i, name in enumerate(dict.fromkeys(names))})
    kept = [q.subject for q in asked]
    grams = CountVectorizer(analyzer="char", ngram_range=(2, 3), lowercase=True)
    grams.fit([f" {n} " for n in kept + new])
    wanted = cosine_similarity(
        grams.transform(f" {n} " for n in new), grams.transform(f" {n} " for n in kept)
    )
    answers = NearestName(asked).answer([f"Where was {n} born?" for n in new])
    for row, answer in zip(wanted, answers, strict=True):
        assert answer.probability == pytest.approx(row.max(), abs=1e-12)
        assert row[int(answer.text.removeprefix("place "))] == pytest.approx(row.max(), abs=1e-12)


TEXT = [Document("a b"), Document("a b"), Document("a c")]
LETTERS = WordVocabulary.from_text(d.text for d in TEXT)  # <s> 0, </s> 1, a 2, b 3, c 4


def test_unigram_shares_by_hand():
    scorer: Scorer = Unigram(TEXT, LETTERS)  # 9 targets and 5 imagined sightings
    found = np.exp(scorer.log_probabilities(np.array([[0, 2], [2, 3], [3, 1], [4, 0]])))
    np.testing.assert_allclose(found, np.array([4, 3, 4, 1]) / 14)


def test_interpolated_counts_by_hand():
    scorer = CountBigram(TEXT, LETTERS)
    scorer.discount, scorer.backing = 0.5, 2.0
    spread = np.array([1, 3, 2, 2, 2]) / 10  # different words before each, and one more
    found = np.exp(scorer.log_probabilities(np.array([[2, 3], [2, 4], [2, 1], [0, 2], [1, 2]])))
    wanted = [
        (2 - 0.5 + (2 * 0.5 + 2) * spread[3]) / (3 + 2),
        (1 - 0.5 + (2 * 0.5 + 2) * spread[4]) / (3 + 2),
        (2 * 0.5 + 2) * spread[1] / (3 + 2),
        (3 - 0.5 + (0.5 + 2) * spread[2]) / (3 + 2),
        spread[2],  # nothing ever follows an end
    ]
    np.testing.assert_allclose(found, wanted)


def test_the_weights_of_counts_are_those_that_predict_the_end_of_the_text():
    random = np.random.default_rng(0)
    fixed = [Document("a b c d e f g h")] * 40
    loose = [Document(" ".join(random.choice(list("abcdefgh"), 8))) for _ in range(40)]
    words = WordVocabulary.from_text(d.text for d in fixed)
    assert CountBigram(fixed, words).discount == CountBigram.discounts[0]
    assert CountBigram(fixed, words).backing == CountBigram.backings[0]
    assert CountBigram(loose, words).backing == CountBigram.backings[-1]


def test_a_text_too_short_to_count_is_refused():
    with pytest.raises(BadData, match="at least 2 bigrams"):
        CountBigram([], LETTERS)
