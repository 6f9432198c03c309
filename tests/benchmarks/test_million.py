"""The measurement of a million people: what it does, and what it says. Nothing is timed here."""

import million


def row(part: str, size: int, cpu: float, wall: float, gigabytes: float) -> dict:
    return {"part": part, "size": size, "cpu": cpu, "wall": wall, "peak": gigabytes * 1e9}


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


def test_bars_that_are_missed_are_named():
    rows = [row("train", 10**6, 50, 59, 1.9), row("own text", 10**6, 50, 61, 0.9)]
    assert million.judge(rows) == ["own text of 1,000,000: 61 s, bar 60"]
    rows = [row("train", 10**6, 50, 61, 2.1), row("index", 10**6, 500, 900, 0.9)]
    assert million.judge(rows) == [
        "train of 1,000,000: 2.10 GB, bar 2",
        "train of 1,000,000: 61 s, bar 60",
    ]


def test_the_page_gets_the_table_and_the_figure(tmp_path, monkeypatch):
    for name in ("pictures", "results"):
        (tmp_path / name).mkdir()
    page = tmp_path / "SCALING.md"
    marks = [f"<!-- {what} benchmarks/million.py -->" for what in ("made by", "end of")]
    page.write_text(f"before\n{marks[0]}\nold\n{marks[1]}\nbehind\n")
    monkeypatch.setattr(million, "DOCS", tmp_path)
    monkeypatch.setattr(million, "PAGE", page)
    monkeypatch.setattr(million, "RESULTS", tmp_path / "results" / "million.json")
    sizes = [row(part, n, n / 1e4, n / 5e3, 0.5) for n in (10**4, 10**5) for part in million.PARTS]
    million.write_docs({"rows": sizes, "cores": 2, "disturbed": []})
    text = page.read_text()
    assert text.startswith("before\n")
    assert text.endswith("behind\n")
    assert "old" not in text
    assert "| index | 1.0 s, 0.50 | 10.0 s, 0.50 |" in text
    assert "2 cores, one thread each, otherwise idle." in text
    assert "Bars that were missed: none." in text
    assert b"<svg" in (tmp_path / "pictures" / "million.svg").read_bytes()
