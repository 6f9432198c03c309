"""Half-written, damaged, contested and hostile artifacts: found, named, never loaded."""

import errno
import hashlib
import json
import os
import signal
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wherefrom.core import artifact
from wherefrom.core.artifact import (
    append_jsonl,
    cannot_write,
    file_hash,
    load_arrays,
    lock_folder,
    publish_folder,
    read_json,
    read_jsonl,
    remove_folder,
    save_arrays,
    sweep,
    verify_folder,
    write_json,
    write_jsonl,
    write_text,
)
from wherefrom.core.errors import Busy, CannotWrite, Damaged, Mismatch, MissingInput

SOURCE = Path(artifact.__file__).parents[2]


def child(code: str, *arguments: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)],
        env=os.environ | {"PYTHONPATH": str(SOURCE)},
        stdout=subprocess.PIPE,
        text=True,
    )


def publish(final: Path, **files: str) -> None:
    with publish_folder(final, {"step": 7}) as folder:
        for name, text in files.items():
            (folder / name).write_text(text)


def everything(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


# --- one file ---------------------------------------------------------------------------------


def test_json_comes_back_and_nothing_else_is_left(tmp_path):
    value = {"name": "Zoë\u2028", "numbers": [1, 2.5, None, True]}
    write_json(tmp_path / "deep" / "a.json", {"old": 1})
    write_json(tmp_path / "deep" / "a.json", value)
    assert read_json(tmp_path / "deep" / "a.json") == value
    assert [p.name for p in (tmp_path / "deep").iterdir()] == ["a.json"]


def test_what_json_does_not_have_is_not_written(tmp_path):
    with pytest.raises(ValueError, match="JSON"):
        write_json(tmp_path / "a.json", {"loss": float("nan")})
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("data", [b"", b"{", b"\xff\xfe", b"[" * 100_000, b'{"a": 1, "a": 2}'])
def test_what_is_not_json_is_damage(tmp_path, data):
    path = tmp_path / "a.json"
    path.write_bytes(data)
    with pytest.raises(Damaged, match=r"a\.json: expected JSON, found") as caught:
        read_json(path)
    assert "\n" not in str(caught.value)


def test_a_missing_file_is_missing_input(tmp_path):
    for read in (read_json, read_jsonl, file_hash, load_arrays):
        with pytest.raises(MissingInput, match=r"nowhere: expected a file"):
            read(tmp_path / "nowhere")


def test_the_hash_is_sha256(tmp_path):
    (tmp_path / "abc").write_text("abc")
    known = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert file_hash(tmp_path / "abc") == known


def test_below_a_regular_file_nothing_can_be_written(tmp_path):
    (tmp_path / "file").write_text("kept")
    below = tmp_path / "file" / "run"
    with pytest.raises(CannotWrite) as caught:
        write_text(below / "a.txt", "x")
    message = str(caught.value)
    assert str(below / "a.txt") in message
    assert "Not a directory" in message
    assert "name another folder" in message
    assert "\n" not in message
    with pytest.raises(CannotWrite), publish_folder(below, {}):
        pass
    with pytest.raises(CannotWrite), lock_folder(below):
        pass
    with pytest.raises(CannotWrite):
        append_jsonl(below / "rows", [{}])
    assert (tmp_path / "file").read_text() == "kept"


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EACCES, errno.EFBIG])
def test_the_systems_reason_is_told(number):
    with pytest.raises(CannotWrite, match=os.strerror(number)), cannot_write(Path("runs/x")):
        raise OSError(number, os.strerror(number))


FULL = """
import resource, sys
from pathlib import Path
import numpy as np
from wherefrom.core.artifact import append_jsonl, publish_folder, save_arrays, write_text
from wherefrom.core.errors import CannotWrite
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
folder = Path(sys.argv[1])
def publish():
    with publish_folder(folder / "state", {}) as new:
        save_arrays(new / "arrays", {"a": np.zeros(10_000)})
for write in (
    publish,
    lambda: write_text(folder / "text", "x" * 10_000),
    lambda: append_jsonl(folder / "rows", [{"x": "y" * 10_000}]),
):
    try:
        write()
    except CannotWrite as error:
        print(error)
"""


def test_a_full_disk_leaves_what_was_there(tmp_path):
    publish(tmp_path / "state", a="old")
    write_text(tmp_path / "text", "old")
    append_jsonl(tmp_path / "rows", [{"row": 1}])
    before = everything(tmp_path)
    full = child(FULL, tmp_path)
    output, _ = full.communicate(timeout=30)
    assert full.returncode == 0
    lines = output.splitlines()
    assert len(lines) == 3
    assert all("cannot write: File too large; raise the limit" in line for line in lines)
    after = everything(tmp_path)
    assert after.pop("rows").startswith(before.pop("rows"))
    assert after == before
    append_jsonl(tmp_path / "rows", [{"row": 2}])  # the torn row is dropped
    assert read_jsonl(tmp_path / "rows") == [{"row": 1}, {"row": 2}]


# --- rows -------------------------------------------------------------------------------------

words = st.text(st.characters(exclude_categories=("Cs",)), max_size=8)
rows_of = st.lists(st.dictionaries(words, words | st.integers(), max_size=3), max_size=5)


@settings(deadline=None, max_examples=40)
@given(rows=rows_of, cut=st.integers(0, 400))
def test_rows_survive_a_cut_at_any_byte(rows, cut):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.jsonl"
        write_jsonl(path, rows)
        assert read_jsonl(path) == rows
        data = path.read_bytes()[:cut]
        path.write_bytes(data)
        whole = rows[: data.count(b"\n")]
        unended = [json.dumps(r, ensure_ascii=False).encode() for r in rows[len(whole) :][:1]]
        if unended == [data.rpartition(b"\n")[2]]:  # only its end of line is gone
            whole = rows[: len(whole) + 1]
        assert read_jsonl(path) == whole
        append_jsonl(path, [{"next": 1}])
        assert read_jsonl(path) == [*whole, {"next": 1}]


def test_a_bad_row_that_is_not_the_last_is_damage(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text('{"a": 1}\n{"a": \n{"a": 3}\n')
    with pytest.raises(Damaged, match=r"rows\.jsonl:2: expected JSON"):
        read_jsonl(path)
    path.write_text('{"a": 1}\n{"a": \n')
    with pytest.raises(Damaged, match=r"rows\.jsonl:2: expected JSON"):
        read_jsonl(path)


# --- folders ----------------------------------------------------------------------------------


def test_a_published_folder_says_what_it_holds(tmp_path):
    final = tmp_path / "below" / "state"
    with publish_folder(final, {"step": 7, "identity": {"n": 1}}) as folder:
        assert folder.name.startswith(".tmp-")
        assert folder.parent == final.parent
        (folder / "inner").mkdir()
        (folder / "inner" / "a.txt").write_text("abc")
        assert not final.exists()
    manifest = verify_folder(final)
    assert manifest["format_version"] == 1
    assert (manifest["step"], manifest["identity"]) == (7, {"n": 1})
    digest = hashlib.sha256(b"abc").hexdigest()
    assert manifest["files"] == {"inner/a.txt": {"bytes": 3, "sha256": digest}}
    assert [p.name for p in final.parent.iterdir()] == ["state"]


def test_publishing_again_replaces_all_of_it(tmp_path):
    publish(tmp_path / "state", a="1", b="2")
    publish(tmp_path / "state", a="3")
    assert verify_folder(tmp_path / "state")["files"].keys() == {"a"}
    assert [p.name for p in tmp_path.iterdir()] == ["state"]


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


def test_a_failed_rename_puts_the_old_folder_back(tmp_path, monkeypatch):
    publish(tmp_path / "state", a="old")
    before, rename = everything(tmp_path), os.rename

    def refuse(source, target):
        if ".tmp-new-" in str(source):
            raise OSError(errno.ENOSPC, "No space left on device")
        rename(source, target)

    monkeypatch.setattr(os, "rename", refuse)
    with pytest.raises(CannotWrite, match=r"state: cannot write: No space left"):
        publish(tmp_path / "state", a="new")
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


def break_missing(folder: Path) -> None:
    (folder / "b").unlink()


def break_size(folder: Path) -> None:
    (folder / "b").write_text("longer than it was")


def break_content(folder: Path) -> None:
    (folder / "b").write_text("TWO")


def break_extra(folder: Path) -> None:
    (folder / "b.bak").write_text("two")


def break_kind(folder: Path) -> None:
    (folder / "b").unlink()
    os.mkfifo(folder / "b")


def break_no_manifest(folder: Path) -> None:
    (folder / "manifest.json").unlink()


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (break_missing, r"/b: expected a file, found none"),
        (break_size, r"/b: expected 3 bytes, found 18"),
        (break_content, r"/b: expected SHA-256 [0-9a-f]{64}, found [0-9a-f]{64}"),
        (break_extra, r"/b\.bak: expected only what manifest\.json lists"),
        (break_kind, r"/b: expected a regular file"),
        (break_no_manifest, r"/manifest\.json: expected a manifest, found"),
    ],
)
def test_damage_is_named(tmp_path, damage, message):
    publish(tmp_path / "state", a="one", b="two")
    verify_folder(tmp_path / "state")
    damage(tmp_path / "state")
    with pytest.raises(Damaged, match=message) as caught:
        verify_folder(tmp_path / "state")
    assert "\n" not in str(caught.value)


def test_no_folder_is_missing_input(tmp_path):
    (tmp_path / "file").write_text("")
    for name in ("nowhere", "file"):
        with pytest.raises(MissingInput, match=f"{name}: expected a folder"):
            verify_folder(tmp_path / name)


@settings(deadline=None, max_examples=150)
@given(data=st.data())
def test_any_flipped_bit_and_any_cut_is_found(data):
    with tempfile.TemporaryDirectory() as folder:
        final = Path(folder) / "state"
        publish(final, a="one", b="two")
        path = final / data.draw(st.sampled_from(["a", "b", "manifest.json"]))
        content = bytearray(path.read_bytes())
        at = data.draw(st.integers(0, len(content) - 1))
        if data.draw(st.booleans()):
            content[at] ^= 1 << data.draw(st.integers(0, 7))
        else:
            del content[at:]
        path.write_bytes(content)
        with pytest.raises(Damaged, match=path.name):
            verify_folder(final)


def forge(folder: Path, **fields: object) -> None:
    """Another manifest, with a checksum that is right: someone knew what they were doing."""
    old = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").write_bytes(artifact._seal(old | fields))


def test_a_manifest_cannot_point_outside_its_folder(tmp_path):
    publish(tmp_path / "state", a="one")
    (tmp_path / "secret").write_text("two")
    entry = {"bytes": 3, "sha256": hashlib.sha256(b"two").hexdigest()}
    for name in ("../secret", str(tmp_path / "secret")):
        forge(tmp_path / "state", files={name: entry})
        with pytest.raises(Damaged, match="secret: expected a file, found none"):
            verify_folder(tmp_path / "state")


@pytest.mark.parametrize("files", [None, [], 3, {"a": 3}, {"a": {}}])
def test_a_manifest_of_another_shape_is_damage(tmp_path, files):
    publish(tmp_path / "state", a="one")
    forge(tmp_path / "state", files=files)
    with pytest.raises(Damaged):
        verify_folder(tmp_path / "state")


def test_another_format_is_a_mismatch(tmp_path):
    publish(tmp_path / "state", a="one")
    forge(tmp_path / "state", format_version=2)
    with pytest.raises(Mismatch, match="format_version: expected 1, found 2"):
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


def test_sweeping_puts_back_what_was_moved_aside_for_nothing(tmp_path):
    publish(tmp_path / "state", a="one")
    (tmp_path / "state").rename(tmp_path / ".tmp-old-state")  # killed between two renames
    (tmp_path / ".tmp-new-state-1234").mkdir()
    sweep(tmp_path)
    assert verify_folder(tmp_path / "state")["step"] == 7
    assert [p.name for p in tmp_path.iterdir()] == ["state"]


def test_a_removed_folder_is_gone_at_once(tmp_path):
    publish(tmp_path / "state", a="one")
    remove_folder(tmp_path / "state")
    assert not list(tmp_path.iterdir())


# --- arrays -----------------------------------------------------------------------------------

DTYPES = ["float32", "float64", "float16", "int64", "int32", "uint8", "bool"]


@settings(deadline=None, max_examples=40)
@given(
    dtype=st.sampled_from(DTYPES),
    shape=st.lists(st.integers(0, 4), max_size=3),
    turned=st.booleans(),
    seed=st.integers(0, 2**32 - 1),
)
def test_arrays_come_back_bit_for_bit(dtype, shape, turned, seed):
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    data = np.random.default_rng(seed).integers(0, 2, size, dtype=np.uint8).tobytes()
    array = np.frombuffer(data, dtype).reshape(shape)
    array = array.T if turned else array  # a view whose memory is in another order
    with tempfile.TemporaryDirectory() as folder:
        save_arrays(Path(folder) / "a", {"x": array, "other": np.arange(3)})
        loaded = load_arrays(Path(folder) / "a")
    assert loaded.keys() == {"x", "other"}
    assert (loaded["x"].dtype, loaded["x"].shape) == (array.dtype, array.shape)
    assert loaded["x"].tobytes() == array.tobytes()


def test_no_arrays_come_back_as_none(tmp_path):
    save_arrays(tmp_path / "a", {})
    assert load_arrays(tmp_path / "a") == {}


def tensor(start: int, end: int, **changed: object) -> dict[str, object]:
    plain = {"dtype": "U8", "shape": [end - start], "data_offsets": [start, end]}
    return plain | changed


def safetensors(header: object, data: bytes = b"", length: int | None = None) -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text) if length is None else length) + text + data


ONE, NONE = json.dumps(tensor(0, 4)).encode(), json.dumps(tensor(0, 0)).encode()
HOSTILE = {
    "empty": b"",
    "seven bytes": b"\0" * 7,
    "huge header": safetensors({"a": tensor(0, 4)}, b"abcd", length=2**63),
    "header past the end": safetensors({"a": tensor(0, 4)}, b"abcd", length=500),
    "200,000 arrays": safetensors(
        b"{%s}" % b",".join(b'"%d":%s' % (i, NONE) for i in range(200_000))
    ),
    "truncated": safetensors({"a": tensor(0, 4)}, b"abc"),
    "too long": safetensors({"a": tensor(0, 4)}, b"abcde"),
    "overlap": safetensors({"a": tensor(0, 4), "b": tensor(2, 6)}, b"abcdef"),
    "same bytes twice": safetensors({"a": tensor(0, 4), "b": tensor(0, 4)}, b"abcd"),
    "hole": safetensors({"a": tensor(0, 2), "b": tensor(4, 6)}, b"abcdef"),
    "duplicate name": safetensors(b'{"a": %s, "a": %s}' % (ONE, ONE), b"abcd"),
    "duplicate name, escaped": safetensors(b'{"a": %s, "\\u0061": %s}' % (ONE, ONE), b"abcd"),
    "shape too large": safetensors({"a": tensor(0, 4, shape=[2**40])}, b"abcd"),
    "shape that overflows": safetensors({"a": tensor(0, 4, shape=[2**32, 2**32 + 1])}, b"abcd"),
    "negative offset": safetensors({"a": tensor(0, 4, data_offsets=[-4, 0])}, b"abcd"),
    "unknown dtype": safetensors({"a": tensor(0, 4, dtype="OBJECT")}, b"abcd"),
    "dtype numpy lacks": safetensors({"a": tensor(0, 4, dtype="BF16", shape=[2])}, b"abcd"),
    "not JSON": safetensors(b"{'a': 1}"),
    "deeply nested": safetensors(b"[" * 100_000),
    "pickle": b"\x80\x04\x95" + b"." * 100,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_safetensors_are_damage(tmp_path, name):
    (tmp_path / "a.safetensors").write_bytes(HOSTILE[name])
    with pytest.raises(Damaged, match=r"a\.safetensors") as caught:
        load_arrays(tmp_path / "a.safetensors")
    assert "\n" not in str(caught.value)


def test_the_hostile_files_differ_from_a_good_one_only_by_their_fault(tmp_path):
    good = safetensors({"a": tensor(0, 4), "b": tensor(4, 6)}, b"abcdef")
    (tmp_path / "a").write_bytes(good)
    loaded = load_arrays(tmp_path / "a")
    assert {name: array.tobytes() for name, array in loaded.items()} == {"a": b"abcd", "b": b"ef"}


# --- one writer -------------------------------------------------------------------------------

HOLDER = """
import sys, time
from pathlib import Path
from wherefrom.core.artifact import lock_folder
with lock_folder(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""


def test_a_second_writer_is_told_who_the_first_is_and_kill_9_frees_the_lock(tmp_path):
    folder = tmp_path / "run"
    holder = child(HOLDER, folder)
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(Busy, match=f"run: .* process {holder.pid} "), lock_folder(folder):
            pytest.fail("two writers")
    finally:
        holder.send_signal(signal.SIGKILL)
        holder.communicate(timeout=30)
    with lock_folder(folder):
        assert (folder / ".lock").read_text().strip() == str(os.getpid())
    assert (folder / ".lock").exists()


def test_the_lock_is_free_after_use_and_after_an_error(tmp_path):
    with pytest.raises(RuntimeError), lock_folder(tmp_path):
        raise RuntimeError
    with lock_folder(tmp_path), pytest.raises(Busy), lock_folder(tmp_path):
        pytest.fail("two writers")
    with lock_folder(tmp_path):
        pass


def test_no_torch_is_needed():
    code = "import sys, wherefrom.core.artifact; print('torch' in sys.modules, end='')"
    output, _ = child(code).communicate(timeout=30)
    assert output == "False"
