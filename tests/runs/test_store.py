"""The files of a run: what is read is what was written, changes are whole, links are refused."""

import json
import shutil
import threading
from contextlib import suppress
from pathlib import Path

import pytest

from wherefrom.core.artifact import publish_folder
from wherefrom.core.errors import Busy, Damaged, MissingInput
from wherefrom.core.manifests import MANIFEST
from wherefrom.runs.store import RunFiles


@pytest.fixture
def folder(tmp_path) -> RunFiles:
    made = RunFiles(tmp_path / "run")
    with made.transaction():
        made.write_json("a.json", {"n": 1})
        made.write_text("deep/b.txt", "one\n")
    return made


def again(folder: RunFiles) -> RunFiles:
    """As another process would open it."""
    return RunFiles(folder.path)


def files(folder: RunFiles) -> dict[str, bytes]:
    found = (p for p in folder.path.rglob("*") if p.is_file())
    return {p.relative_to(folder.path).as_posix(): p.read_bytes() for p in found}


@pytest.mark.parametrize(
    ("name", "message"),
    [("a.json", "expected SHA-256 .*makes it again"), (MANIFEST, "expected a manifest")],
)
def test_every_flipped_bit_is_noticed(folder, name, message):
    path = folder.path / name
    whole = path.read_bytes()
    for bit in range(8 * len(whole)):
        data = bytearray(whole)
        data[bit // 8] ^= 1 << bit % 8
        path.write_bytes(data)
        with pytest.raises(Damaged, match=f"{name}: {message}"):
            again(folder).read("a.json")


def test_a_file_that_is_cut_or_lost_is_noticed_and_one_that_was_put_there_is_no_file(folder):
    (folder.path / "a.json").write_text("{")
    with pytest.raises(Damaged, match="expected 12 bytes, found 1"):
        again(folder).read("a.json")
    (folder.path / "a.json").unlink()
    assert again(folder).has("a.json"), "a lost file is not taken for none"
    with pytest.raises(Damaged, match=r"a\.json: expected a file, found none"):
        again(folder).read("a.json")
    (folder.path / "c.json").write_text("{}")
    assert not again(folder).has("c.json")
    with pytest.raises(MissingInput, match=r"c\.json: expected a file of the run"):
        again(folder).read("c.json")


def test_no_more_is_read_than_was_written(folder, monkeypatch):
    """A file of many gigabytes that was put in the place of a small one takes no memory."""
    with (folder.path / "a.json").open("r+b") as file:
        file.truncate(2**40)
    read: list[int] = []
    monkeypatch.setattr("wherefrom.core.manifests.Entry.of", lambda parts: read.append(1))
    with pytest.raises(Damaged, match=f"expected 12 bytes, found {2**40}"):
        again(folder).read("a.json")
    with (folder.path / MANIFEST).open("r+b") as file:
        file.truncate(2**40)
    with pytest.raises(Damaged, match=r"manifest\.json: expected at most"):
        again(folder).read("a.json")
    assert not read


# --- changes ---------------------------------------------------------------------------------


def test_a_change_is_seen_at_its_end_and_by_itself_before(folder):
    with folder.transaction():
        folder.write_json("a.json", {"n": 2})
        folder.write_text("deep/b.txt", "first\n")
        folder.write_text("deep/b.txt", "two\n")
        assert folder.read_json("a.json") == {"n": 2}
        assert again(folder).read_json("a.json") == {"n": 1}
        assert again(folder).read("deep/b.txt") == b"one\n"
    assert again(folder).read_json("a.json") == {"n": 2}
    assert again(folder).read("deep/b.txt") == b"two\n"
    assert files(folder).keys() == {"a.json", "deep/b.txt", MANIFEST}


def test_after_an_error_nothing_has_changed(folder):
    before = files(folder)

    def begin() -> None:
        with folder.transaction():
            folder.write_json("a.json", {"n": 2})
            folder.remove("deep/b.txt")
            raise KeyError

    with pytest.raises(KeyError):
        begin()
    assert files(folder) == before
    folder.write_json("a.json", {"n": 3})
    assert again(folder).read_json("a.json") == {"n": 3}


def test_files_are_unlisted_removed_and_set_aside(folder):
    folder.write_text("audit/findings.json", "old")
    (folder.path / "audit" / "mine.txt").write_text("mine")
    with folder.transaction():
        folder.set_aside("audit", "audit-before-1")
        assert not folder.has("audit/findings.json")
        folder.write_text("audit/findings.json", "new")
        folder.remove("a.json")
    folder.unlist("deep/")
    listed = again(folder)
    assert [listed.has(name) for name in ("a.json", "deep/b.txt")] == [False, False]
    assert listed.read_text("audit/findings.json") == "new"
    kept = {name: data for name, data in files(folder).items() if name != MANIFEST}
    assert kept == {
        "audit-before-1/findings.json": b"old",
        "audit-before-1/mine.txt": b"mine",
        "audit/findings.json": b"new",
        "deep/b.txt": b"one\n",
    }


def test_moves_that_a_kill_left_undone_are_read_and_then_finished(folder, monkeypatch):
    """Also by a reader who may not write: the files are read where the change wrote them."""
    with monkeypatch.context() as patched:
        patched.setattr(RunFiles, "_settle", lambda *_: None)
        with folder.transaction():
            folder.write_json("a.json", {"n": 2})
            folder.set_aside("deep", "deep-before")
    assert json.loads((folder.path / "a.json").read_text()) == {"n": 1}
    assert again(folder).read_json("a.json") == {"n": 2}
    again(folder).clean_up()
    assert json.loads((folder.path / "a.json").read_text()) == {"n": 2}
    assert files(folder).keys() == {"a.json", "deep-before/b.txt", MANIFEST}
    assert not list(folder.path.glob(".next-*"))


def test_readers_beside_a_writer_never_see_damage(folder):
    """A reader who finds a new file looks at the manifest again."""
    done, wrong, seen = threading.Event(), list[BaseException](), set[int]()

    def read() -> None:
        while not done.is_set():
            try:
                seen.add(again(folder).read_json("a.json")["n"])
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


def test_old_and_new_are_never_mixed(folder):
    reader, other = again(folder), again(folder)
    assert reader.read_json("a.json") == {"n": 1}
    with folder.transaction():
        folder.write_json("a.json", {"n": 2})
        folder.write_text("deep/b.txt", "two\n")
    with pytest.raises(Busy, match="another process has changed the run since it was opened"):
        reader.read("deep/b.txt")
    reader.refresh()
    assert reader.read("deep/b.txt") == b"two\n"
    assert other.read("deep/b.txt") == b"two\n", "who had read nothing sees the new state"
    assert other.read_json("a.json") == {"n": 2}


def test_a_writer_whose_ground_has_changed_writes_nothing(folder):
    slow = again(folder)
    assert slow.read_json("a.json") == {"n": 1}
    folder.write_json("a.json", {"n": 2})
    with pytest.raises(Busy):
        slow.write_text("deep/b.txt", "about the first\n")
    assert again(folder).read("deep/b.txt") == b"one\n"
    folder.write_json("a.json", {"n": 2})
    assert folder.read_json("a.json") == {"n": 2}, "its own changes are no surprise"


# --- what somebody else may have put there ---------------------------------------------------


@pytest.fixture
def mine(tmp_path) -> Path:
    """A file of the user's that nobody may touch."""
    path = tmp_path / "mine" / "notes.txt"
    path.parent.mkdir()
    path.write_text("mine")
    return path


@pytest.mark.parametrize("name", ["a.json", "deep/b.txt", MANIFEST])
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
    for act in (
        lambda f: f.read("deep/b.txt"),
        lambda f: f.write_text("deep/b.txt", "x"),
        lambda f: f.locate("deep/c"),
    ):
        with pytest.raises(Damaged, match="deep: expected a file or folder of the run, found a l"):
            act(again(folder))
    for name in (".next-1", ".next-2", ".tmp-x"):
        (folder.path / name).symlink_to(mine.parent)
    with suppress(Damaged):
        again(folder).clean_up()
    assert mine.read_text() == "mine"
    again(folder).write_json("a.json", {"n": 2})
    assert sorted(p.name for p in mine.parent.iterdir()) == ["b.txt", "notes.txt"]


@pytest.mark.parametrize("name", ["../mine/notes.txt", "/etc/hostname", "deep/../../x", ""])
def test_no_name_leads_outside(folder, name):
    with pytest.raises(Damaged, match="expected the name of a file in it"):
        folder.read(name)


def test_a_manifest_whose_names_lead_outside_moves_nothing(folder, mine):
    from wherefrom.core.manifests import read_manifest, spell_manifest

    facts, listed = read_manifest(folder.path / MANIFEST)
    for told in (
        {"new": ["../mine/notes.txt"]},
        {"moved": {"../mine/notes.txt": ""}},
        {"moved": {"deep": "../elsewhere"}},
    ):
        (folder.path / MANIFEST).write_bytes(spell_manifest(facts | told, listed))
        (folder.path / ".next-1").mkdir(exist_ok=True)
        with pytest.raises(Damaged, match="expected the name of a file in it"):
            again(folder).clean_up()
    assert mine.read_text() == "mine"
    assert (folder.path / "deep" / "b.txt").exists()


def test_the_manifest_of_a_folder_that_is_no_run_is_refused(tmp_path):
    with publish_folder(tmp_path / "step-7", {"step": 7}):
        pass
    with pytest.raises(Damaged, match="expected the manifest of a run, found another folder's"):
        RunFiles(tmp_path / "step-7").read("a.json")
