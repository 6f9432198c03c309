"""What is kept between calls is whole or not there, and never more than was allowed."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from wherefrom.core import cache
from wherefrom.core.cache import cache_folder, open_entry


@pytest.fixture(autouse=True)
def root(tmp_path, monkeypatch) -> Path:
    monkeypatch.setenv("WHEREFROM_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


class Maker:
    """Writes a file, and counts how often it did."""

    def __init__(self, size: int = 100) -> None:
        self.size, self.times = size, 0

    def __call__(self, folder: Path) -> None:
        self.times += 1
        (folder / "numbers").write_bytes(bytes(i % 256 for i in range(self.size)))


def test_what_another_process_made_meanwhile_is_not_made_again(monkeypatch):
    other, own, alone = Maker(), Maker(), cache.lock_folder

    @contextmanager
    def late(root: Path, wait: bool) -> Iterator[None]:
        assert wait, "who comes later is not refused"
        monkeypatch.setattr(cache, "lock_folder", alone)
        open_entry("corpus", "abc", other)
        with alone(root, wait):
            yield

    monkeypatch.setattr(cache, "lock_folder", late)
    open_entry("corpus", "abc", own)
    assert (other.times, own.times) == (1, 0)


@pytest.mark.parametrize("place", [0, 37, 99])
def test_a_flipped_bit_is_noticed_and_the_entry_made_anew(place):
    make = Maker()
    file = open_entry("corpus", "abc", make) / "numbers"
    whole = file.read_bytes()
    damaged = bytearray(whole)
    damaged[place] ^= 1
    file.write_bytes(damaged)
    assert (open_entry("corpus", "abc", make) / "numbers").read_bytes() == whole
    assert make.times == 2


def test_an_entry_under_another_key_is_not_taken(root):
    make = Maker()
    open_entry("corpus", "abc", make).rename(root / "corpus-xyz")
    open_entry("corpus", "xyz", make)
    assert make.times == 2


def test_the_entries_that_were_not_used_for_longest_go_first(root, monkeypatch):
    make = Maker(25_000)  # with its manifest, less than 30 kB
    paths = [open_entry("corpus", key, make) for key in "abc"]
    for i, path in enumerate(paths):
        os.utime(path, (i, i))
    open_entry("corpus", "a", make)  # used now
    monkeypatch.setattr(cache, "_MOST", 90_000)
    newest = open_entry("corpus", "d", make)
    assert [path.exists() for path in (*paths, newest)] == [True, False, True, True]
    monkeypatch.setattr(cache, "_MOST", 0)
    last = open_entry("corpus", "e", make)
    assert [p for p in root.iterdir() if p.is_dir()] == [last], "the newest one is always kept"


def test_where_it_lives(monkeypatch, tmp_path):
    assert cache_folder() == tmp_path / "cache"
    monkeypatch.delenv("WHEREFROM_CACHE")
    monkeypatch.setenv("WHEREFROM_HOME", str(tmp_path / "home"))
    assert cache_folder() == tmp_path / "home" / "cache"
    monkeypatch.delenv("WHEREFROM_HOME")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "shared"))
    assert cache_folder() == tmp_path / "shared" / "wherefrom"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_folder() == tmp_path / ".cache" / "wherefrom"
