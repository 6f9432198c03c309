"""The source predictor: its features by hand, its fit on people whose m is known."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from wherefrom.answering.closed_book import FEATURES, ClosedBookModel, open_closed_book
from wherefrom.answering.feature_table import FeatureTable
from wherefrom.core.config import from_json, to_json
from wherefrom.core.errors import BadData, Damaged
from wherefrom.generation.answers import answer_probabilities
from wherefrom.memorisation.predictor import (
    COLUMNS,
    FILE,
    SOURCE_FEATURES,
    USUAL,
    SourcePredictor,
    borrowed_predictor,
    fit_source_predictor,
    read_source_predictor,
    source_features,
    write_source_predictor,
)
from wherefrom.runs.folder import RunFolder
from wherefrom.runs.run import open_run

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
    return fit_source_predictor(
        features, np.where(features["statement_likelihood"] > 0, 0.9, 0.1), models
    )


def test_what_separates_recall_from_guesses_is_learnt():
    first, second = fitted().predict(zeros(2.0, -2.0))
    assert (first.label, second.label) == ("recalled", "guessed")
    assert first.probability_recalled > 0.9
    assert second.probability_recalled < 0.1


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


def recall(features: FeatureTable, m: np.ndarray, asked: FeatureTable) -> list[float]:
    """What a predictor that is fitted on some people says of others."""
    return [s.probability_recalled for s in fit_source_predictor(features, m, 2).predict(asked)]


def test_columns_are_taken_by_their_names():
    features = people(40, 2)
    m = np.where(features["statement_likelihood"] > 0, 1.0, 0.0)
    turned = FeatureTable(dict(reversed(features.columns.items())) | {"more": m})
    assert recall(turned, m, turned) == pytest.approx(recall(features, m, features))


def test_people_whose_m_is_no_number_are_left_out():
    features = people(40, 1)
    m = np.where(features["log_probability"] > 0, 1.0, 0.0)
    rows = np.vstack((features.matrix(SOURCE_FEATURES), np.full((1, len(SOURCE_FEATURES)), 50.0)))
    found = recall(table(rows), np.append(m, np.nan), features)
    assert found == pytest.approx(recall(features, m, features))


def test_contrast_and_agreement_against_their_definitions(model: ClosedBookModel):
    decoys = [("Ada Lund", "Cy Roth", "Di Holm"), ("Ada Falk",)]
    answered = model.answer([model.parse(text) for text in TEXTS])
    found = source_features(model, answered, decoys)
    assert tuple(found.columns) == COLUMNS
    assert len(found) == 2
    assert (found.matrix(FEATURES) == answered.features.matrix(FEATURES)).all()
    for i, (answer, names) in enumerate(zip(answered.answers, decoys, strict=True)):
        asked = [f"Where was {name} born?" for name in names]
        usual = answer_probabilities(model.answerer, asked, [answer.text] * len(names)).mean()
        expected = np.log(answer.probability / usual)
        assert found["contrast"][i] == pytest.approx(expected, abs=1e-4)
        assert found[USUAL][i] == pytest.approx(usual, abs=1e-6)
        total = answer.probability + sum(o.probability for o in answer.others)
        assert found["agreement"][i] == pytest.approx(answer.probability / total)


def test_without_decoys_there_is_no_contrast(model: ClosedBookModel):
    answered = model.answer([model.parse(text) for text in TEXTS])
    first, second = source_features(model, answered, [(), ("Ada Lund",)])["contrast"]
    assert first == 0
    assert second != 0
    alone = source_features(model, answered, [(), ()])
    assert (alone["contrast"] == 0).all()
    assert (alone[USUAL] == 0).all()


def put(folder: Path, text: str) -> None:
    (folder / FILE).parent.mkdir(exist_ok=True)
    (folder / FILE).write_text(text)


def test_a_predictor_is_written_and_read_again(tmp_path):
    write_source_predictor(RunFolder(tmp_path), fitted(6))
    found = read_source_predictor(RunFolder(tmp_path))
    assert found == fitted(6)
    several = replace(fitted(6), relations={"one": fitted(2).curve})
    write_source_predictor(RunFolder(tmp_path), several)
    assert read_source_predictor(RunFolder(tmp_path)) == several
    assert not found.borrowed
    assert found.models == 6


def test_a_run_without_its_own_borrows_one(tmp_path):
    found = read_source_predictor(RunFolder(tmp_path))
    assert found == borrowed_predictor()
    assert found.borrowed
    assert {*found.curve.features} <= {*COLUMNS}
    assert found.models > 0  # it was fitted, not written down
    assert found.predict(zeros(0.0))[0].borrowed


def test_whether_it_is_borrowed_depends_on_where_it_lies(tmp_path):
    put(tmp_path, json.dumps(to_json(borrowed_predictor())))
    found = read_source_predictor(RunFolder(tmp_path))
    assert found == replace(borrowed_predictor(), borrowed=False)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("[]", "expected the curve of a source predictor"),
        (
            '{"curve": {}, "models": 1, "relations": {}}',
            r"source\.curve: expected the field 'features'",
        ),
        ('{"curve": 3, "models": 1, "relations": {}}', r"source\.curve: expected a table"),
        ('{"models": 1}', "source: expected the field 'curve'"),
        ("{", "JSON"),
    ],
)
def test_a_damaged_predictor_is_named(tmp_path, text: str, named: str):
    put(tmp_path, text)
    with pytest.raises(Damaged, match=named) as error:
        read_source_predictor(RunFolder(tmp_path))
    assert FILE in str(error.value)


@pytest.mark.parametrize(
    ("change", "named"), [({"models": "x"}, r"source\.models"), ({"more": 1}, r"source\.more")]
)
def test_a_predictor_with_another_field_is_damaged(tmp_path, change, named):
    put(tmp_path, json.dumps(to_json(fitted()) | change))
    with pytest.raises(Damaged, match=named):
        read_source_predictor(RunFolder(tmp_path))


def test_other_features_are_refused(tmp_path):
    data = to_json(fitted())
    data["curve"]["features"][0] = "entropy"
    with pytest.raises(BadData, match="expected the features"):
        from_json(SourcePredictor, json.loads(json.dumps(data)), "source")
    put(tmp_path, json.dumps(data))
    with pytest.raises(Damaged, match=r"expected the features .*; audit the run again"):
        read_source_predictor(RunFolder(tmp_path))
