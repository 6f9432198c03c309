"""Tables and figures of a study made up by hand; tests/recipes/test_sentiment.py has whole ones."""

from wherefrom.core.config import to_json
from wherefrom.experiments.study import ScoredSetting, Series

SCORE = {"accuracy": 0.875, "interval": [0.8, 0.95], "n": 80, "correct": 70}


def test_a_row_for_each_setting_and_a_star_for_the_primary_models():
    rows = (
        ScoredSetting.of(SCORE, 0.1),
        ScoredSetting.of(SCORE | {"accuracy": 0.9}, 0.3, own=True, stage="trainable-1"),
    )
    assert Series("dropout", "word dropout", rows).to_markdown() == [
        "| word dropout | validation accuracy | 95 % interval |",
        "| --- | --- | --- |",
        "| 0.1 | 87.5 % | [80.0, 95.0] |",
        "| 0.3 * | 90.0 % | [80.0, 95.0] |",
    ]


def test_a_row_is_written_with_where_it_comes_from():
    assert to_json(ScoredSetting.of(SCORE, 2.1, step=40)) == {
        "setting": 2.1, "own": False, "accuracy": 0.875, "interval": [0.8, 0.95], "n": 80,
        "stage": None, "step": 40,
    }  # fmt: skip


def test_names_of_settings_stand_under_the_figure():
    rows = tuple(ScoredSetting.of(SCORE, name) for name in ("relu", "tanh"))
    drawn = Series("activation", "activation", rows).draw().decode()
    assert ">relu<" in drawn
    assert ">tanh<" in drawn
