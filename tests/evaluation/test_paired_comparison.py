"""Comparisons whose tables are known by hand."""

import math
from dataclasses import replace

import pytest

from tests.support.made_up import tell_answers
from wherefrom.core.answer_table import AnswerTable
from wherefrom.core.errors import Mismatch
from wherefrom.evaluation.intervals import paired_difference
from wherefrom.evaluation.paired_comparison import bits_per_character, compare, compare_relations


def person(name: str, correct: bool, gold: str = "Paris") -> tuple[str, str, str]:
    return name, gold, gold if correct else "elsewhere"


def people(right: str) -> AnswerTable:
    return tell_answers(*(person(f"Person {i}", mark == "1") for i, mark in enumerate(right)))


def test_counts_and_difference_by_hand():
    found = compare(people("1111100"), people("1110010"))
    assert (found.both, found.only_a, found.only_b, found.neither) == (3, 2, 1, 1)
    assert (found.n, found.accuracy_a, found.accuracy_b) == (7, 5 / 7, 4 / 7)
    assert found.difference == pytest.approx(1 / 7)
    marks_a, marks_b = [1, 1, 1, 1, 1, 0, 0], [1, 1, 1, 0, 0, 1, 0]
    assert found.interval == paired_difference(marks_a, marks_b)[1]


def test_other_questions_are_counted_and_one_is_named():
    a = people("110")
    b = tell_answers(person("Person 0", True), person("Person 1", True), person("Somebody", True))
    with pytest.raises(Mismatch, match=r"found 2 .*Where was Person 2 born"):
        compare(a, b)


def test_a_name_that_two_people_share_is_two_questions():
    a = [person("Ada", True), person("Ada", False, "London"), person("Ada", False)]
    b = [person("Ada", True, "London"), person("Ada", True), person("Ada", False)]
    found = compare(tell_answers(*a), tell_answers(*b))
    assert (found.n, found.both, found.only_b, found.neither) == (3, 1, 1, 1)
    with pytest.raises(Mismatch, match="found 1"):
        compare(tell_answers(*a), tell_answers(*b[:2]))


def test_nothing_in_common_is_not_a_tie():
    with pytest.raises(Mismatch, match="none in either"):
        compare(tell_answers(), tell_answers())


def test_bits_per_character_of_characters_and_of_words():
    def result(**more: float) -> dict[str, object]:
        return {"perplexity": 8.0, "interval": [4.0, 16.0], "n": 9, "bits_per_target": 3.0} | more

    unsaid = 13 * math.log(2)  # bits, in nats
    words = result(bigrams=9, original_characters=20, unsaid_nats=unsaid)
    found = bits_per_character({"gru": result(characters=10), "words": words, "old": result()})
    assert found == {
        "gru, bits": {"bits_per_character": 3.0, "interval": [2.0, 4.0], "n": 9},
        "words, bits": {
            "bits_per_character": pytest.approx((9 * 3 + 13) / 20),
            "interval": pytest.approx([(9 * 2 + 13) / 20, (9 * 4 + 13) / 20]),
            "n": 20,
        },
    }


def test_each_relation_is_compared_by_itself():
    """By hand: of the places a has one right more, of the years b has."""
    relations = ["where"] * 3 + ["when"] * 2

    def said(right: str) -> AnswerTable:
        table = people(right)
        each = zip(table.known, relations, strict=True)
        return replace(table, known=tuple(replace(q, relation=relation) for q, relation in each))

    found = compare_relations(said("11010"), said("10011"))
    assert {name: (c.n, c.only_a, c.only_b) for name, c in found.items()} == {
        "when": (2, 0, 1), "where": (3, 1, 0),
    }  # fmt: skip
    assert compare_relations(people("11010"), people("10011")) == {}
    assert compare_relations(said("11010"), people("10011")) == {}, "one does not say it"
