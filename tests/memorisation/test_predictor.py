"""The source predictor: its features by hand, its fit on people whose m is known."""

import json

import numpy as np
import pytest

from wherefrom.answering.features import Asker, open_asker
from wherefrom.core.errors import BadData, Damaged
from wherefrom.generation.answers import answer_probabilities
from wherefrom.memorisation.predictor import (
    FILE,
    SOURCE_FEATURES,
    SourcePredictor,
    learn_source,
    read_source,
    source_features,
    write_source,
)
from wherefrom.runs.run import open_run

WIDTH = len(SOURCE_FEATURES)


@pytest.fixture(scope="module")
def asker(tiny_run) -> Asker:
    return open_asker(open_run(tiny_run))


def fitted(models: int = 4) -> SourcePredictor:
    rng = np.random.default_rng(0)
    features = rng.normal(size=(200, WIDTH))
    return learn_source(features, np.where(features[:, 4] > 0, 0.9, 0.1), models)


def test_what_separates_recall_from_guesses_is_learnt():
    predictor = fitted()
    recalled, guessed = np.zeros((1, WIDTH)), np.zeros((1, WIDTH))
    recalled[0, 4], guessed[0, 4] = 2.0, -2.0
    first, second = predictor.predict(np.vstack((recalled, guessed)))
    assert (first.label, second.label) == ("recalled", "guessed")
    assert first.probability > 0.9
    assert second.probability < 0.1


def test_nothing_is_recalled_about_a_name_that_was_not_read():
    sure = np.zeros((3, WIDTH))
    sure[:, 4] = 2.0
    alone = fitted().predict(sure)[0].probability
    found = fitted().predict(sure, np.array([1.0, 0.5, 0.01]))
    assert [s.probability for s in found] == pytest.approx([alone, alone / 2, alone / 100])
    assert [s.label for s in found] == ["recalled", "guessed", "guessed"]


def test_people_whose_m_is_no_number_are_left_out():
    features = np.random.default_rng(1).normal(size=(40, WIDTH))
    m = np.where(features[:, 0] > 0, 1.0, 0.0)
    spoilt = np.vstack((features, np.full((1, WIDTH), 50.0)))
    assert learn_source(spoilt, np.append(m, np.nan), 2) == learn_source(features, m, 2)


def test_contrast_and_agreement_against_their_definitions(asker: Asker):
    questions = [f"Where was {name} born?" for name in ("Clara Whitfield", "Bo Falk")]
    strangers = [("Ada Lund", "Cy Roth", "Di Holm"), ("Ada Falk",)]
    answers, features = asker.examine(questions)
    found = source_features(asker, questions, answers, features, strangers)
    assert found.shape == (2, WIDTH)
    assert (found[:, : features.shape[1]] == features).all()
    for row, answer, names in zip(found, answers, strangers, strict=True):
        asked = [f"Where was {name} born?" for name in names]
        usual = answer_probabilities(asker.answerer, asked, [answer.text] * len(names)).mean()
        assert row[-2] == pytest.approx(np.log(answer.probability / usual), abs=1e-4)
        total = answer.probability + sum(o.probability for o in answer.others)
        assert row[-1] == pytest.approx(answer.probability / total)


def test_without_strangers_there_is_no_contrast(asker: Asker):
    questions = [f"Where was {name} born?" for name in ("Clara Whitfield", "Bo Falk")]
    answers, features = asker.examine(questions)
    some = source_features(asker, questions, answers, features, [(), ("Ada Lund",)])
    assert some[0, -2] == 0
    assert some[1, -2] != 0
    assert (source_features(asker, questions, answers, features, [(), ()])[:, -2] == 0).all()


def test_a_predictor_is_written_and_read_again(tmp_path):
    write_source(tmp_path, fitted(6))
    found = read_source(tmp_path)
    assert found == fitted(6)
    assert not found.borrowed
    assert found.models == 6


def test_a_run_without_its_own_borrows_one(tmp_path):
    found = read_source(tmp_path)
    assert found.borrowed
    assert found.curve.features == SOURCE_FEATURES
    assert found.models > 0  # it was fitted, not written down


@pytest.mark.parametrize("text", ["[]", '{"curve": {}}', '{"curve": 3}'])
def test_a_damaged_predictor_is_named(tmp_path, text: str):
    (tmp_path / FILE).write_text(text)
    with pytest.raises(Damaged, match=FILE):
        read_source(tmp_path)


def test_features_of_another_version_are_refused():
    data = fitted().as_json()
    data["curve"]["features"] = list(reversed(data["curve"]["features"]))
    with pytest.raises(BadData, match="expected the features"):
        SourcePredictor.from_json(json.loads(json.dumps(data)))
