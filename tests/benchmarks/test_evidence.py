"""The evidence benchmark runs at a small size, and reports what it says it does."""

import json

import evidence


def test_it_runs(tmp_path, capsys):
    file = tmp_path / "figures.json"
    result = evidence.main(["--tiny", "--json", str(file)])
    assert json.loads(file.read_text()) == json.loads(json.dumps(result))
    assert result["index_ratio"] > 1
    assert all(one["p50"] <= one["p95"] for one in result["milliseconds"].values())
    assert "judging an answer" in capsys.readouterr().out
