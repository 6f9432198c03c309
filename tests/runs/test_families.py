"""What a family of models cannot do is refused by the stage's name."""

from dataclasses import replace

import pytest

from wherefrom.core.errors import UsageError
from wherefrom.experiments.recipes.recipe_catalogue import get_recipe
from wherefrom.runs.families import FAMILIES, Place
from wherefrom.training.optimisers import MuonConfig

PLACE = Place(0, 0, None)


def test_a_model_in_numpy_has_no_muon():
    (stage,) = get_recipe("bigram-tiny").stages
    stage = replace(stage, optimiser=MuonConfig())
    with pytest.raises(UsageError, match=r"stages\.train\.optimiser: .* in numpy, found 'muon'"):
        FAMILIES["bigram"].learner(None, None, stage, PLACE)


@pytest.mark.parametrize("changed", [{"buckets": 2}, {"mix": 2}])
def test_bags_have_one_objective_and_no_buckets(changed):
    stage = get_recipe("sentiment").stages[0]
    if "mix" in changed:
        changed = {"mix": stage.mix * 2}
    with pytest.raises(UsageError, match="expected one objective and one bucket for bags"):
        FAMILIES["dan"].learner(None, None, replace(stage, **changed), PLACE)
