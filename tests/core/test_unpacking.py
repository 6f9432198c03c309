"""What gzip packed comes out whole, or not at all where it would fill the memory."""

import gzip
import io
import tracemalloc

import pytest

from wherefrom.core import unpacking
from wherefrom.core.errors import Damaged
from wherefrom.core.unpacking import FREE, Unpacked, unpack


def test_what_was_packed_comes_out_in_any_pieces():
    text = bytes(range(256)) * 5000
    packed = gzip.compress(text) + gzip.compress(b"more")  # several members are one text
    assert unpack(packed, "f.gz") == text + b"more"
    file = Unpacked(io.BytesIO(packed), "f.gz")
    assert b"".join(iter(lambda: file.read(1000), b"")) == text + b"more"
    assert unpack(gzip.compress(b""), "f.gz") == b""


def spaces(size: int) -> bytes:
    out = io.BytesIO()
    with gzip.GzipFile(fileobj=out, mode="wb", compresslevel=1) as file:
        for _ in range(size // 2**20):
            file.write(b" " * 2**20)
    return out.getvalue()


def test_a_bomb_is_left_before_it_fills_the_memory():
    bomb = spaces(4 * FREE)
    assert len(bomb) * 200 < 4 * FREE
    file = Unpacked(io.BytesIO(bomb), "f.gz")
    tracemalloc.start()
    with pytest.raises(Damaged, match=r"^f\.gz: expected text that gzip packed, found more than"):
        sum(len(part) for part in iter(lambda: file.read(2**20), b""))
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 2**24


def test_what_repeats_much_is_fine_while_it_is_small():
    assert len(unpack(spaces(FREE), "f.gz")) == FREE


def test_the_bytes_in_all_are_limited_too(monkeypatch):
    monkeypatch.setattr(unpacking, "RATIO", 10**9)
    monkeypatch.setattr(unpacking, "MOST", 2_000_000)
    with pytest.raises(Damaged, match=r"at most 0\.002 GB when it is unpacked, found more; unpack"):
        unpack(spaces(3 * 2**20), "f.gz")
    with pytest.raises(Damaged, match=r"found more; audit the run again$"):
        unpack(spaces(3 * 2**20), "f.gz", "audit the run again")


@pytest.mark.parametrize(
    "packed",
    [
        b"no gzip",
        gzip.compress(b"text" * 100)[:-9],
        gzip.compress(b"a") + b"x",
        gzip.compress(b"a")[:10] + b"\xff" * 20,  # zlib's own error
    ],
)
def test_a_damaged_file_is_named(packed):
    with pytest.raises(
        Damaged, match=r"^f\.gz: expected a file that gzip packed, found: "
    ) as error:
        unpack(packed, "f.gz")
    assert "\n" not in str(error.value)
