"""Repair: what follows from sound files is computed again, and nothing else is touched."""

import shutil
from pathlib import Path

import pytest

import wherefrom
from wherefrom.auditing.repair import repair_run
from wherefrom.auditing.verification import verify_run
from wherefrom.core.artifact import lock_folder
from wherefrom.core.errors import Busy


def spoil(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 4
    path.write_bytes(data)


def contents(run: Path) -> dict[str, bytes]:
    """All but what has the time in it, or says how the files were written."""
    left_out = ("seal.json", ".lock", "status.json", "audit/timing.json")
    files = (p for p in run.rglob("*") if p.is_file() and not p.name.endswith(".damaged"))
    named = {p.relative_to(run).as_posix(): p for p in files}
    return {name: p.read_bytes() for name, p in named.items() if name not in left_out}


def test_a_sound_run_is_left_alone(own_run):
    before = {p: p.stat().st_mtime_ns for p in own_run.rglob("*")}
    found = repair_run(own_run)
    assert found.sound
    assert found.repaired == ()
    assert {p: p.stat().st_mtime_ns for p in own_run.rglob("*")} == before


def test_all_that_can_be_computed_again_comes_back_to_the_bit(audited, tmp_path):
    # Labels have the folder's name.
    run = Path(shutil.copytree(audited.run.path, tmp_path / audited.run.path.name))
    before, status = contents(run), wherefrom.open_run(run).results
    names = (
        "status.json", "vocab.json", "splits.json", "corpus/documents.txt",
        "corpus/dataset.json.gz", "predictions/majority.birthplace.jsonl",
        "predictions/with_pretraining.birthplace.txt", "audit/confidence.json",
        "audit/answered.jsonl", "audit/audit.json", "audit/reliability.svg", "index.sqlite",
        "audit/evidence.json",
    )  # fmt: skip
    for name in names:
        spoil(run / name)
    assert {fault.file for fault in verify_run(run).faults} == set(names)
    found = repair_run(run)
    assert found.faults == ()
    assert len(found.repaired) >= len(names)
    after = contents(run)
    gone = {"index.sqlite"}  # it is built when it is needed
    assert {n: after.get(n) for n in before.keys() - gone} == {
        n: before[n] for n in before.keys() - gone
    }
    assert wherefrom.open_run(run).results == status


@pytest.mark.parametrize(
    "name",
    ["run.json", "stages/pretrain/metrics.jsonl", "models/with_pretraining/weights.safetensors",
     "models/with_pretraining/manifest.json", "corpus/corpus.json corpus/dataset.json.gz"],
)  # fmt: skip
def test_what_cannot_be_computed_stays_a_fault_and_stays_as_it_is(own_run, name):
    for each in name.split():
        spoil(own_run / each)
    before = contents(own_run)
    found = repair_run(own_run)
    assert not found.sound
    assert contents(own_run) == before


def test_a_folder_of_an_earlier_version_is_sealed_once_it_is_sound(own_run, unseal):
    unseal(own_run)
    (own_run / "notes.txt").write_text("the user's own")
    found = repair_run(own_run)
    assert found.sound
    assert found.sealed
    assert "written over" in found.repaired[0]
    (own_run / "notes.txt").write_text("changed")
    assert verify_run(own_run).sound, "the user's own files are nobody's business"
    spoil(own_run / "vocab.json")
    assert not verify_run(own_run).sound
    wherefrom.open_run(own_run)


def test_an_unsealed_folder_that_is_not_sound_is_not_sealed(own_run, unseal):
    unseal(own_run)
    (own_run / "stages" / "pretrain" / "metrics.jsonl").write_text("5\n")
    found = repair_run(own_run)
    assert not found.sound
    assert not found.sealed


@pytest.mark.parametrize("lost", [True, False])
def test_a_seal_that_is_lost_or_damaged_is_made_anew(own_run, lost):
    (own_run / "seal.json").unlink() if lost else spoil(own_run / "seal.json")
    found = repair_run(own_run)
    assert found.sound
    assert found.sealed
    question = wherefrom.open_run(own_run).dataset.select("held-out")[0].text
    assert len(wherefrom.ask(own_run, question)) == 1


def test_links_are_left_alone_and_stay_faults(own_run, tmp_path):
    mine = tmp_path / "mine.json"
    mine.write_text("mine")
    (own_run / "audit" / "confidence.json").unlink()
    (own_run / "audit" / "confidence.json").symlink_to(mine)
    assert not repair_run(own_run).sound
    assert mine.read_text() == "mine"


def test_a_run_that_is_being_written_is_not_repaired(own_run):
    spoil(own_run / "vocab.json")
    with lock_folder(own_run), pytest.raises(Busy):
        repair_run(own_run)
