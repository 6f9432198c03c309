"""The measurement of a million people: what it does, and what it says. Nothing is timed here."""

import million


def test_every_part_does_what_it_says(tmp_path, monkeypatch):
    monkeypatch.setenv("WHEREFROM_CACHE", str(tmp_path / "cache"))
    million.write_own_text(500, tmp_path)
    found = {part: work(500, tmp_path) for part, work in million.PARTS.items()}
    data = million.recipe_of(500).data
    assert data.told + 2 * data.untold == 500
    assert found["generate"]["documents"] == 8 * data.told - 4 * (2 * data.omitted + data.masked)
    assert found["read"]["stated"] == found["generate"]["facts"]
    assert found["read"]["asked"] == data.asked
    assert found["tokenise"]["tokens"] == found["read"]["characters"]
    assert found["index"]["bytes"] > found["read"]["characters"]
    assert found["train"] == {"began": 1}
    assert found["own text"] == {"facts": 500, "questions": 500}
