"""The four cells of stated and derivable answers, counted by hand."""

import cells
import pytest

from wherefrom.data.people import load
from wherefrom.data.people_world import PeopleConfig


def test_families_are_those_whose_bearers_share_a_place():
    config = PeopleConfig(families=0.4)
    families = cells.find_families(config, 0)
    places: dict[str, set[str]] = {}
    for question in load(config, 0).questions:
        places.setdefault(question.subject.split()[1], set()).add(question.answer or "")
    assert 0.2 < len(families & set(places)) / len(places) < 0.6
    assert all(len(places[name]) == 1 for name in families & set(places))
    assert any(len(own) > 1 for name, own in places.items() if name not in families)


def test_what_the_predictor_adds_is_counted_among_right_and_supported_answers():
    """Of two right answers that others' text tells, one was recalled; the predictor knows which."""
    row = {"right": True, "evidence": "supported", "stated": True, "derivable": True}
    rows = [
        row | {"m": 0.9, "source": "recalled", "recalled": 0.8, "features": {"usual": 0.1}},
        row | {"m": 0.1, "source": "guessed", "recalled": 0.3, "features": {"usual": 0.2}},
        row | {"m": 0.0, "source": "guessed", "recalled": None, "features": {"usual": 0.9},
               "right": False, "evidence": "no text", "stated": False},
    ]  # fmt: skip
    found = cells.measure(rows)
    assert found["cells"][True, True] == {"answers": 2, "right": 2, "right and recalled": 1}
    hard = found["hard"]
    assert (hard["n"], hard["predictor"], hard["evidence"], hard["usual answer"]) == (
        2,
        1,
        0.5,
        0.5,
    )
    assert hard["predictor minus evidence"][0] == pytest.approx(0.5)
    assert hard["auroc of predictor"][0] == 1
    assert found["easy"]["evidence"] == 1
