"""Folders: whole or not there, any damage found, one writer."""

import hashlib
import json
import os
from contextlib import ExitStack
from pathlib import Path

import pytest

from wherefrom.core import manifests
from wherefrom.core.artifact import lock_folder, publish_folder, sweep, verify_folder
from wherefrom.core.errors import Busy, CannotWrite, Damaged, Mismatch
from wherefrom.core.manifests import Entry, spell_manifest
from wherefrom.core.progress import listening


def publish(final: Path, **files: str) -> None:
    with publish_folder(final, {"step": 7}) as folder:
        for name, text in files.items():
            (folder / name).write_text(text)


def everything(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_a_published_folder_says_what_it_holds(tmp_path):
    final = tmp_path / "below" / "state"
    with publish_folder(final, {"step": 7, "identity": {"n": 1}}) as folder:
        assert folder.name.startswith(".tmp-")
        assert folder.parent == final.parent
        (folder / "inner").mkdir()
        (folder / "inner" / "a.txt").write_text("abc")
        assert not final.exists()
    manifest = verify_folder(final)
    assert manifest == {"format_version": 2, "step": 7, "identity": {"n": 1}}
    listed = json.loads((final / "manifest.json").read_text())["files"]
    digest = hashlib.sha256(b"abc").hexdigest()
    assert listed == {"inner/a.txt": {"bytes": 3, "sha256": digest}}
    assert [p.name for p in final.parent.iterdir()] == ["state"]


@pytest.mark.parametrize("error", [RuntimeError("no"), KeyboardInterrupt(), OSError(28, "full")])
def test_an_error_inside_publishes_nothing(tmp_path, error):
    publish(tmp_path / "state", a="old")
    before = everything(tmp_path)
    expected = CannotWrite if isinstance(error, OSError) else type(error)

    def fail() -> None:
        with publish_folder(tmp_path / "state", {}) as folder:
            (folder / "a").write_text("new")
            raise error

    with pytest.raises(expected):
        fail()
    assert everything(tmp_path) == before


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs Linux's /proc")
def test_synced_files_then_manifest_then_rename_then_parent(tmp_path, monkeypatch):
    events: list[str] = []
    fsync, rename = os.fsync, os.rename

    def note_sync(descriptor):
        name = Path(os.readlink(f"/proc/self/fd/{descriptor}")).name
        events.append("sync " + name.removeprefix(".tmp-new-").rsplit("-", 1)[0])
        fsync(descriptor)

    def note_rename(source, target):
        events.append(f"rename to {Path(target).name}")
        rename(source, target)

    parent = tmp_path / "parent"
    parent.mkdir()
    monkeypatch.setattr(os, "fsync", note_sync)
    monkeypatch.setattr(os, "rename", note_rename)
    publish(parent / "state", data="x")
    kept = [e for e in events if e != "sync state"]
    assert kept == ["sync data", "sync manifest.json", "rename to state", "sync parent"]
    assert events.index("sync state") < events.index("rename to state")


def put_a_pipe(folder: Path) -> None:
    (folder / "b").unlink()
    os.mkfifo(folder / "b")


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda f: (f / "b").unlink(), r"/b: expected a file, found none"),
        (lambda f: (f / "b").write_text("longer than it was"), r"/b: expected 3 bytes, found 18"),
        (lambda f: (f / "b").write_text("TWO"), r"/b: expected SHA-256 [0-9a-f]{16}..., found"),
        (lambda f: (f / "b.bak").write_text("two"), r"/b\.bak: expected only what manifest"),
        (put_a_pipe, r"/b: expected a regular file"),
        (lambda f: (f / "manifest.json").unlink(), r"/manifest\.json: expected a file, found"),
    ],
)
def test_damage_is_named(tmp_path, damage, message):
    publish(tmp_path / "state", a="one", b="two")
    verify_folder(tmp_path / "state")
    damage(tmp_path / "state")
    with pytest.raises(Damaged, match=message) as caught:
        verify_folder(tmp_path / "state")
    assert "\n" not in str(caught.value)


def forge(folder: Path, facts: dict[str, object], files: dict[str, Entry]) -> None:
    """Another manifest, with a checksum that is right: someone knew what they were doing."""
    (folder / "manifest.json").write_bytes(spell_manifest(facts, files))


def test_a_manifest_cannot_point_outside_its_folder(tmp_path):
    publish(tmp_path / "state", a="one")
    (tmp_path / "secret").write_text("two")
    for name in ("../secret", str(tmp_path / "secret")):
        forge(tmp_path / "state", {}, {name: Entry.of([b"two"])})
        with pytest.raises(Damaged, match="secret: expected a file, found none"):
            verify_folder(tmp_path / "state")


def test_another_format_or_shape_is_told_apart(tmp_path):
    publish(tmp_path / "state", a="one")
    forge(tmp_path / "state", {"format_version": 3}, {})
    with pytest.raises(Mismatch, match="format_version: expected 2, found 3"):
        verify_folder(tmp_path / "state")
    for files in (None, [], 3, {"a": 3}, {"a": {}}, {"a": {"bytes": "x", "sha256": ""}}):
        # The checksum is computed over what stands there.
        table = manifests._spell({"format_version": 2, "files": files})
        (tmp_path / "state" / "manifest.json").write_bytes(table)
        with pytest.raises(Damaged, match="expected a table of files"):
            verify_folder(tmp_path / "state")


def test_sweeping_removes_leftovers_and_nothing_else(tmp_path):
    publish(tmp_path / "state", a="one")
    before = everything(tmp_path)
    (tmp_path / ".tmp-new-state-1234").mkdir()
    (tmp_path / ".tmp-new-state-1234" / "half").write_text("x")
    (tmp_path / ".tmp-new-run.json-5678").write_text("x")
    (tmp_path / ".tmp-old-state").mkdir()
    sweep(tmp_path)
    assert everything(tmp_path) == before
    sweep(tmp_path / "nowhere")


def test_a_second_writer_is_told_who_the_first_is_or_waits(tmp_path):
    folder, held = tmp_path / "run", ExitStack()
    held.enter_context(lock_folder(folder))
    with pytest.raises(Busy, match=f"run: .* process {os.getpid()} "), lock_folder(folder):
        pytest.fail("two writers")
    with listening(lambda *_: held.close()), lock_folder(folder, wait=True):
        assert (folder / ".lock").read_text().strip() == str(os.getpid())
        with pytest.raises(Busy), lock_folder(folder):
            pytest.fail("two writers")
