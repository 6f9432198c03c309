"""`facts`: reading on from where a run ended."""

from wherefrom.experiments.recipes.facts_recipe import facts, read_again


def test_reading_again_goes_on_from_the_last_stage():
    once = read_again(facts(), 50)
    twice = read_again(once, 70)
    assert [s.name for s in twice.stages] == [
        "pretrain",
        "without_notes",
        "questions_only",
        "pretrain_2",
        "pretrain_3",
    ]
    assert [s.name for s in twice.chain()] == ["pretrain", "pretrain_2", "pretrain_3"]
    assert [s.steps for s in twice.chain()][1:] == [50, 70]
    assert twice.chain("without_pretraining") == [facts().stage("questions_only")]
