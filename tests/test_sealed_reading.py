"""Nothing reads or writes a run folder around its seal: neither code of today nor of tomorrow.

The source is searched for calls that open files by their paths, and commands are watched while they
work on a run: every file that they open in its folder must go through the few functions that
compare it, or that write under a temporary name.
"""

import ast
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import wherefrom

SOURCE = Path(wherefrom.__file__).parent

# The rooms that work on run folders. Those before them read the user's own files.
ROOMS = (
    "training", "runs", "evidence", "answering", "memorisation", "experiments", "auditing",
    "show", "cli",
)  # fmt: skip
OPENING = {
    "open", "read_text", "read_bytes", "write_text", "write_bytes", "read_json", "read_jsonl",
    "write_json", "write_jsonl", "append_jsonl", "write_parts", "file_hash", "connect", "fdopen",
}  # fmt: skip
# Methods of a run folder have the names of functions that open files.
THROUGH_THE_SEAL = {"folder", "self", "super()", "run.folder", "self.folder", "index", "Index"}
# What is not of a run folder, or carries its own checksum.
EXCEPTIONS = {
    "training/checkpoints.py": "checkpoints have manifests of their own",
    "evidence/index.py": "the index carries its own hash, and is built anew on doubt",
    "evidence/fitted.py": "evidence.json carries its own checksum, and is fitted anew on doubt",
    "memorisation/labelled_answers.py": "files of benchmarks; an audit writes through its folder",
    "memorisation/predictor.py": "the predictor that comes with the package",
    "experiments/perplexity.py": "the user's text",
    "experiments/sizing.py": "the table of measured runs that comes with the package",
    "show/page/report.py": "the report itself, which nothing reads back",
    "show/page/scripts.py": "scripts of the package",
    "show/page/engine_script.py": "scripts of the package",
    "show/terminal/answer_picture.py": "a picture that the user asked for",
    "experiments/company.py": "the package's own source, to compare it between processes",
    "experiments/reading_ahead.py": "the pipe to the process that asked",
    "cli/following.py": "the null device",
    "cli/streams.py": "the standard streams and the null device",
    "cli/reference.py": "docs/COMMANDS.md",
}


def opens(path: Path) -> list[str]:
    """The calls of a file that open something by its path, with their lines."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call):
            continue
        if isinstance(node.func, ast.Name) and node.func.id in OPENING:
            found.append(f"{node.lineno}: {node.func.id}")
        if isinstance(node.func, ast.Attribute) and node.func.attr in OPENING:
            owner = ast.unparse(node.func.value)
            if owner not in THROUGH_THE_SEAL and not owner.startswith(("RunFolder(", "cls")):
                found.append(f"{node.lineno}: {owner}.{node.func.attr}")
    return found


def test_files_of_a_run_are_opened_through_its_folder_alone():
    around = {
        path.relative_to(SOURCE).as_posix(): calls
        for room in ROOMS
        for path in sorted((SOURCE / room).rglob("*.py"))
        if (calls := opens(path))
    }
    assert around
    assert not {name: calls for name, calls in around.items() if name not in EXCEPTIONS}


def test_every_exception_is_still_one():
    assert [name for name in EXCEPTIONS if not opens(SOURCE / name)] == []


def test_the_search_finds_what_it_is_for(tmp_path):
    code = "read_json(p / 'a')\np.read_text()\nrun.folder.read_json('a')\nopen(p)\ngzip.open(p)\n"
    (tmp_path / "x.py").write_text(code)
    found = opens(tmp_path / "x.py")
    assert found == ["1: read_json", "2: p.read_text", "4: open", "5: gzip.open"]


# --- watched while it works ------------------------------------------------------------------

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
if len(sys.argv) > 3:  # around the seal, on purpose
    from wherefrom.core.files import read_json
    read_json(Path(run) / "status.json")
active = False
print("SEEN", json.dumps({"codes": codes, "seen": {k: sorted(v) for k, v in seen.items()}}))
"""
# Who may open a file of a run folder, and why.
OPENERS = {
    "core/inside.py:open_regular": "what is read is then compared",
    "core/inside.py:open_to_append": "locks, and rows that are added",
    "core/files.py:write_beside": "new files under temporary names",
    "core/files.py:sync": "to sync what was written",
    "core/files.py:file_hash": "to compare what a manifest lists",
    "core/arrays.py:_check_header": "weights, after their manifest held",
    "core/arrays.py:_load_file": "weights, after their manifest held",
    "core/marked_sqlite.py:mark_whole": "an index that was just built",
    "evidence/index.py:build": "an index that is being built",
    "evidence/index.py:open": "an index, after its own hash held",
    "core/artifact.py:sweep": "to remove what a killed process left",
    "core/sealed_folder.py:recover": "to remove what a killed process left",
    "core/artifact.py:_files": "the names of files in a folder",
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
     ["ask RUN ?", "report RUN", "dispute RUN ? Oslo", "examples RUN --number 1",
      "compare RUN OTHER", "verify RUN"]],
    ids=["that write", "that read"],
)  # fmt: skip
def test_commands_open_the_files_of_a_run_through_its_seal(tiny_run, tmp_path, lines):
    run = Path(shutil.copytree(tiny_run, tmp_path / "run"))
    name = json.loads((run / "splits.json").read_text())["held-out"]["stated"][0]
    words = {"RUN": str(run), "OTHER": str(tiny_run), "?": f"Where was {name} born?"}
    commands = [[words.get(word, word) for word in line.split()] for line in lines]
    seen = watched(run, commands)
    assert {who: files for who, files in seen.items() if who not in OPENERS} == {}
    read = set(seen["core/inside.py:open_regular"])
    assert {"run.json", "status.json", "vocab.json", "seal.json", "audit/confidence.json"} <= read


def test_a_file_that_is_opened_around_the_seal_is_seen(tiny_run):
    around = watched(tiny_run, [["verify", str(tiny_run)]], "around")
    assert around["core/files.py:read_json"] == ["status.json"]
