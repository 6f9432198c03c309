"""`facts` is the recipe of `people` over a user's own files."""

from dataclasses import replace

from wherefrom.objectives.spans import NextCharacterConfig, SpanCorruptionConfig
from wherefrom.recipes.facts import facts
from wherefrom.recipes.people import people


def test_it_trains_as_people_does_but_reads_texts_of_any_length():
    found, usual = facts(), people()
    assert found.model == usual.model
    assert found.stages[1:] == usual.stages[1:]
    for ours, theirs in zip(found.stages[0].mix, usual.stages[0].mix, strict=True):
        objective = theirs.objective
        if isinstance(objective, SpanCorruptionConfig):
            objective = replace(objective, long_texts="window")
        elif isinstance(objective, NextCharacterConfig):
            objective = replace(objective, windows=0.5)
        assert ours == replace(theirs, objective=objective)


def test_it_asks_about_everybody_who_has_text():
    (task,) = facts().tasks
    assert (task.split, task.support) == ("held-out", ("stated", "omitted"))
