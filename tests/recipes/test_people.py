"""What the recipe `people` promises."""

from wherefrom.recipes.people import people

PEOPLE = people()


def test_people_is_what_it_promises():
    (task,) = PEOPLE.tasks
    assert (task.split, task.support, task.measure) == ("held-out", ("stated",), "accuracy")
    assert task.predictors == (
        "majority",
        "nearest_name",
        "without_pretraining",
        "with_pretraining",
    )
    assert PEOPLE.abstain
    assert min(PEOPLE.data.calibration, PEOPLE.data.held_out) >= 80
    assert PEOPLE.data.cities >= 30
    assert PEOPLE.data.untold > 0
    assert PEOPLE.data.omitted > 0
    without = PEOPLE.stage(next(m.stage for m in PEOPLE.models if m.name == "without_pretraining"))
    assert without.start_from is None
    assert [share.objective.kind for share in without.mix] == ["answers"]
