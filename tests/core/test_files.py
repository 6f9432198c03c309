"""Files: atomic writing, strict reading, and what the system refuses."""

import json
import os
import socket
import struct
from pathlib import Path

import numpy as np
import pytest

from wherefrom.core.artifact import lock_folder, publish_folder
from wherefrom.core.errors import CannotWrite, Damaged, MissingInput
from wherefrom.core.files import (
    file_hash,
    format_arrays,
    read_arrays,
    read_json,
    read_jsonl,
    read_text,
    write_json,
    write_text,
)
from wherefrom.data.embeddings import read_npy
from wherefrom.reading.table_files import read_lines


def test_what_json_does_not_have_is_not_written(tmp_path):
    with pytest.raises(ValueError, match="JSON"):
        write_json(tmp_path / "a.json", {"loss": float("nan")})
    assert not list(tmp_path.iterdir())


def test_a_file_is_synced_before_it_gets_its_name_and_the_folder_after(tmp_path, monkeypatch):
    """Else a power cut could leave the name with nothing under it."""
    events: list[object] = []
    fsync, replace = os.fsync, Path.replace

    def note_sync(descriptor):
        events.append(os.fstat(descriptor).st_ino)
        fsync(descriptor)

    def note_rename(path, target):
        events.append("rename")
        return replace(path, target)

    monkeypatch.setattr(os, "fsync", note_sync)
    monkeypatch.setattr(Path, "replace", note_rename)
    write_text(tmp_path / "a.txt", "x")
    assert events == [(tmp_path / "a.txt").stat().st_ino, "rename", tmp_path.stat().st_ino]


@pytest.mark.parametrize(
    "text",
    ["NaN", '{"n": 1e999}', '{"n": -Infinity}', '{"a": 1, "a": 1}', "[" * 61 + "]" * 61,
     '{"a":' * 80 + "1" + "}" * 80, "[" * 100_000, f'{{"n": {"9" * 5000}}}', "{", "", "\udcff"],
)  # fmt: skip
def test_what_is_strictly_no_json_is_damage(tmp_path, text):
    path = tmp_path / "a.json"
    path.write_bytes(text.encode(errors="surrogateescape"))
    with pytest.raises(Damaged, match=r"a\.json: expected JSON") as caught:
        read_json(path)
    assert "\n" not in str(caught.value)
    path.write_bytes(b"1\n" + path.read_bytes() + b"\n")
    with pytest.raises(Damaged, match=r"a\.json:2: expected JSON"):
        read_jsonl(path)


# Two arrays as every version has written them, and as they stand in old runs.
HEADER = (
    b'{"b":{"dtype":"F64","shape":[],"data_offsets":[0,8]},'
    b'"a":{"dtype":"I16","shape":[2,2],"data_offsets":[8,16]}}   '
)
ARRAYS = struct.pack("<Q", len(HEADER)) + HEADER + struct.pack("<d4h", 0.5, 1, 3, 2, 4)


def test_arrays_have_one_file_and_come_back(tmp_path):
    given = {"a": np.array([[1, 2], [3, 4]], np.int16).T, "b": np.array(0.5)}
    for names in ("ab", "ba"):
        assert format_arrays({name: given[name] for name in names}) == ARRAYS
    (tmp_path / "x").write_bytes(ARRAYS)
    found = read_arrays(tmp_path / "x")
    assert found.keys() == given.keys()
    for name, array in given.items():
        assert (found[name].dtype, found[name].tolist()) == (array.dtype, array.tolist())
        assert found[name].flags.writeable


def array_file(data: bytes = b"abcd", length: int | None = None, **changed: object) -> bytes:
    entry = {"dtype": "U8", "shape": [4], "data_offsets": [0, 4]} | changed
    header = json.dumps({"a": entry}).encode()
    return struct.pack("<Q", len(header) if length is None else length) + header + data


HOSTILE = {
    "empty": b"",
    "huge header": array_file(length=2**63),
    "header past the end": array_file(length=500),
    "five million spaces": struct.pack("<Q", 5_000_002) + b" " * 5_000_000 + b"{}",
    "truncated": array_file(b"abc"),
    "too long": array_file(b"abcde"),
    "shape too large": array_file(shape=[2**40]),
    "shape that overflows": array_file(shape=[2**32, 2**32 + 1]),
    "too large for numpy": array_file(b"", shape=[0, 2**63], data_offsets=[0, 0]),
    "negative offset": array_file(data_offsets=[-4, 0]),
    "unknown dtype": array_file(dtype="OBJECT"),
    "dtype that numpy lacks": array_file(dtype="BF16", shape=[2]),
    "another that it lacks": array_file(dtype="F8_E5M2"),
    "deeply nested": struct.pack("<Q", 100_000) + b"[" * 100_000,
    "pickle": b"\x80\x04\x95" + b"." * 100,
    "not a number": array_file(struct.pack("<f", np.nan), dtype="F32", shape=[1]),
    "infinite": array_file(struct.pack("<f", -np.inf), dtype="F32", shape=[1]),
    "no weight": array_file(struct.pack("<f", 1e38), dtype="F32", shape=[1]),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_arrays_are_damage(tmp_path, name):
    (tmp_path / "a").write_bytes(array_file())
    assert read_arrays(tmp_path / "a")["a"].tobytes() == b"abcd"
    (tmp_path / "a").write_bytes(HOSTILE[name])
    with pytest.raises(Damaged, match=r"a: .*expected .*, found") as caught:
        read_arrays(tmp_path / "a")
    assert "\n" not in str(caught.value)


def test_a_missing_file_is_missing_input(tmp_path):
    for read in (read_json, read_jsonl, file_hash, read_arrays, read_npy):
        with pytest.raises(MissingInput, match=r"nowhere: expected a file"):
            read(tmp_path / "nowhere")


def test_below_a_regular_file_nothing_can_be_written(tmp_path):
    (tmp_path / "file").write_text("kept")
    below = tmp_path / "file" / "run"
    with pytest.raises(CannotWrite, match=r"run/a\.txt: .*Not a directory.*name another folder"):
        write_text(below / "a.txt", "x")
    with pytest.raises(CannotWrite), publish_folder(below, {}):
        pass
    with pytest.raises(CannotWrite), lock_folder(below):
        pass
    assert (tmp_path / "file").read_text() == "kept"


def test_a_device_a_pipe_or_a_socket_is_no_file(tmp_path):
    """A device without an end, a pipe without a writer, one as a shell's <(COMMAND), a socket."""
    os.mkfifo(tmp_path / "pipe")
    ends = os.pipe()
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "s"))
        kinds = {"/dev/zero": "device", "pipe": "pipe", f"/dev/fd/{ends[0]}": "pipe", "s": "socket"}
        for path, kind in kinds.items():
            for read in (read_text, read_lines):
                with pytest.raises(MissingInput, match=f"expected a file, found a {kind}; name"):
                    read(tmp_path / path)
    for end in ends:
        os.close(end)
