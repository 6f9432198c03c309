"""A recipe checks itself: what it names must be there, and shares must be shares."""

import pytest
from msgspec.structs import replace

from wherefrom.core.errors import UsageError
from wherefrom.core.recipe import ModelEntry, Recipe, Schedule, Share, Stage, Task

SHARE = Share("text", objective=None)
FIRST = Stage("first", (SHARE,), None, Schedule(), steps=10, batch=4)
SECOND = replace(FIRST, name="second", start_from="first")
OTHER = replace(FIRST, name="other")
RECIPE = Recipe(
    name="small",
    summary="a small one",
    data=None,
    model=None,
    stages=(FIRST, OTHER, SECOND),
    models=(ModelEntry("late", "second"), ModelEntry("early", "other")),
    primary="late",
    tasks=(Task("birthplace"),),
)


@pytest.mark.parametrize(
    ("value", "changed", "message"),
    [
        (RECIPE, {"stages": (SECOND, FIRST)}, "Stage.start_from: expected a stage before it"),
        (RECIPE, {"models": (ModelEntry("late", "third"),)}, "ModelEntry.stage"),
        (RECIPE, {"stages": (replace(FIRST, probe="dev"), OTHER, SECOND)}, "Stage.probe"),
        (RECIPE, {"device": "tpu"}, "Recipe.device"),
        (RECIPE, {"precision": 0.0}, "Recipe.precision"),
        (FIRST, {"mix": (replace(SHARE, share=0.0),)}, "Stage.mix: expected at least one"),
        (FIRST, {"mix": (replace(SHARE, start=0.5),)}, "Stage.mix: expected that the first"),
        (FIRST, {"buckets": 5}, "Stage.buckets: expected 1 to the batch"),
        (FIRST, {"order": "backwards"}, "Stage.order"),
        (FIRST, {"arithmetic": "fp8"}, "Stage.arithmetic"),
        (SHARE, {"start": 1.0}, "Share.start"),
        (Task("t"), {"split": "dev"}, "Task.split"),
        (Task("t"), {"support": ("told",)}, "Task.support"),
        (Task("t"), {"overlap": 1.0}, "Task.overlap"),
    ],
)
def test_what_cannot_be_is_refused_by_its_field(value, changed, message):
    with pytest.raises(UsageError, match=message):
        replace(value, **changed)
