"""The source predictor: its features by hand, its fit on people whose m is known."""

import json
from dataclasses import replace

import numpy as np
import pytest

from wherefrom.answering.closed_book import ClosedBookModel, open_closed_book
from wherefrom.answering.features import FEATURES
from wherefrom.answering.source import (
    FILE,
    SOURCE_FEATURES,
    USUAL,
    SourcePredictor,
    find_usual,
    read_source_predictor,
    source_features,
)
from wherefrom.core.answer_table import FeatureTable
from wherefrom.core.config import to_json
from wherefrom.core.errors import Damaged
from wherefrom.core.replies import Verdict
from wherefrom.generation.answerer import answer_probabilities
from wherefrom.memorisation.predictor import fit_source_predictor, write_source_predictor
from wherefrom.runs.folder import RunFolder
from wherefrom.runs.opened_run import open_run

TEXTS = tuple(f"Where was {name} born?" for name in ("Clara Whitfield", "Bo Falk"))


@pytest.fixture(scope="module")
def model(tiny_run) -> ClosedBookModel:
    return open_closed_book(open_run(tiny_run))


def sure(*log_probability: float) -> FeatureTable:
    """Answers that differ in the model's own probability only."""
    columns = {name: np.zeros(len(log_probability)) for name in SOURCE_FEATURES}
    return FeatureTable(columns | {"log_probability": np.array(log_probability)})


def people(n: int, seed: int) -> FeatureTable:
    values = np.random.default_rng(seed).normal(size=(n, len(SOURCE_FEATURES)))
    return FeatureTable.from_matrix(values, SOURCE_FEATURES)


def fitted(models: int = 4) -> SourcePredictor:
    features = people(200, 0)
    m = np.where(features["log_probability"] > 0, 0.9, 0.1)
    m[features["log_probability"] > 1] = np.nan  # it was not measured: left out
    return fit_source_predictor(features, m, models)


def test_it_learns_what_recall_looks_like_and_each_relation_what_it_looks_like_there():
    """In one relation a sure answer means recall, in the other the opposite."""
    recalled, guessed = fitted().predict(sure(2.0, -2.0), ["any"] * 2)
    assert (recalled.label, guessed.label) == ("recalled", "guessed")
    assert recalled.probability_recalled > 0.9 > 0.1 > guessed.probability_recalled
    features = people(400, 3)
    relations = ["one", "other"] * 200
    high = features["log_probability"] > 0
    m = np.where(high == (np.arange(400) % 2 == 0), 0.9, 0.1)
    found = fit_source_predictor(features, m, 2, relations)
    assert list(found.relations) == ["one", "other"]
    here, there, neither = found.predict(sure(2.0, 2.0, 2.0), ["one", "other", "third"])
    assert (here.label, there.label) == ("recalled", "guessed")
    assert 0.3 < neither.probability_recalled < 0.7  # the curve of all: nothing to go by
    assert fit_source_predictor(features, m, 2, ["one"] * 400).relations == {}


def test_usual_and_supported_against_their_definitions(model: ClosedBookModel):
    """Nothing is usual for a name without decoys."""
    decoys = [("Ada Lund", "Cy Roth", "Di Holm"), ()]
    answered = model.answer([model.parse(text) for text in TEXTS])
    verdicts = [Verdict("supported", "Oslo", 0, None, 0.9), None]
    found = source_features(model, answered, decoys, verdicts)
    assert tuple(found.columns) == (*FEATURES, USUAL, "supported")
    assert (found.matrix(FEATURES) == answered.features.matrix(FEATURES)).all()
    assert found["supported"].tolist() == [1, 0]
    asked = [f"Where was {name} born?" for name in decoys[0]]
    said = [answered.answers[0].text] * 3
    middle = sorted(answer_probabilities(model.answerer, asked, said))[1]
    assert found[USUAL].tolist() == pytest.approx([odds(max(middle, 0.001)), odds(0.001)], abs=1e-4)


def odds(p: float) -> float:
    return np.log(p / (1 - p))


def test_either_part_of_a_name_may_give_the_answer_away():
    """Strangers called Whitfield get it, others called Clara do not; by medians, not by means."""
    names = ("Clara Lund", "Ada Whitfield", "Clara Roth", "Bo Whitfield", "Cy Whitfield")
    likely = np.array([0.1, 0.8, 0.3, 0.9, 0.0])
    assert find_usual("Clara Whitfield", names, likely) == pytest.approx(odds(0.8))
    assert find_usual("Clara Whitfield", names, 1 - likely) == pytest.approx(odds(0.8))
    assert find_usual("Clara", (), np.zeros(0)) == pytest.approx(odds(0.001))


def test_a_predictor_is_written_and_read_again(tmp_path):
    assert read_source_predictor(RunFolder(tmp_path)) is None, "no model was retrained"
    several = replace(fitted(6), relations={"one": fitted(2).curve})
    write_source_predictor(RunFolder(tmp_path), several)
    assert read_source_predictor(RunFolder(tmp_path)) == several


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("[]", "source: Expected `object`"),
        ('{"models": 1}', "source: Object missing required field `curve`"),
        (json.dumps(to_json(fitted())).replace(USUAL, "entropy"), "expected the features"),
    ],
)
def test_a_damaged_predictor_is_named(tmp_path, text: str, named: str):
    RunFolder(tmp_path).write_text(FILE, text)
    with pytest.raises(Damaged, match=named) as error:
        read_source_predictor(RunFolder(tmp_path))
    assert FILE in str(error.value)
    assert str(error.value).endswith("audit the run again")
