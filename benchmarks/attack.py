"""Attacks on run folders, counted: file operations that fail, flipped bits, files of another run.

    python benchmarks/attack.py [RUN] [--flips 500] [--seed 0] [--write]

RUN is a finished run with an audit, by default a small one that is made now; nothing in it is
changed. Every fault must leave a folder as it
was or as it was to be, and every flipped bit must be noticed by `verify`, and by the command that
reads the file, or be without effect. `--write` puts the counts into docs/RELIABILITY.md. The exit
code is 1 if an attack went unnoticed. `make attack` calls this with `--write`.
"""

import argparse
import json
import os
import random
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
from file_faults import each_fault
from pages import DOCS, fill
from program import launch

from wherefrom import api
from wherefrom.core.artifact import lock_folder
from wherefrom.core.contracts import State
from wherefrom.core.errors import Damaged
from wherefrom.core.manifests import MANIFEST
from wherefrom.core.row_log import RowLog
from wherefrom.runs.folder import RunFolder
from wherefrom.runs.store import RunFiles
from wherefrom.runs.verification import verify_run
from wherefrom.training.checkpoints import Checkpoints

PAGE = DOCS / "RELIABILITY.md"
SMALL = (
    "data.asked=12", "data.calibration=8", "data.held_out=8", "data.omitted=2", "data.untold=4",
    "data.masked=0", "model.n_embd=16", "model.n_head=2", "model.n_layer=1", "model.ngrams=2",
    "model.ngram_buckets=64", "stages.pretrain.steps=40", "stages.pretrain.batch=8",
    "stages.questions_only.steps=20", "stages.questions_only.batch=8", "threads=1",
)  # fmt: skip
Files = dict[str, bytes]


# -- file operations -------------------------------------------------------------------


# No disk loses its power here, and syncing is what takes the time.
_unsynced = mock.patch.object(os, "fsync", lambda _: None)  # noqa: PT008


@_unsynced
def attack_change(place: Path, old: Files, new: Files) -> int:
    """A change of several files: all of it or nothing. Returns the cases."""
    root, cases = place / "run", 0

    def prepare() -> None:
        shutil.rmtree(root, ignore_errors=True)
        _put(RunFiles(root), old)

    def change() -> None:
        with lock_folder(root):
            folder = RunFiles(root)
            folder.clean_up()
            _put(folder, new)

    for kind, number in each_fault(change, prepare):
        cases += 1
        where = f"{kind} at operation {number}"
        assert _read(root, old | new) in (old, old | new), f"{where}: neither before nor after"
        change()  # the same command again
        assert _read(root, old | new) == old | new, f"{where}: not made again"
        left = {p.relative_to(root).as_posix() for p in root.rglob("*") if p.is_file()}
        assert left == {*old, *new, MANIFEST, ".lock"}, f"{where}: something was left"
    return cases


def _put(folder: RunFiles, files: Files) -> None:
    with folder.transaction():
        for name, data in files.items():
            folder.write(name, [data])


def _read(root: Path, names: Files) -> Files:
    folder = RunFiles(root)
    return {name: folder.read(name) for name in names if folder.has(name)}


@_unsynced
def attack_checkpoint(place: Path) -> int:
    """A save during training: rows are added, a checkpoint is published, an older one pruned."""
    stage, cases = place / "stage", 0

    def open_stage() -> tuple[Checkpoints, RowLog, int]:
        checkpoints = Checkpoints(stage / "checkpoints", {"seed": 0})
        log = RowLog(stage / "m.jsonl")
        found = checkpoints.latest()
        log.resume(found.logs["m.jsonl"] if found else [])
        return checkpoints, log, found.step if found else 0

    def save() -> None:
        checkpoints, log, step = open_stage()
        while step < 40:
            step += 10
            log.append([{"step": step}])
            state = State({"w": np.full(4, step, np.float32)}, {"step": step})
            checkpoints.save(step, state, 1.0, {"m.jsonl": log.rows})

    def prepare() -> None:
        shutil.rmtree(stage, ignore_errors=True)
        checkpoints, log, step = open_stage()
        for step in (10, 20):
            log.append([{"step": step}])
            state = State({"w": np.full(4, step, np.float32)}, {"step": step})
            checkpoints.save(step, state, 1.0, {"m.jsonl": log.rows})

    for kind, number in each_fault(save, prepare):
        cases += 1
        where = f"{kind} at operation {number}"
        found = (kept := Checkpoints(stage / "checkpoints", {"seed": 0})).latest()
        assert found is not None, where
        assert not kept.skipped, f"{where}: a torn checkpoint was published"
        assert found.step >= 20, where
        assert (found.state.arrays["w"] == found.step).all(), where
        save()
        rows = [json.loads(line) for line in (stage / "m.jsonl").read_text().splitlines()]
        assert rows == [{"step": step} for step in (10, 20, 30, 40)], where
    return cases


def written_by(act: Callable[[], object]) -> Files:
    """The files that an act writes into run folders, by name: what an audit or a run saves."""
    found, write = Files(), RunFiles.write

    def note(self: RunFiles, name: str, parts: Any) -> None:
        parts = list(parts)
        found[name] = b"".join(map(bytes, parts))
        write(self, name, parts)

    RunFiles.write = note
    try:
        act()
    finally:
        RunFiles.write = write
    return found


# -- flipped bits ----------------------------------------------------------------------

WITHOUT_EFFECT = (".lock",)  # the number in a lock is only shown
KINDS = (
    "run.json", "status.json", "vocab.json", "splits.json", "corpus", "stages/metrics",
    "checkpoints", "models", "predictions", "samples", "audit", "index", "evidence", "report.html",
    MANIFEST,
)  # fmt: skip


def kind_of(name: str) -> str:
    if "/checkpoints/" in name:
        return "checkpoints"
    return "stages/metrics" if name.startswith("stages/") else name.partition("/")[0]


def flips(run: Path, count: int, seed: int) -> Iterator[tuple[str, int]]:
    """Bits all over a run folder: every kind of file comes as often as every other."""
    chance, names = random.Random(seed), dict[str, list[str]]()
    for path in sorted(p for p in run.rglob("*") if p.is_file() and p.stat().st_size):
        name = path.relative_to(run).as_posix()
        if name not in WITHOUT_EFFECT:
            names.setdefault(kind_of(name), []).append(name)
    for i in range(count):
        kinds = sorted(names)
        name = chance.choice(names[kinds[i % len(kinds)]])
        yield name, chance.randrange(8 * (run / name).stat().st_size)


def flip(path: Path, bit: int) -> None:
    with path.open("r+b") as file:
        file.seek(bit // 8)
        byte = file.read(1)[0]
        file.seek(bit // 8)
        file.write(bytes([byte ^ 1 << bit % 8]))


def attack_bits(run: Path, count: int, seed: int) -> tuple[Counter[str], list[str]]:
    """Flip one bit after the other in a copy: how many of each kind, and those not noticed."""
    tried, missed = Counter[str](), list[str]()
    with tempfile.TemporaryDirectory() as place:
        copy = Path(shutil.copytree(run, Path(place) / "run"))
        assert verify_run(copy).sound, f"{run}: expected a sound run; 'wherefrom verify' says more"
        for name, bit in flips(run, count, seed):
            flip(copy / name, bit)
            tried[kind_of(name)] += 1
            if verify_run(copy).sound or not _reading_notices(copy, name):
                missed.append(f"{name}, bit {bit}")
            flip(copy / name, bit)
    return tried, missed


def _reading_notices(copy: Path, name: str) -> bool:
    """Whether the code that commands read this file with refuses it."""
    if "/checkpoints/" in name or name.startswith(("index/", "evidence/")):
        return True  # read with the very functions that `verify` calls
    try:
        RunFiles(copy).read("run.json" if name == MANIFEST else name)
    except Damaged:
        return True
    return False


# -- all of them -----------------------------------------------------------------------


def attack_saves(run: Path, place: Path) -> dict[str, int]:
    """The cases of each scene in which a file operation goes wrong."""
    folder = RunFolder(run)
    assert folder.manifest is not None
    kept = {name: folder.read(name) for name in folder.manifest.files}

    def some(*beginnings: str) -> Files:
        return {name: data for name, data in kept.items() if name.startswith(beginnings)}

    old = {"run.json": b"{}"}
    audit, evaluated, models = some("audit/"), some("predictions/", "status"), some("models/")
    stale = dict.fromkeys(list(audit)[:3], b"{}\n")
    scored = dict.fromkeys(list(evaluated)[:3], b"{}\n")
    return {
        "a checkpoint, with the rows before it": attack_checkpoint(place / "a"),
        "the data of a new run": attack_change(place / "b", old, some("corpus/", "vocab", "split")),
        "trained models": attack_change(place / "c", old | dict.fromkeys(models, b""), models),
        "an evaluation": attack_change(place / "d", old | scored, evaluated),
        "an audit": attack_change(place / "e", old | stale, audit),
    }


def make_run(path: Path) -> Path:
    """A run of `people` that takes seconds and learns nothing, audited."""
    api.run("people", out=path, settings=SMALL)
    api.audit(path)
    return path


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("run", type=Path, metavar="RUN", nargs="?")
    parser.add_argument("--flips", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--write", action="store_true", help="put the counts into the docs")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        run = given.run or make_run(Path(place) / "run")
        saves = attack_saves(run, Path(place))
        tried, missed = attack_bits(run, given.flips, given.seed)
    lines = table(saves, tried, Counter(kind_of(line.partition(",")[0]) for line in missed))
    print("\n".join(lines))
    for line in missed:
        print(f"not noticed: {line}", file=sys.stderr)
    if given.write:
        fill(PAGE, "benchmarks/attack.py", "\n".join(lines))
    return 1 if missed else 0


def table(saves: dict[str, int], tried: Counter[str], missed: Counter[str]) -> list[str]:
    rows = [f"| {name} | {count} | as before or as after |" for name, count in saves.items()]
    kinds = ", ".join(
        f"{kind} {tried[kind] - missed[kind]}/{tried[kind]}" for kind in sorted(tried)
    )
    total = [
        f"| **file operations that go wrong** | **{sum(saves.values())}** | **none lost** |",
        f"| **flipped bits** | **{sum(tried.values())}** | **{missed.total()} not noticed** |",
    ]
    noticed = ["", f"Noticed, by kind of file: {kinds}."]
    return ["| attack | cases | found |", "| --- | --- | --- |", *rows, *total, *noticed]


if __name__ == "__main__":
    launch(main)
