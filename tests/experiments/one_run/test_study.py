"""Tables of a study made up by hand; test_sentiment_recipe.py has whole ones."""

from wherefrom.experiments.one_run.study import Series, score_setting

SCORE = {"accuracy": 0.875, "interval": [0.8, 0.95], "n": 80, "correct": 70}


def test_a_row_for_each_setting_and_a_star_for_the_primary_models():
    other = score_setting(SCORE | {"accuracy": 0.9}, 0.3, own=True, stage="trainable-1")
    rows = [score_setting(SCORE, 0.1), other]
    assert Series("dropout", "word dropout", rows).to_markdown() == [
        "| word dropout | validation accuracy | 95 % interval |",
        "| --- | --- | --- |",
        "| 0.1 | 87.5 % | [80.0, 95.0] |",
        "| 0.3 * | 90.0 % | [80.0, 95.0] |",
    ]
    assert other == {
        "setting": 0.3, "own": True, "accuracy": 0.9, "interval": [0.8, 0.95], "n": 80,
        "stage": "trainable-1", "step": None,
    }  # fmt: skip
