import shutil
import tomllib

from wherefrom.runs.folder import RunFolder


def test_recipes_and_runs_are_listed(cli, tiny_run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert "runs" not in cli("list").out.split()
    for name in ("people-0", "several/seed-0", "several/elsewhere", "torn"):
        shutil.copytree(tiny_run, tmp_path / "runs" / name)
    (tmp_path / "runs" / "torn" / "run.json").write_text("{")
    RunFolder(tmp_path / "runs" / "several" / "seed-0").write_status({"state": "unfinished"})
    rows = [line.split(maxsplit=1) for line in cli("list").out.splitlines()]
    assert ["people", "generated people: facts from text, asked closed-book"] in rows
    assert ["runs/people-0", "people  finished"] in rows
    assert ["runs/several/seed-0", "people  unfinished"] in rows
    found = cli("list", "--json").json
    assert {"people", "bigram-tiny"} <= {recipe["name"] for recipe in found["recipes"]}
    assert [list(run.values()) for run in found["runs"]] == [
        ["runs/people-0", "people", 0, "finished"],
        ["runs/several/seed-0", "people", 0, "unfinished"],
        ["runs/torn", "", None, "cannot be read"],
    ]


def test_a_recipe_is_listed_as_toml_and_as_json(cli):
    found = cli("list", "people", "--json").json
    assert found["stages"]["pretrain"]["steps"] == 2000
    assert tomllib.loads(cli("list", "people").out) == found
