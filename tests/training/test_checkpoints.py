"""Checkpoints that are whole, damaged, or of something else."""

import os
import re
import shutil

import numpy as np
import pytest

from wherefrom.core.artifact import publish_folder
from wherefrom.core.contracts import State
from wherefrom.core.errors import Damaged, Mismatch, MissingInput
from wherefrom.training.checkpoints import Checkpoints

IDENTITY = {
    "model": {"kind": "gpt", "n_head": 4, "shares": [0.5, 0.5]},
    "vocabulary": "ab" * 32,
    "seed": 0,
}


def state_at(step: int) -> State:
    weights = np.arange(12, dtype=np.float32).reshape(3, 4) * step
    return State({"w": weights, "m": weights.T / 3}, {"seen": step, "note": "é"})


def filled(folder, *steps: int) -> Checkpoints:
    checkpoints = Checkpoints(folder, IDENTITY)
    for step in steps:
        checkpoints.save(step, state_at(step), step / 10)
    return checkpoints


def names(folder) -> list[str]:
    return sorted(p.name for p in folder.iterdir())


def test_two_are_kept_and_the_newest_is_found(tmp_path):
    """The newest has the highest number: its name is not the last one in the alphabet."""
    steps = (80, 90, 99_999_999, 100_000_000)
    checkpoints = filled(tmp_path, *steps)
    assert set(names(tmp_path)) == {f"step-{s:08d}" for s in steps[-2:]}
    found = checkpoints.latest()
    assert found.step == 100_000_000


def test_old_ones_go_only_after_the_new_one_is_there(tmp_path, monkeypatch):
    checkpoints = filled(tmp_path, 10, 20)
    seen = []
    rename = os.rename

    def note(source, target):
        rename(source, target)
        seen.append([n for n in names(tmp_path) if n.startswith("step-")])

    monkeypatch.setattr(os, "rename", note)
    checkpoints.save(30, state_at(30), 3.0)
    assert seen == [
        ["step-00000010", "step-00000020", "step-00000030"],
        ["step-00000020", "step-00000030"],
    ]


@pytest.mark.parametrize("name", ["manifest.json", "state.json", "state.safetensors"])
def test_the_newest_is_passed_over_if_any_file_of_it_is_damaged(tmp_path, name):
    checkpoints = filled(tmp_path, 10, 20)
    path = tmp_path / "step-00000020" / name
    whole = path.read_bytes()
    for content in (whole[:-1], bytes([whole[0] ^ 4]) + whole[1:]):
        path.write_bytes(content)
        found = checkpoints.latest()
        assert found.step == 10
        assert np.array_equal(found.state.arrays["w"], state_at(10).arrays["w"])
        (reason,) = checkpoints.skipped
        assert str(path) in reason
        with pytest.raises(Damaged, match=re.escape(str(path))):
            checkpoints.load(tmp_path / "step-00000020")
    path.write_bytes(whole)
    assert (checkpoints.latest().step, checkpoints.skipped) == (20, ())


def test_a_damaged_one_does_not_count_among_those_kept(tmp_path):
    checkpoints = filled(tmp_path, 10, 20, 30)
    (tmp_path / "step-00000030" / "state.safetensors").write_bytes(b"")
    checkpoints.latest()
    checkpoints.save(40, state_at(40), 4.0)
    assert names(tmp_path) == ["step-00000020", "step-00000040"]


def test_a_named_checkpoint_never_falls_back(tmp_path):
    checkpoints = filled(tmp_path, 10, 20)
    with pytest.raises(MissingInput, match="step-00000030: expected a folder"):
        checkpoints.load(tmp_path / "step-00000030")
    assert checkpoints.load(tmp_path / "step-00000010").step == 10


def test_a_folder_under_another_steps_name_is_damage(tmp_path):
    checkpoints = filled(tmp_path, 10, 20)
    shutil.copytree(tmp_path / "step-00000010", tmp_path / "step-00000030")
    with pytest.raises(Damaged, match="step-00000030: expected the step of its name, found 10"):
        checkpoints.load(tmp_path / "step-00000030")
    shutil.copytree(tmp_path / "step-00000010", tmp_path / "mine")
    assert checkpoints.load(tmp_path / "mine").step == 10


def test_a_published_folder_without_a_state_is_damage(tmp_path):
    facts = {"step": 10, "identity": IDENTITY}
    with publish_folder(tmp_path / "step-00000010", facts) as folder:
        (folder / "state.json").write_text("[]")
        shutil.copy(filled(tmp_path / "o", 1).folder / "step-00000001/state.safetensors", folder)
    with pytest.raises(Damaged, match=r"state\.json: expected values, seconds and rows"):
        Checkpoints(tmp_path, IDENTITY).load(tmp_path / "step-00000010")


def test_a_mismatch_names_field_and_both_values(tmp_path):
    filled(tmp_path, 10)
    other = Checkpoints(tmp_path, IDENTITY | {"model": IDENTITY["model"] | {"n_head": 8}})
    message = "step-00000010: model.n_head: the checkpoint has 4, asked for 8; "
    for read in (other.latest, lambda: other.load(tmp_path / "step-00000010")):
        with pytest.raises(Mismatch, match=message):
            read()
