"""A sealed folder: what is read is what was written, changes are whole, links are refused."""

import json
import os
import shutil
import threading
from contextlib import suppress
from pathlib import Path

import pytest

from wherefrom.core.errors import Damaged, MissingInput
from wherefrom.core.seal import FILE, Entry, Seal
from wherefrom.core.sealed_folder import SealedFolder


@pytest.fixture
def folder(tmp_path) -> SealedFolder:
    made = SealedFolder(tmp_path / "run")
    made.path.mkdir()
    with made.together(sealing=True):
        made.write_json("a.json", {"n": 1})
        made.write_text("deep/b.txt", "one\n")
    return made


def again(folder: SealedFolder) -> SealedFolder:
    """As another process would open it."""
    return SealedFolder(folder.path)


def test_what_was_written_is_read_and_listed(folder):
    assert again(folder).read_json("a.json") == {"n": 1}
    assert again(folder).read("deep/b.txt") == b"one\n"
    seal = json.loads((folder.path / FILE).read_text())
    known = (
        "2c8b08da5ce60398e1f19af0e5dccc744df274b826abe585eaba68c525434806"  # sha256sum of "one\n"
    )
    assert seal["files"]["deep/b.txt"] == {"bytes": 4, "sha256": known}
    assert sorted(p.name for p in folder.path.rglob("*")) == ["a.json", "b.txt", "deep", FILE]


def test_every_flipped_bit_of_a_file_is_noticed(folder):
    path = folder.path / "a.json"
    whole = path.read_bytes()
    for bit in range(8 * len(whole)):
        data = bytearray(whole)
        data[bit // 8] ^= 1 << bit % 8
        path.write_bytes(data)
        with pytest.raises(Damaged, match=r"a\.json: expected SHA-256 .*; copy it anew, or see"):
            again(folder).read("a.json")


def test_every_flipped_byte_of_the_seal_is_noticed(folder):
    path = folder.path / FILE
    whole = path.read_bytes()
    for i in range(len(whole)):
        path.write_bytes(whole[:i] + bytes([whole[i] ^ 1]) + whole[i + 1 :])
        with pytest.raises(Damaged, match=r"seal\.json: expected a seal"):
            again(folder).read("a.json")


def test_a_file_that_is_cut_or_lost_or_put_there_is_noticed(folder):
    (folder.path / "a.json").write_text("{")
    with pytest.raises(Damaged, match="expected 12 bytes, found 1"):
        again(folder).read("a.json")
    (folder.path / "a.json").unlink()
    assert again(folder).has("a.json"), "a lost file is not taken for none"
    with pytest.raises(Damaged, match=r"a\.json: expected a file, found none"):
        again(folder).read("a.json")
    (folder.path / "c.json").write_text("{}")
    assert again(folder).has("c.json")
    with pytest.raises(Damaged, match=r"c\.json: expected only files that seal\.json lists"):
        again(folder).read("c.json")
    assert not again(folder).has("d.json")
    with pytest.raises(MissingInput, match=r"d\.json: expected a file"):
        again(folder).read("d.json")


def write_model(folder: SealedFolder, weights: bytes) -> None:
    with folder.write_folder("models/m", {"stage": "s"}) as inside:
        (inside / "weights").write_bytes(weights)


def test_what_was_computed_with_other_models_is_refused(folder):
    write_model(folder, b"first")
    folder.write_text("audit.txt", "about the first\n", of_model=True)
    assert again(folder).read("audit.txt")
    write_model(folder, b"second")
    with pytest.raises(Damaged, match="expected a file about the models that are here, found one"):
        again(folder).read("audit.txt")
    assert again(folder).read("deep/b.txt") == b"one\n", "what is not about a model stays"
    folder.write_text("audit.txt", "about the second\n", of_model=True)
    assert again(folder).read("audit.txt") == b"about the second\n"


def test_a_model_is_compared_through_its_manifest(folder):
    write_model(folder, b"weights")
    path, manifest = again(folder).read_folder("models/m")
    assert (path / "weights").read_bytes() == b"weights"
    assert manifest["stage"] == "s"
    whole = (path / "weights").read_bytes()
    (path / "weights").write_bytes(b"Weights")
    with pytest.raises(Damaged, match="weights: expected SHA-256"):
        again(folder).read_folder("models/m")
    (path / "weights").write_bytes(whole)
    shutil.rmtree(path)  # another model, whole in itself, in its place
    with SealedFolder(folder.path.parent / "x").write_folder("models/m", {}) as inside:
        (inside / "weights").write_bytes(b"others")
    shutil.copytree(folder.path.parent / "x" / "models" / "m", path)
    with pytest.raises(Damaged, match=r"manifest\.json: expected"):
        again(folder).read_folder("models/m")


# --- changes ---------------------------------------------------------------------------------


def test_a_change_is_seen_at_its_end_and_by_itself_before(folder):
    with folder.together():
        folder.write_json("a.json", {"n": 2})
        folder.write_text("deep/b.txt", "two\n")
        assert folder.read_json("a.json") == {"n": 2}
        assert folder.has("a.json")
        assert again(folder).read_json("a.json") == {"n": 1}
        assert again(folder).read("deep/b.txt") == b"one\n"
    assert again(folder).read_json("a.json") == {"n": 2}
    assert again(folder).read("deep/b.txt") == b"two\n"
    assert not list(folder.path.rglob(".tmp-*"))


def test_a_file_that_is_written_twice_in_a_change_is_the_second(folder):
    with folder.together():
        folder.write_text("a.json", "1\n")
        folder.write_text("a.json", "2\n")
    assert again(folder).read("a.json") == b"2\n"
    assert not list(folder.path.rglob(".tmp-*"))


def test_after_an_error_nothing_has_changed(folder):
    before = {p: p.read_bytes() for p in folder.path.rglob("*") if p.is_file()}

    def begin() -> None:
        with folder.together():
            folder.write_json("a.json", {"n": 2})
            write_model(folder, b"w")
            raise KeyError

    with pytest.raises(KeyError):
        begin()
    assert {p: p.read_bytes() for p in folder.path.rglob("*") if p.is_file()} == before
    folder.write_json("a.json", {"n": 3})
    assert again(folder).read_json("a.json") == {"n": 3}


def test_renames_that_a_kill_left_undone_are_read_and_then_finished(folder, monkeypatch):
    """Also by a reader who may not write: the files are read under their temporary names."""
    with monkeypatch.context() as patched:
        patched.setattr(SealedFolder, "_rename", lambda *_: None)
        with folder.together():
            folder.write_json("a.json", {"n": 2})
            write_model(folder, b"w")
    assert json.loads((folder.path / "a.json").read_text()) == {"n": 1}
    reader = again(folder)
    assert reader.read_json("a.json") == {"n": 2}
    assert (reader.read_folder("models/m")[0] / "weights").read_bytes() == b"w"
    again(folder).recover("*/")
    assert json.loads((folder.path / "a.json").read_text()) == {"n": 2}
    assert (folder.path / "models" / "m" / "weights").read_bytes() == b"w"
    assert not list(folder.path.rglob(".tmp-*"))


def test_readers_beside_a_writer_never_see_damage(folder):
    """A reader with an old seal finds a new file, and reads the seal again."""
    done, wrong, seen = threading.Event(), list[BaseException](), set[int]()

    def read() -> None:
        reader = again(folder)
        while not done.is_set():
            try:
                seen.add(reader.read_json("a.json")["n"])
            except BaseException as error:
                wrong.append(error)
                return

    threads = [threading.Thread(target=read) for _ in range(2)]
    for thread in threads:
        thread.start()
    for n in range(2, 20):
        folder.write_json("a.json", {"n": n})
    done.set()
    for thread in threads:
        thread.join()
    assert not wrong
    assert seen <= set(range(1, 20))


def test_a_folder_without_a_seal_is_read_and_written_unchecked(tmp_path):
    old = SealedFolder(tmp_path)
    old.write_text("a.txt", "one")
    (tmp_path / "a.txt").write_text("two")
    assert again(old).read("a.txt") == b"two"
    assert again(old).seal() is None
    assert not (tmp_path / FILE).exists()


def test_a_file_that_was_written_in_place_is_sealed_when_it_is_complete(folder):
    (folder.path / "rows.jsonl").write_text('{"n": 1}\n')
    folder.list_file("rows.jsonl", Entry.of([b'{"n": 1}\n']))
    assert again(folder).read_jsonl("rows.jsonl") == [{"n": 1}]
    folder.unlist("rows")
    with pytest.raises(Damaged, match="expected only files"):
        again(folder).read("rows.jsonl")


# --- links -----------------------------------------------------------------------------------


@pytest.fixture
def mine(tmp_path) -> Path:
    """A file of the user's that nobody may touch."""
    path = tmp_path / "mine" / "notes.txt"
    path.parent.mkdir()
    path.write_text("mine")
    return path


@pytest.mark.parametrize("name", ["a.json", "deep/b.txt", FILE])
def test_a_link_is_refused_and_what_it_leads_to_is_left_alone(folder, mine, name):
    (folder.path / name).unlink()
    (folder.path / name).symlink_to(mine)
    for act in (lambda f: f.read(name), lambda f: f.write_text(name, "x")):
        with pytest.raises(Damaged, match="found a link; links in a run folder are not followed"):
            act(again(folder))
    assert mine.read_text() == "mine"


def test_a_linked_folder_is_refused_too(folder, mine):
    shutil.rmtree(folder.path / "deep")
    (folder.path / "deep").symlink_to(mine.parent)
    (mine.parent / "b.txt").write_text("one\n")
    (mine.parent / ".tmp-x").write_text("mine too")
    for act in (
        lambda f: f.read("deep/b.txt"),
        lambda f: f.write_text("deep/b.txt", "x"),
        lambda f: f.locate("deep/c"),
    ):
        with pytest.raises(Damaged, match="deep: expected a file or folder of the run, found a l"):
            act(again(folder))
    with suppress(Damaged):
        again(folder).recover("*/")
    assert (mine.parent / ".tmp-x").read_text() == "mine too"


def test_the_way_to_the_folder_may_be_a_link(folder, tmp_path):
    (tmp_path / "way").symlink_to(folder.path)
    assert SealedFolder(tmp_path / "way").read_json("a.json") == {"n": 1}


@pytest.mark.parametrize("name", ["../mine/notes.txt", "/etc/hostname", "deep/../../x", ""])
def test_no_name_leads_outside(folder, name):
    with pytest.raises(Damaged, match="expected the name of a file in it"):
        folder.read(name)


def test_a_pipe_does_not_hold_a_reader_up(folder):
    (folder.path / "a.json").unlink()
    os.mkfifo(folder.path / "a.json")
    with pytest.raises(Damaged, match="expected a regular file, found something else"):
        again(folder).read("a.json")


def test_a_seal_whose_moves_lead_outside_moves_nothing(folder, mine):
    """A seal can be forged; it cannot make us touch anything outside."""
    seal = folder.seal()
    assert seal is not None
    for moves in ({"../mine/notes.txt": "a.json"}, {"a.json": "../mine/notes.txt"}):
        (folder.path / FILE).write_bytes(Seal(seal.files, moves).spell())
        with pytest.raises(Damaged, match="expected the name of a file in it"):
            again(folder).recover()
        assert mine.read_text() == "mine"
