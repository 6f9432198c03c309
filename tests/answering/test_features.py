"""Features of answers: familiarity with a name, against probabilities worked out by hand."""

import math

import numpy as np
import pytest
import torch
from torch import nn

from wherefrom.answering.features import (
    ENDING,
    FAMILIARITY,
    FIRST_WORD,
    LEAST_EXPECTED,
    MEASURES,
    REST,
    FamiliarityReference,
    find_openings,
    measure_familiarity,
)
from wherefrom.core.answer_table import FeatureTable
from wherefrom.core.contracts import Document, Span
from wherefrom.core.vocabulary import Vocabulary
from wherefrom.models.gpt import GPT, GPTConfig

VOCABULARY = Vocabulary.from_text(["The home of Clara Ito. By Bo"])
INSIDE = (REST, LEAST_EXPECTED, FIRST_WORD)


def document(opening: str, name: str = "Clara Ito") -> Document:
    return Document(f"{opening}{name} left.", Span(len(opening), len(opening) + len(name)))


@pytest.fixture(scope="module")
def model() -> GPT:
    torch.manual_seed(0)
    size = {"block_size": 32, "n_layer": 1, "n_head": 2, "n_embd": 16}
    return GPT(GPTConfig(vocab_size=len(VOCABULARY), init_std=0.5, **size))


@torch.no_grad()
def log_p(model: nn.Module, before: str, after: str) -> list[float]:
    """log P of each character of `after`, each read with everything before it, one at a time."""
    found = []
    for i, character in enumerate(after):
        tokens = torch.tensor([VOCABULARY.encode(before + after[:i])])
        logits = model.eval()(tokens)[0, -1].double()
        found.append(float(logits.log_softmax(-1)[VOCABULARY.encode(character)[0]]))
    return found


def test_it_is_what_the_model_expected_of_the_second_part(model):
    contexts = ["", "The home of ", "By "]
    names = [("Clara", "Ito"), ("Bo", "Clara"), ("Ito", "Bo")]
    found = measure_familiarity(model, VOCABULARY, [" ".join(name) for name in names], contexts)
    assert (len(found), tuple(found.columns)) == (3, MEASURES)
    for i, (first, last) in enumerate(names):
        row = found.row(i)
        each = [log_p(model, f"{context}{first} ", last) for context in contexts]
        assert row[REST] == pytest.approx(np.mean([sum(e) for e in each]), abs=1e-4)
        assert row[LEAST_EXPECTED] == pytest.approx(np.mean([min(e) for e in each]), abs=1e-4)
        words = [log_p(model, f"{context}{first[0]}", f"{first[1:]} ") for context in contexts]
        assert row[FIRST_WORD] == pytest.approx(np.mean([min(word) for word in words]), abs=1e-4)


def test_of_three_words_all_after_the_first_count_of_one_all_after_its_first_letter(model):
    three, one = measure_familiarity(model, VOCABULARY, ["Bo Ito Clara", "Clara"], ["By "])[REST]
    assert three == pytest.approx(sum(log_p(model, "By Bo ", "Ito Clara")), abs=1e-4)
    assert one == pytest.approx(sum(log_p(model, "By C", "lara")), abs=1e-4)
    # Of one letter there is nothing to expect: only a context, where there is one, says anything.
    found = measure_familiarity(model, VOCABULARY, ["C"], ["", "By "]).matrix(INSIDE)
    expected = log_p(model, "By ", "C")[0] / 2
    assert found[0] == pytest.approx([expected, expected, 0.0], abs=1e-4)


def test_openings_are_what_stands_before_subjects_the_commonest_first():
    counts = {"": 5, "By ": 2, "The home of ": 3, "A ": 2, "Once ": 1}
    documents = [document(opening) for opening, count in counts.items() for _ in range(count)]
    documents.append(Document("nobody is named here"))
    assert find_openings(documents) == ["", "The home of ", "A ", "By "]
    assert find_openings([Document("nobody")]) == []


# --- where a name ends -----------------------------------------------------------------------


def test_the_chance_of_an_end_against_every_character_that_may_follow(model):
    contexts = ["", "By "]
    found = measure_familiarity(model, VOCABULARY, ["Clara", "Bo Ito"], contexts)[ENDING]
    assert len(measure_familiarity(model, VOCABULARY, [], contexts)) == 0
    for chance, name in zip(found, ["Clara", "Bo Ito"], strict=True):
        each = []
        for context in contexts:
            ends = 0.0
            for one in VOCABULARY.characters:
                first = math.exp(log_p(model, context + name, one)[0])
                if one.isalpha() or one == "-":
                    continue
                if one != " ":
                    ends += first
                    continue
                then = [math.exp(log_p(model, f"{context}{name} ", c)[0])
                        for c in VOCABULARY.characters if not c.isupper()]  # fmt: skip
                ends += first * sum(then)
            each.append(math.log(ends))
        assert chance == pytest.approx(np.mean(each), abs=1e-4)


# --- in spreads of known names -----------------------------------------------------------------


def measured(*rows: tuple[float, float, float, float]) -> FeatureTable:
    return FeatureTable.from_matrix(np.array(rows), (REST, LEAST_EXPECTED, FIRST_WORD, ENDING))


def test_a_reference_is_the_mean_and_spread_of_known_names():
    found = FamiliarityReference.of(measured((-4, -2, -1, 0.0), (-8, -4, -1, -9.0)))
    assert found.mean == {REST: -6, LEAST_EXPECTED: -3, FIRST_WORD: -1, ENDING: -4.5}
    spread = {REST: 2, LEAST_EXPECTED: 1, FIRST_WORD: 0, ENDING: 4.5}
    assert found.spread == pytest.approx(spread, abs=1e-9)
    assert found.spread[FIRST_WORD] > 0, "something is divided by it"


def test_where_all_known_names_surely_end_a_fifth_of_their_chance_is_as_far_as_it_gets():
    known = measured((0, 0, 0, -0.01), (1, 1, 1, -0.01))
    reference = FamiliarityReference.of(known)
    assert reference.spread[ENDING] == pytest.approx(math.log(5) / 6)
    usual, fifth = (0.5, 0.5, 0.5, -0.01), (0.5, 0.5, 0.5, -0.01 - math.log(5) - 1e-9)
    found = reference.standardise(measured(usual, fifth)).matrix(FAMILIARITY)
    np.testing.assert_allclose(found, [[0, 0], [-6, -6]], atol=1e-9)


EVEN = FamiliarityReference(dict.fromkeys(MEASURES, 0.0), dict.fromkeys(MEASURES, 1.0))


def test_a_name_with_one_strange_part_is_strange_all_over():
    """Each part counts, though the features are of two."""
    strange = np.where(np.eye(4), -9.0, 1.0)
    table = measured((0.5, 0.25, -1, -2), (9, 1, 0, 0), *strange)
    found = EVEN.standardise(table)
    assert tuple(found.columns) == FAMILIARITY == ("familiarity", "least_familiar")
    assert found["familiarity"].tolist() == [0.5, 6, -6, -6, -6, -6]
    assert found["least_familiar"].tolist() == [0.25, 1, -6, -6, -6, -6]
