"""What `verify` finds in a run folder, and in the runs that were retrained for it."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from wherefrom.core.errors import MissingInput
from wherefrom.core.files import read_arrays
from wherefrom.runs.folder import RunFolder
from wherefrom.runs.verification import verify, verify_run


def faults(path: Path) -> dict[str, str]:
    return {fault.file: fault.line for fault in verify_run(path).faults}


def test_a_finished_run_is_sound_and_all_of_it_is_compared(tiny_run):
    found = verify_run(tiny_run)
    assert found.faults == ()
    manifest = RunFolder(tiny_run).manifest
    # A checkpoint has three files, what any process may make has two.
    apart = [*tiny_run.glob("stages/*/checkpoints/step-*/*"), *tiny_run.glob("[ie][nv]*/*")]
    assert found.files == len(manifest.files) + len(apart)
    everything = {p.relative_to(tiny_run).as_posix() for p in tiny_run.rglob("*") if p.is_file()}
    named = {p.relative_to(tiny_run).as_posix() for p in apart}
    assert everything - named - set(manifest.files) == {".lock", "manifest.json"}


def test_runs_of_other_kinds_are_sound(relations_run, sentiment_run, facts_folder, bigram_run):
    for path in (relations_run, sentiment_run, facts_folder / "run", bigram_run):
        assert verify_run(path).faults == (), path


def test_weights_that_are_no_numbers(own_run):
    """Written as any other file: only what it says is wrong."""
    folder, name = RunFolder(own_run), "models/with_pretraining/weights.safetensors"
    arrays = read_arrays(own_run / name)
    first = next(iter(arrays))
    arrays[first].reshape(-1)[3] = np.nan
    folder.write_model("with_pretraining", arrays, folder.read_facts("with_pretraining"))
    assert list(faults(own_run)) == [name]
    assert f"{first}: expected numbers of at most 1e+30, found" in faults(own_run)[name]


def test_a_file_that_was_put_there(own_run):
    (own_run / "audit" / "source.json").write_text("{}")
    assert "expected only files that manifest.json lists" in faults(own_run)["audit/source.json"]
    (own_run / "notes.txt").write_text("the user's own")
    assert set(faults(own_run)) == {"audit/source.json"}


def test_a_manifest_that_is_lost_or_damaged_or_of_another_run(own_run, tiny_run, relations_run):
    path = own_run / "manifest.json"
    whole = path.read_text()
    path.write_text(whole.replace('"bytes"', '"Bytes"', 1))
    assert set(faults(own_run)) == {"manifest.json"}
    path.unlink()
    assert "expected the run's manifest, found none" in faults(own_run)["manifest.json"]
    shutil.copy(relations_run / "manifest.json", path)
    assert {"run.json", "status.json", "corpus/corpus.json"} < set(faults(own_run))


def test_retrained_models_are_runs_of_their_own(own_run, tiny_run):
    inner = own_run / "audit" / "retrained" / "without-0-first"
    shutil.copytree(tiny_run, inner)
    first, second = verify(own_run)
    assert (first.run, second.run) == (str(own_run), str(inner))
    assert first.sound
    assert second.sound
    (inner / "vocab.json").write_text("{}")
    assert [found.sound for found in verify([own_run])] == [True, False]


def test_what_is_no_run(tmp_path):
    with pytest.raises(MissingInput, match="expected a run folder, or one with runs in it"):
        verify(tmp_path)
