"""Baselines on small worlds known by hand, and against scikit-learn's n-grams."""

import time

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.metrics.pairwise import cosine_similarity

from wherefrom.core.contracts import Question
from wherefrom.core.errors import BadData
from wherefrom.evaluation.baselines import Majority, NearestName


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
    assert (first.text, first.probability) == ("Rome", 0.5)
    assert [(o.text, o.probability) for o in first.others] == [("Oslo", 0.25), ("Paris", 0.25)]


def test_majority_breaks_ties_by_name_not_by_order():
    for order in (("b", "a"), ("a", "b")):
        asked = _asked({f"Person {place}": place for place in order})
        assert Majority(asked).answer(["?"])[0].text == "a"


@pytest.mark.parametrize("baseline", [Majority, NearestName])
def test_asked_questions_must_be_there_and_have_answers(baseline):
    with pytest.raises(BadData, match="found none"):
        baseline([])
    unanswered = Question("Where was Ada born?", "Ada", "birthplace", None, "asked")
    with pytest.raises(BadData, match="Ada"):
        baseline([unanswered])


def test_the_nearest_name_answers():
    texts = ["Where was Clara Whitmann born?", "Where was Otto Brown born?"]
    clara, otto = NearestName(_asked(PEOPLE)).answer(texts)
    assert clara.text == "Oslo"
    assert otto.text == "Rome"
    assert 0 < otto.probability < clara.probability < 1


def test_people_are_compared_by_name_whatever_was_asked_about_them():
    trades = _asked({"Ada Bell": "baker", "Emmy Cole": "pilot", "Otto Braun": "poet"}, "Who is {}?")
    nearest = NearestName([*_asked(PEOPLE), *trades])
    assert nearest.answer(["Who is Emmy Coll?"])[0].text == "pilot"
    assert nearest.answer(["Where was Edwin Marsch born?"])[0].text == "Rome"


def test_an_asked_person_is_their_own_nearest():
    for answer, place in zip(
        NearestName(_asked(PEOPLE)).answer([q.text for q in _asked(PEOPLE)]),
        PEOPLE.values(),
        strict=True,
    ):
        assert (answer.text, answer.probability) == (place, 1.0)


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


def _names(count: int, seed: int) -> list[str]:
    generator = np.random.default_rng(seed)
    syllables = [c + v for c in "bdgklmnprstvz" for v in "aeiou"]
    words = ["".join(generator.choice(syllables, 3)).title() for _ in range(count // 4)]
    return [" ".join(pair) for pair in generator.choice(words, (count, 2))]


def test_similarity_is_scikit_learns_n_gram_cosine():
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


def test_ten_thousand_people_are_searched_in_seconds():
    asked = _asked({name: name for name in _names(10_000, 2)})
    texts = [f"Where was {name} born?" for name in _names(1_000, 3)]
    start = time.perf_counter()
    NearestName(asked).answer(texts)
    assert time.perf_counter() - start < 10
