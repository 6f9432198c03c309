"""Files: atomic writing, strict reading, and what the system refuses."""

import os
import socket
from pathlib import Path

import pytest

from wherefrom.core.arrays import load_arrays
from wherefrom.core.artifact import lock_folder, publish_folder
from wherefrom.core.errors import CannotWrite, Damaged, MissingInput
from wherefrom.core.files import file_hash, read_json, read_jsonl, read_text, write_json, write_text
from wherefrom.core.npy import read_npy
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


def test_a_missing_file_is_missing_input(tmp_path):
    for read in (read_json, read_jsonl, file_hash, load_arrays, read_npy):
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
