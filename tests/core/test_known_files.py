"""Files whose hash is known: other bytes are damage, and whoever knows nothing pays nothing."""

import gzip
import hashlib
import os
import socket

import numpy as np
import pytest

from wherefrom.core import known_files
from wherefrom.core.errors import Damaged, MissingInput
from wherefrom.core.files import read_text
from wherefrom.core.known_files import Known, are_expected, expecting
from wherefrom.core.npy import read_npy
from wherefrom.data.reviews import read_reviews
from wherefrom.reading.table_files import read_lines

ROWS = b'{"label": 1, "text": "a fine film"}\n'


def save(path):
    array = np.arange(6.0).reshape(2, 3)
    np.save(path, array)


READERS = {
    "a.txt": (lambda p: p.write_bytes(b"one\ntwo\n"), read_text),
    "b.txt": (lambda p: p.write_bytes(b"one\ntwo\n"), read_lines),
    "c.txt.gz": (lambda p: p.write_bytes(gzip.compress(b"one\ntwo\n")), read_lines),
    "d.npy": (save, read_npy),
    "e.jsonl": (lambda p: p.write_bytes(ROWS), lambda p: read_reviews(p, "train")),
    "f.jsonl.gz": (lambda p: p.write_bytes(gzip.compress(ROWS)), lambda p: read_reviews(p, "t")),
}


@pytest.mark.parametrize("name", READERS)
def test_every_reader_notices_every_other_file(name, tmp_path):
    path = tmp_path / name
    write, read = READERS[name]
    write(path)
    data = path.read_bytes()
    known = Known(hashlib.sha256(data).hexdigest(), "'x' was fetched", "fetch it again")
    with expecting(lambda p: known if p == path else None):
        read(path)
        other = data.replace(b"two", b"twO") if b"two" in data else data[:-2] + b" \n"
        for changed in (other, data + b"\n", data + bytes(5)):
            if changed == data:
                continue
            path.write_bytes(changed)
            with pytest.raises(Damaged):
                read(path)
        path.write_bytes(data)
        read(path)
    path.write_bytes(data[:-1] + b" " if name == "b.txt" else data)
    read(path)  # nobody expects anything


def test_a_pipe_or_a_socket_is_no_file(tmp_path):
    """A pipe without a writer, one as a shell's <(COMMAND) is, and a socket."""
    os.mkfifo(tmp_path / "pipe")
    ends = os.pipe()
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "s"))
        for path, kind in (("pipe", "pipe"), (f"/dev/fd/{ends[0]}", "pipe"), ("s", "socket")):
            for read in (read_text, read_lines):
                with pytest.raises(MissingInput, match=f"expected a file, found a {kind}; name"):
                    read(tmp_path / path)
    for end in ends:
        os.close(end)


def test_files_that_nobody_knows_are_not_hashed(tmp_path, monkeypatch):
    path = tmp_path / "a.txt"
    path.write_text("one\n")

    class Refusing:
        def update(self, data: bytes) -> None:
            raise AssertionError

    monkeypatch.setattr(known_files.hashlib, "sha256", lambda *_: Refusing())
    assert read_lines(path) == ["one"]
    with expecting(lambda _: None):
        assert are_expected()
        assert read_lines(path) == ["one"]
    assert not are_expected()
