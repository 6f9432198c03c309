"""The benchmark of evidence on one's own text, on a text of sixty lines."""

import json

import own_text_evidence

FIRST = "Ada Bo Cy Di Ed Fay Gus Hal Ivo Jo".split()
LAST = "Lund Falk Roth Holm Moss Poe".split()
PLACES = "Oslo Rome Lima Bonn Nice".split()


def test_it_measures_reads_and_joins(tmp_path, capsys):
    names = [f"{first} {last}" for last in LAST for first in FIRST]
    places = [PLACES[i % 5] for i in range(60)]
    pairs = list(zip(names, places, strict=True))
    lines = [f"{n} was born in {p}. He threw left-handed." for n, p in pairs]
    (tmp_path / "text.txt").write_text("\n".join(lines) + "\n")
    rows = [f"Where was {n} born?\t{p}" for n, p in pairs]
    (tmp_path / "text.tsv").write_text("\n".join(rows) + "\n")
    file = tmp_path / "figures.json"
    joined = ["--joined", "3", "--read", "4", "--json", str(file)]
    result = own_text_evidence.main([str(tmp_path / "text"), *joined])
    assert json.loads(file.read_text()) == json.loads(json.dumps(result))
    assert [row["text"] for row in result["relations"]] == ["text", "text, 3 lines a paragraph"]
    assert [row["overall"]["accuracy"] for row in result["relations"]] == [1.0, 1.0]
    out = capsys.readouterr().out
    assert out.count("(by the probe: ") == 8
    assert "all labels" in out
