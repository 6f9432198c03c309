import json
import shutil

from wherefrom.runs.folder import RunFolder


def test_a_table_and_one_json_object(cli, tiny_run, tmp_path):
    """A copy in which three more questions are answered rightly is better by three in eight."""
    better = shutil.copytree(tiny_run, tmp_path / "better")
    file = better / "predictions" / "with_pretraining.birthplace.jsonl"
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    for row in [row for row in rows if not row["correct"]][:3]:
        row |= {"answer": row["gold"], "correct": True}
    RunFolder(better).write_jsonl("predictions/with_pretraining.birthplace.jsonl", rows)
    found = cli("compare", tiny_run, better, "--json").json
    assert list(found) == ["runs", "paired", "notes", "seeds"]
    assert [run["run"] for run in found["runs"]] == [str(tiny_run), str(better)]
    assert found["paired"][0]["n"] == 8
    text = cli("compare", tiny_run, better).out
    assert "+37.5 points" in text
    assert "3 : 0" in text
    assert "parameters trained" in text
    assert "seconds of training" in text


def test_a_run_can_be_compared_with_itself(cli, tiny_run):
    header = cli("compare", tiny_run, tiny_run).out.splitlines()[0]
    assert f"{tiny_run} (1)" in header
    assert f"{tiny_run} (2)" in header
