"""Records that are written by hand, as texts: every wording states what is asked."""

import pytest

from wherefrom.data.fetching.biographies import FAMOUS, PLAYERS, ball_player, famous_person

PLAYER = {
    "nameFirst": "Ann", "nameLast": "Poe", "birthYear": "1900", "birthMonth": "4",
    "birthDay": "6", "birthCountry": "USA", "birthState": "CO", "birthCity": "Denver",
    "throws": "L", "debut": "1920-05-01",
}  # fmt: skip
FAMED = {
    "name": "Al One", "birthcity": "Rome", "countryName": "ITALY", "birthyear": "1850",
    "gender": "Male", "occupation": "ACTOR",
}  # fmt: skip


def players(count=400, **changes):
    rows = [PLAYER | {"nameLast": f"P{i}"} | changes for i in range(count)]
    return [ball_player(row) for row in rows]


def test_every_wording_is_used_and_states_what_is_asked():
    assert min(len(PLAYERS), len(FAMOUS)) >= 6
    famous = [famous_person(FAMED | {"name": f"Al {i}x"}) for i in range(400)]
    for found, wordings in ((players(), PLAYERS), (famous, FAMOUS)):
        shapes = {each.text.replace(each.name, "X") for each in found}
        assert len(shapes) == len(wordings)
        for each in found:
            assert len(each.questions) == 3
            assert each.text.count(each.name) == 1
            assert "{" not in each.text
            for question, answer in each.questions.items():
                assert each.name in question
                assert answer in each.text


@pytest.mark.parametrize(("change", "asked"), [({"throws": ""}, 2), ({"debut": ""}, 2)])
def test_what_the_text_does_not_state_is_not_asked(change, asked):
    for each in players(30, **change):
        assert len(each.questions) == asked
        assert "left" not in each.text


def test_dates_and_places_without_all_their_parts():
    for each in players(30, birthMonth="", birthCountry="Cuba", birthState="", birthCity="Havana"):
        assert "in 1900" in each.text.replace("In 1900", "in 1900")
        assert "Havana, Cuba" in each.text
    assert ball_player(PLAYER | {"birthCity": ""}) is None
    assert famous_person(FAMED | {"birthyear": "530s"}) is None
    assert famous_person(FAMED | {"birthcity": "Other"}) is None
    old = famous_person(FAMED | {"birthyear": "-384", "countryName": "BOSNIA AND HERZEGOVINA"})
    assert "384 BC" in old.text
    assert "Rome, Bosnia and Herzegovina" in old.text
