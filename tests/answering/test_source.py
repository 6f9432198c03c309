"""The source predictor: its features by hand, its fit on people whose m is known."""

import json
from dataclasses import replace

import numpy as np
import pytest

from wherefrom.answering.closed_book import ClosedBookModel, open_closed_book
from wherefrom.answering.features import FEATURES
from wherefrom.answering.source import (
    COLUMNS,
    FILE,
    SOURCE_FEATURES,
    USUAL,
    SourcePredictor,
    borrowed_predictor,
    read_source_predictor,
    source_features,
)
from wherefrom.core.answer_table import FeatureTable
from wherefrom.core.config import to_json
from wherefrom.core.errors import Damaged
from wherefrom.generation.answerer import answer_probabilities
from wherefrom.memorisation.predictor import fit_source_predictor, write_source_predictor
from wherefrom.runs.folder import RunFolder
from wherefrom.runs.opened_run import open_run

TEXTS = tuple(f"Where was {name} born?" for name in ("Clara Whitfield", "Bo Falk"))


@pytest.fixture(scope="module")
def model(tiny_run) -> ClosedBookModel:
    return open_closed_book(open_run(tiny_run))


def table(rows: np.ndarray) -> FeatureTable:
    return FeatureTable.from_matrix(rows, SOURCE_FEATURES)


def zeros(*statement: float) -> FeatureTable:
    """Answers that differ in how likely they are in the text's wordings only."""
    columns = {name: np.zeros(len(statement)) for name in COLUMNS}
    return FeatureTable(columns | {"statement_likelihood": np.array(statement)})


def people(n: int, seed: int) -> FeatureTable:
    found = table(np.random.default_rng(seed).normal(size=(n, len(SOURCE_FEATURES))))
    return found.join(FeatureTable({USUAL: np.abs(found[USUAL]) % 0.5}))


def fitted(models: int = 4) -> SourcePredictor:
    features = people(200, 0)
    m = np.where(features["statement_likelihood"] > 0, 0.9, 0.1)
    m[features["statement_likelihood"] > 1] = np.nan  # it was not measured: left out
    return fit_source_predictor(features, m, models)


def test_nothing_is_recalled_about_a_name_that_was_not_read():
    sure = zeros(2.0, 2.0, 2.0)
    alone = fitted().predict(sure)[0].probability_recalled
    found = fitted().predict(sure, np.array([0.6, 0.49, 0.01]))
    expected = [alone, 0.49 * alone, alone / 100]
    assert [s.probability_recalled for s in found] == pytest.approx(expected)
    assert [s.label for s in found] == ["recalled", "guessed", "guessed"]


def test_what_everybody_gets_is_not_recalled():
    """The surest answer, if decoys get it in more than half of the cases: m cannot reach 1/2."""
    usual = np.array([0.0, 0.3, 0.5, 0.51, 0.9])
    table = FeatureTable({**zeros(*[4.0] * 5).columns, USUAL: usual})
    alone = fitted().predict(zeros(4.0))[0].probability_recalled
    assert alone > 0.9
    found = fitted().predict(table)
    expected = [alone, alone, alone, 0.49 * alone, 0.1 * alone]
    assert [s.probability_recalled for s in found] == pytest.approx(expected)
    assert [s.label for s in found] == ["recalled"] * 3 + ["guessed"] * 2


def test_each_relation_learns_what_recall_looks_like_there():
    """In one relation a likely statement means recall, in the other the opposite."""
    features = people(400, 3)
    relations = ["one", "other"] * 200
    high = features["statement_likelihood"] > 0
    m = np.where(high == (np.arange(400) % 2 == 0), 0.9, 0.1)
    found = fit_source_predictor(features, m, 2, relations)
    assert list(found.relations) == ["one", "other"]
    here, there, neither = found.predict(zeros(2.0, 2.0, 2.0), 1.0, ["one", "other", "third"])
    assert (here.label, there.label) == ("recalled", "guessed")
    assert 0.3 < neither.probability_recalled < 0.7  # the curve of all: nothing to go by
    assert fit_source_predictor(features, m, 2, ["one"] * 400).relations == {}


def test_contrast_and_agreement_against_their_definitions(model: ClosedBookModel):
    """A name without decoys has no contrast, and nothing is usual for it."""
    decoys = [("Ada Lund", "Cy Roth", "Di Holm"), ()]
    answered = model.answer([model.parse(text) for text in TEXTS])
    found = source_features(model, answered, decoys)
    assert tuple(found.columns) == COLUMNS
    assert len(found) == 2
    assert (found.matrix(FEATURES) == answered.features.matrix(FEATURES)).all()
    assert (found["contrast"][1], found[USUAL][1]) == (0, 0)
    for i, (answer, names) in enumerate(zip(answered.answers, decoys, strict=True)):
        total = answer.probability + sum(o.probability for o in answer.others)
        assert found["agreement"][i] == pytest.approx(answer.probability / total)
        if not names:
            continue
        asked = [f"Where was {name} born?" for name in names]
        usual = answer_probabilities(model.answerer, asked, [answer.text] * len(names)).mean()
        expected = np.log(answer.probability / usual)
        assert found["contrast"][i] == pytest.approx(expected, abs=1e-4)
        assert found[USUAL][i] == pytest.approx(usual, abs=1e-6)


def test_a_predictor_is_written_and_read_again(tmp_path):
    write_source_predictor(RunFolder(tmp_path), fitted(6))
    found = read_source_predictor(RunFolder(tmp_path))
    assert found == fitted(6)
    several = replace(fitted(6), relations={"one": fitted(2).curve})
    write_source_predictor(RunFolder(tmp_path), several)
    assert read_source_predictor(RunFolder(tmp_path)) == several
    assert not found.borrowed
    assert found.models == 6


def test_whether_it_is_borrowed_depends_on_where_it_lies(tmp_path):
    found = read_source_predictor(RunFolder(tmp_path))
    assert found == borrowed_predictor()
    assert found.predict(zeros(0.0))[0].borrowed
    assert found.models > 0  # it was fitted, not written down
    RunFolder(tmp_path).write_json(FILE, to_json(found))
    assert read_source_predictor(RunFolder(tmp_path)) == replace(found, borrowed=False)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("[]", "expected the curve of a source predictor"),
        ('{"models": 1}', "source: expected the field 'curve'"),
        (json.dumps(to_json(fitted()) | {"more": 1}), r"source\.more"),
        (json.dumps(to_json(fitted())).replace(USUAL, "entropy"), "expected the features"),
    ],
)
def test_a_damaged_predictor_is_named(tmp_path, text: str, named: str):
    RunFolder(tmp_path).write_text(FILE, text)
    with pytest.raises(Damaged, match=named) as error:
        read_source_predictor(RunFolder(tmp_path))
    assert FILE in str(error.value)
    assert str(error.value).endswith("audit the run again")
