"""No command reads or writes a run folder around its manifest.

Commands are watched while they work on a run: every file that they open in its folder must go
through the few functions that compare it, or that write under a new name.
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import json, sys, os
from pathlib import Path
import wherefrom, wherefrom.api
from tests.support.audited import make_light
from wherefrom.cli.main import main
from pytest import MonkeyPatch

make_light(MonkeyPatch())  # sizes that decide what an audit costs, not which files it opens

source = str(Path(wherefrom.__file__).parent) + os.sep
run = os.path.realpath(sys.argv[1])
seen, active = {}, True

def watch(event, arguments):
    if not active or event not in ("open", "sqlite3.connect"):
        return
    path = arguments[0]
    if isinstance(path, bytes):
        path = os.fsdecode(path)
    if not isinstance(path, str):
        return
    path = path.removeprefix("file://").partition("?")[0]
    if not os.path.realpath(path).startswith(run + os.sep):
        return
    frame = sys._getframe()
    while frame is not None and not frame.f_code.co_filename.startswith(source):
        frame = frame.f_back
    who = "another" if frame is None else (
        frame.f_code.co_filename.removeprefix(source) + ":" + frame.f_code.co_name)
    seen.setdefault(who, set()).add(os.path.relpath(path, run))

sys.addaudithook(watch)
codes = [main(command) for command in json.loads(sys.argv[2])]
if len(sys.argv) > 3:  # around the manifest, on purpose
    from wherefrom.core.files import read_json
    read_json(Path(run) / "status.json")
active = False
print("SEEN", json.dumps({"codes": codes, "seen": {k: sorted(v) for k, v in seen.items()}}))
"""
# Who may open a file of a run folder, and why.
OPENERS = {
    "core/inside.py:_open": "what is read is then compared; locks, and rows that are added",
    "core/files.py:write_beside": "new files under temporary names",
    "runs/store.py:write": "new files in the folder of their change",
    "core/files.py:sync": "to sync what was written",
    "core/files.py:file_hash": "to list what was written",
    "core/files.py:read_arrays": "weights that were compared",
    "reading/index.py:build": "an index that is being built",
    "reading/index.py:open": "an index that was compared",
    "core/artifact.py:sweep": "to remove what a killed process left",
    "core/artifact.py:remove_tree": "to remove what is not needed any more",
    "runs/store.py:clean_up": "to remove what a killed process left",
    "core/artifact.py:_files": "the names of files in a folder",
    "core/artifact.py:verify_folder": "the names of files in a folder",
}


def watched(run: Path, commands: list[list[str]], *rest: str) -> dict[str, list[str]]:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, run, json.dumps(commands), *rest],
        capture_output=True, text=True, check=True, cwd=Path(__file__).parents[1],
    )  # fmt: skip
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("SEEN ")]
    found = json.loads(line.removeprefix("SEEN "))
    assert set(found["codes"]) <= {0}, done.stderr
    return found["seen"]


@pytest.mark.parametrize(
    "lines",
    [["evaluate RUN", "audit RUN"],
     ["ask RUN ?", "report RUN", "ask RUN ? --claim Oslo", "examples RUN --number 1",
      "compare RUN OTHER", "verify RUN"]],
    ids=["that write", "that read"],
)  # fmt: skip
def test_commands_open_the_files_of_a_run_through_its_manifest(tiny_run, tmp_path, lines):
    run = Path(shutil.copytree(tiny_run, tmp_path / "run"))
    name = json.loads((run / "splits.json").read_text())["held-out"]["stated"][0]
    words = {"RUN": str(run), "OTHER": str(tiny_run), "?": f"Where was {name} born?"}
    commands = [[words.get(word, word) for word in line.split()] for line in lines]
    seen = watched(run, commands)
    # What any process may make again lies in folders that are compared as a whole.
    assert all(name.startswith("evidence/") for name in seen.pop("core/files.py:read_json", ()))
    assert {who: files for who, files in seen.items() if who not in OPENERS} == {}
    read = set(seen["core/inside.py:_open"])
    always = {"run.json", "status.json", "vocab.json", "manifest.json", "audit/confidence.json"}
    assert always <= read


def test_a_file_that_is_opened_around_the_manifest_is_seen(tiny_run):
    around = watched(tiny_run, [["verify", str(tiny_run)]], "around")
    assert around["core/files.py:read_json"] == ["status.json"]
