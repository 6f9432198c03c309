"""The recipe for a user's own text, as a plan changes it."""

import pytest
from msgspec import structs

from wherefrom.experiments.recipes.facts_recipe import (
    NAMED,
    facts,
    share_out,
    without_notes,
)


@pytest.mark.parametrize(("wordings", "names"), [(1, 0.0), (2, NAMED), (3, NAMED)])
def test_names_are_taught_where_notes_have_several_wordings(wordings, names):
    recipe = facts()
    read = share_out(recipe.stages[0], 0.5, wordings)
    planned = structs.replace(recipe, stages=(read, *recipe.stages[1:]))
    spans, notes, questions = planned.stages[0].mix
    assert (spans.share, notes.share, questions.share) == pytest.approx((0.4, 0.5, 0.1))
    assert (notes.objective.wordings, notes.objective.names) == (wordings, names)
    assert questions.objective.names == names
    assert planned.names_taught is (names > 0)
    assert not without_notes(planned).names_taught
