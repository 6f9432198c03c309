import shutil

from wherefrom.experiments.comparing.listing import RunEntry, list_runs
from wherefrom.runs.folder import RunFolder


def test_runs_and_those_of_several_seeds_are_listed_in_order(tiny_run, tmp_path):
    assert list_runs(tmp_path / "runs") == ()
    for name in ("people-0", "several/seed-0", "several/elsewhere", "torn"):
        shutil.copytree(tiny_run, tmp_path / "runs" / name)
    RunFolder(tmp_path / "runs" / "several" / "seed-0").write_status({"state": "unfinished"})
    (tmp_path / "runs" / "torn" / "run.json").write_text("{")
    assert list_runs(tmp_path / "runs") == (
        RunEntry(str(tmp_path / "runs/people-0"), "people", 0, "finished"),
        RunEntry(str(tmp_path / "runs/several/seed-0"), "people", 0, "unfinished"),
        RunEntry(str(tmp_path / "runs/torn"), "", None, "cannot be read"),
    )
