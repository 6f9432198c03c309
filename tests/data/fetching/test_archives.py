"""Archives that are meant well and others: nothing is written, whatever they hold."""

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile

import pytest

from tests.data.conftest import packed as make_tar
from wherefrom.core.errors import Damaged
from wherefrom.data.fetching.archives import take

WANTED = r"data/[a-z]+\.txt"


def make_zip(*members: tuple[str, bytes], links: tuple[str, ...] = ()) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members:
            archive.writestr(name, data)
        for name in links:
            info = zipfile.ZipInfo(name)
            info.external_attr = 0o120777 << 16
            archive.writestr(info, "/etc/passwd")
    return out.getvalue()


MAKERS = pytest.mark.parametrize("make", [make_tar, make_zip])


@MAKERS
def test_names_that_lead_elsewhere_are_never_wanted(make, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    hostile = [(n, b"x") for n in ("../data/a.txt", "/data/a.txt", "data/../a.txt", "data\\a.txt")]
    found = take(make(*hostile, ("data/a.txt", b"A")), "package", WANTED, 100)
    assert found == {"data/a.txt": b"A"}
    assert list(tmp_path.iterdir()) == []
    assert not (tmp_path.parent / "data").exists()


def test_a_stream_of_members_that_nobody_wants_ends(monkeypatch):
    monkeypatch.setattr("wherefrom.data.fetching.archives._MOST_SKIPPED", 1000)
    big = ("big", bytes(2000))
    with pytest.raises(Damaged, match=r"expected at most .* GB when it is unpacked, found more"):
        take(make_tar(big, ("data/a.txt", b"A")), "package", WANTED, 100)
    plain = gzip.decompress(make_tar(big))
    with pytest.raises(Damaged, match="members of more bytes than any package has"):
        take(plain, "package", WANTED, 100)


@MAKERS
def test_too_many_members_are_not_walked(make, monkeypatch):
    monkeypatch.setattr("wherefrom.data.fetching.archives._MOST_MEMBERS", 5)
    members = [(f"m{i}", b"") for i in range(8)]
    with pytest.raises(Damaged, match="more than 5 members"):
        take(make(*members, ("data/a.txt", b"A")), "package", WANTED, 100)


def test_a_header_without_end_is_not_read(monkeypatch):
    """tarfile reads the names of a member into memory, however long they are said to be."""
    monkeypatch.setattr("wherefrom.data.fetching.archives._MOST_SKIPPED", 2**20)
    out = io.BytesIO()
    info = tarfile.TarInfo("././@PaxHeader")
    info.type, info.size = tarfile.XHDTYPE, 2**30
    with gzip.GzipFile(fileobj=out, mode="wb", compresslevel=1) as file:
        file.write(info.tobuf())
        for _ in range(8):
            file.write(bytes(2**20))
    with pytest.raises(Damaged, match=r"archive: expected at most 0\.001.* GB when it is unpacked"):
        take(out.getvalue(), "package", WANTED, 100)


A, B = "data/a.txt", "data/b.txt"
ZIP = make_zip((A, b"text" * 100))
LYING = make_zip((A, bytes(5000))).replace((5000).to_bytes(4, "little"), (10).to_bytes(4, "little"))
HOSTILE = [
    (
        [make_tar(links=(A,)), make_zip(links=(A,))],
        r"package: expected a plain file 'data/a\.txt', found",
    ),
    ([make_zip((f"{A}/", b""))], r"expected a plain file 'data/a\.txt/'"),
    ([make((A, bytes(10**7))) for make in (make_tar, make_zip)], r"found more in 'data/a\.txt'"),
    (
        [make((A, bytes(600)), (B, bytes(600))) for make in (make_tar, make_zip)],
        r"expected at most 1,000 bytes, found more in 'data/b\.txt'",
    ),
    ([make(("other", b"x")) for make in (make_tar, make_zip)], "expected a member .*, found none"),
    ([make_tar((A, b"A"), (A, b"B"))], "once, found it twice"),
    # No package that is pinned needs another packer, and their limits are harder to hold.
    ([bz2.compress(bytes(9)), lzma.compress(bytes(9))], "package: expected an archive, found"),
    ([b"", b"PK\x03\x04 no zip", b"no archive at all", make_tar()[:15]], "expected a"),
    ([LYING, ZIP[:45] + bytes([ZIP[45] ^ 0xFF]) + ZIP[46:]], "expected an archive, found"),
]


@pytest.mark.parametrize(("archives", "message"), HOSTILE)
def test_what_is_not_as_it_should_be_is_damage(archives, message):
    for data in archives:
        assert len(data) < 20_000
        with pytest.raises(Damaged, match=message):
            take(data, "package", rf"{WANTED}/?", 1000)
