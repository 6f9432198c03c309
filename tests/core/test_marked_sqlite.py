"""A SQLite file that carries its own hash: still a SQLite file, and no bit of it may change."""

import sqlite3
from contextlib import closing

import pytest

from wherefrom.core.errors import Damaged, MissingInput
from wherefrom.core.marked_sqlite import mark_whole, require_whole


@pytest.fixture
def path(tmp_path):
    made = tmp_path / "index.sqlite"
    with closing(sqlite3.connect(made)) as database:
        database.execute("CREATE TABLE t (x TEXT)")
        database.execute("INSERT INTO t VALUES ('Oslo')")
        database.commit()
    mark_whole(made)
    return made


def test_a_marked_file_is_whole_and_readable(path):
    require_whole(path)
    with closing(sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)) as database:
        assert database.execute("SELECT x FROM t").fetchall() == [("Oslo",)]
        assert database.execute("PRAGMA quick_check").fetchall() == [("ok",)]
    require_whole(path)


def test_every_flipped_bit_is_noticed(path):
    whole = path.read_bytes()
    places = [*range(0, 8 * 100, 3), *range(800, 8 * len(whole), 251), 8 * whole.index(b"Oslo")]
    for bit in places:
        data = bytearray(whole)
        data[bit // 8] ^= 1 << bit % 8
        path.write_bytes(data)
        with pytest.raises(Damaged, match="expected an index with the hash of its content"):
            require_whole(path)


def test_what_is_cut_or_missing_or_never_marked(path):
    whole = path.read_bytes()
    for data in (b"", whole[:99], whole[:-1], whole + b"\0"):
        path.write_bytes(data)
        with pytest.raises(Damaged, match="expected an index"):
            require_whole(path)
    path.unlink()
    with pytest.raises(MissingInput, match="expected a file"):
        require_whole(path)
