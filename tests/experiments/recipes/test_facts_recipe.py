"""The recipe for a user's own text, as a plan changes it."""

import pytest

from wherefrom.experiments.recipes.facts_recipe import (
    NAMED,
    facts,
    put_reading,
    share_out,
    without_notes,
)


@pytest.mark.parametrize(("wordings", "names"), [(1, 0.0), (2, NAMED), (3, NAMED)])
def test_names_are_taught_where_notes_have_several_wordings(wordings, names):
    recipe = facts()
    planned = put_reading(recipe, share_out(recipe.stages[0], 0.5, wordings))
    spans, notes, questions = planned.stages[0].mix
    assert (spans.share, notes.share, questions.share) == pytest.approx((0.4, 0.5, 0.1))
    assert (notes.objective.wordings, notes.objective.names) == (wordings, names)
    assert questions.objective.names == names
    assert planned.names_taught is (names > 0)
    assert not without_notes(planned).names_taught
