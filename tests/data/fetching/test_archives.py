"""Archives that are meant well and others: nothing is written, whatever they hold."""

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile

import pytest

from wherefrom.core.errors import Damaged
from wherefrom.data.fetching.archives import take

WANTED = r"data/[a-z]+\.txt"


def make_tar(*members: tuple[str, bytes], links: tuple[str, ...] = ()) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        for name, data in members:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
        for name in links:
            info = tarfile.TarInfo(name)
            info.type, info.linkname = tarfile.SYMTYPE, "/etc/passwd"
            archive.addfile(info)
    return out.getvalue()


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
def test_only_what_is_wanted_is_taken(make):
    data = make(("data/a.txt", b"A"), ("setup.py", b"import os"), ("data/b.txt", b"B"))
    assert take(data, "package", WANTED, 100) == {"data/a.txt": b"A", "data/b.txt": b"B"}


@MAKERS
def test_names_that_lead_elsewhere_are_never_wanted(make, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    hostile = [(n, b"x") for n in ("../data/a.txt", "/data/a.txt", "data/../a.txt", "data\\a.txt")]
    found = take(make(*hostile, ("data/a.txt", b"A")), "package", WANTED, 100)
    assert found == {"data/a.txt": b"A"}
    assert list(tmp_path.iterdir()) == []
    assert not (tmp_path.parent / "data").exists()


@MAKERS
def test_a_link_is_no_file(make):
    with pytest.raises(Damaged, match=r"package: expected a plain file 'data/a\.txt', found"):
        take(make(links=("data/a.txt",)), "package", WANTED, 100)


def test_a_folder_is_no_file():
    with pytest.raises(Damaged, match="expected a plain file 'data/'"):
        take(make_zip(("data/", b"")), "package", "data/?", 100)


@MAKERS
def test_more_bytes_than_expected_are_not_read(make):
    bomb = make(("data/a.txt", bytes(10_000_000)))
    assert len(bomb) < 20_000
    with pytest.raises(Damaged, match=r"at most 1,000 bytes, found more in 'data/a\.txt'"):
        take(bomb, "package", WANTED, 1000)
    two = make(("data/a.txt", bytes(600)), ("data/b.txt", bytes(600)))
    with pytest.raises(Damaged, match=r"found more in 'data/b\.txt'"):
        take(two, "package", WANTED, 1000)


def test_a_zip_that_lies_about_a_size():
    data = make_zip(("data/a.txt", bytes(5000)))
    lying = data.replace((5000).to_bytes(4, "little"), (10).to_bytes(4, "little"))
    with pytest.raises(Damaged):
        take(lying, "package", WANTED, 1000)


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


@pytest.mark.parametrize("pack", [bz2.compress, lzma.compress])
def test_only_gzip_is_unpacked(pack):
    """No package that is pinned needs another, and their limits are harder to hold."""
    with pytest.raises(Damaged, match="package: expected an archive, found"):
        take(pack(bytes(10_000)), "package", WANTED, 100)


@pytest.mark.filterwarnings("ignore:Duplicate name")
@MAKERS
def test_a_member_that_is_there_twice(make):
    with pytest.raises(Damaged, match="once, found it twice"):
        take(make(("data/a.txt", b"A"), ("data/a.txt", b"B")), "package", WANTED, 100)


@MAKERS
def test_a_member_that_is_missing(make):
    with pytest.raises(Damaged, match=r"package: expected a member .*, found none"):
        take(make(("other", b"x")), "package", WANTED, 100)


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04 no zip", b"no archive at all", make_tar()[:15]])
def test_what_is_no_archive(data):
    with pytest.raises(Damaged):
        take(data, "package", WANTED, 100)


def test_a_broken_member():
    data = bytearray(make_zip(("data/a.txt", b"text" * 100)))
    data[45] ^= 0xFF
    with pytest.raises(Damaged):
        take(bytes(data), "package", WANTED, 1000)
