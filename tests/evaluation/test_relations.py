"""Questions by relation: every place once, and nothing where there is one relation."""

from wherefrom.evaluation.relations import divide, group


def test_every_relation_has_its_places_in_alphabetical_order():
    found = group(["where", "when", "where", "hand"])
    assert {name: places.tolist() for name, places in found.items()} == {
        "hand": [3], "when": [1], "where": [0, 2],
    }  # fmt: skip
    assert list(found) == ["hand", "when", "where"]
    assert divide(["where", "when"]).keys() == {"when", "where"}


def test_one_relation_is_not_divided():
    assert divide([]) == {}
    assert divide(["where", "where"]) == {}
