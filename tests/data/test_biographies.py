"""Generated biographies: their information is known to the bit, and nothing gives it away."""

import math
from collections import Counter

import pytest

from wherefrom.core.errors import UsageError
from wherefrom.data import biographies
from wherefrom.data.biographies import (
    CONSONANTS,
    NAME,
    NAMES,
    RELATIONS,
    VALUES,
    VOWELS,
    BiographiesConfig,
    find_stored_spans,
    load,
    spell_name,
)


def test_the_information_by_hand():
    """A syllable is one of 16 x 4; a value has two, a name four but for its first letter."""
    value, name = biographies.VALUE_BITS, biographies.NAME_BITS
    assert (value, name) == pytest.approx((2 * (4 + 2), 4 * (4 + 2) - 4))
    assert (VALUES, NAMES) == (4096, 4096**2)
    assert spell_name(0) == "Baba Baba"
    assert spell_name(NAMES - 1) == "Zozo Zozo"


def test_a_biography_by_hand():
    document, facts = biographies.write_biography(
        "Kemi Lopa", ["Fola", "Data", "Zogo", "Papa"], 0, 7
    )
    assert document.text == "Kemi Lopa: born Fola, home Data, firm Zogo, wed Papa."
    assert document.subject is not None
    assert document.subject.of(document.text) == "Kemi Lopa"
    assert [(f.relation, f.value, f.document) for f in facts] == [
        ("birthplace", "Fola", 7), ("home", "Data", 7), ("employer", "Zogo", 7),
        ("spouse", "Papa", 7),
    ]  # fmt: skip
    document, _ = biographies.write_biography("Kemi Lopa", ["Fola", "Data", "Zogo", "Papa"], 1, 0)
    assert document.text == "Kemi Lopa: paid by Zogo, from Fola, spouse Papa, in Data now."


@pytest.mark.parametrize("wordings", [1, 5])
def test_every_fact_stands_where_it_is_said_to_stand(wordings):
    dataset = load(BiographiesConfig(people=30, wordings=wordings, asked=10), 3)
    assert len(dataset.documents) == 30 * wordings
    assert len(dataset.facts) == 30 * wordings * 4
    for fact in dataset.facts:
        assert fact.value_span.of(dataset.documents[fact.document].text) == fact.value
    told = {(f.subject, f.relation): f.value for f in dataset.facts}
    for question in dataset.questions:
        assert told[question.subject, question.relation] == question.answer
    assert Counter(q.split for q in dataset.questions) == {"asked": 40, "held-out": 80}


def test_names_are_distinct_and_draws_repeat():
    config = BiographiesConfig(people=1000)
    one, again, other = load(config, 0), load(config, 0), load(config, 1)
    names = [d.subject.of(d.text) for d in one.documents if d.subject]
    assert len(set(names)) == 1000
    assert one == again
    assert one.documents != other.documents
    # The first people are the same whether there are more or not.
    assert load(BiographiesConfig(people=100), 0).documents == one.documents[:100]


def test_letters_are_drawn_evenly():
    """Chi-squared over consonants and vowels: else a model would save bits without any storing."""
    values = [f.value.lower() for f in load(BiographiesConfig(people=3000), 0).facts]
    for letters, places in ((CONSONANTS, (0, 2)), (VOWELS, (1, 3))):
        for place in places:
            counts = Counter(value[place] for value in values)
            expected = len(values) / len(letters)
            chi = sum((counts[letter] - expected) ** 2 / expected for letter in letters)
            freedom = len(letters) - 1
            assert chi < freedom + 5 * math.sqrt(2 * freedom)


def test_spans_carry_all_information():
    dataset = load(BiographiesConfig(people=64, wordings=5), 0)
    spans = list(find_stored_spans(dataset))
    assert len(spans) == 64 * 5 * 5
    assert {s.part for s in spans} == {NAME, *RELATIONS}
    for span in spans:
        text = span.span.of(dataset.documents[span.document].text)
        if span.part == NAME:
            assert text == span.item[1:]
            # 64 people are 6 bits, of which the first letter, which is not scored, says 4.
            assert (span.bits, span.unforeseen) == (20.0, 2.0)
        else:
            assert len(text) == 4
            assert (span.bits, span.unforeseen) == (12.0, 0.0)


def test_of_few_people_the_first_letter_says_all():
    few = load(BiographiesConfig(people=8), 0)
    assert {span.unforeseen for span in find_stored_spans(few)} == {0.0}


@pytest.mark.parametrize(
    ("settings", "wrong"),
    [
        ({"people": 1}, "people"),
        ({"wordings": 6}, "wordings"),
        ({"people": 10, "asked": 11}, "asked"),
        ({"asked": -1}, "asked"),
    ],
)
def test_what_is_refused(settings, wrong):
    with pytest.raises(UsageError, match=rf"^BiographiesConfig\.{wrong}: expected .* found"):
        BiographiesConfig(**settings)
