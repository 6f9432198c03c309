import json

from wherefrom.runs.folder import RunFolder


def test_the_same_scores_and_predictions_come_out_again(cli, own_run):
    status = (own_run / "status.json").read_bytes()
    files = sorted((own_run / "predictions").iterdir())
    before = [file.read_bytes() for file in files]
    files[0].write_text("spoilt")
    result = cli("evaluate", own_run, "--json")
    assert (result.code, result.err) == (0, "")
    stored = json.loads(status)
    found = {"recipe": "people", "run": str(own_run), "reused": True, "changed": [], "advice": ""}
    assert result.json == found | {name: stored[name] for name in ("seconds", "results")}
    assert [file.read_bytes() for file in files] == before
    assert (own_run / "status.json").read_bytes() == status


def test_other_scores_than_the_stored_ones_are_noted(cli, own_run):
    status = json.loads((own_run / "status.json").read_text())
    status["results"]["majority"]["accuracy"] = 0.5
    RunFolder(own_run).write_status(status)
    result = cli("evaluate", own_run)
    assert result.err == (
        f"{own_run}: these scores differ from the stored ones and replace them: majority\n"
    )
    assert "with_pretraining" in result.out
    assert cli("evaluate", own_run).err == ""
