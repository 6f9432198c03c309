"""Archives: the wanted members alone come out, and nothing is written, whatever they hold."""

import bz2
import io
import zipfile

import pytest

from tests.data.conftest import packed as make_tar
from wherefrom.core.errors import Damaged
from wherefrom.data.fetching import archives as module
from wherefrom.data.fetching.archives import take

WANTED = r"data/[a-z]+\.txt"


def make_zip(*members: tuple[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members:
            archive.writestr(name, data)
    return out.getvalue()


@pytest.mark.parametrize("make", [make_tar, make_zip])
def test_names_that_lead_elsewhere_are_never_wanted(make, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    hostile = [(n, b"x") for n in ("../data/a.txt", "/data/a.txt", "data/../a.txt", "data\\a.txt")]
    found = take(make(*hostile, ("data/a.txt", b"A")), "package", WANTED)
    assert found == {"data/a.txt": b"A"}
    assert list(tmp_path.iterdir()) == []
    assert not (tmp_path.parent / "data").exists()


A, B = "data/a.txt", "data/b.txt"
ZIP = make_zip((A, b"text" * 100))
BAD = [
    ([make((A, bytes(10**7))) for make in (make_tar, make_zip)], r"found more in 'data/a\.txt'"),
    (
        [make((A, bytes(600)), (B, bytes(600))) for make in (make_tar, make_zip)],
        r"expected at most 1,000 bytes, found more in 'data/b\.txt'",
    ),
    ([make_tar(("other", b"x")), make_zip(("other", b"x")), make_tar(links=(A,))], "found none"),
    ([bz2.compress(bytes(9)), b"no archive at all"], "package: expected an archive, found"),
    ([b"", b"PK\x03\x04 no zip", make_tar()[:15]], "expected a"),
    ([ZIP[:45] + bytes([ZIP[45] ^ 0xFF]) + ZIP[46:]], "expected an archive, found"),
]


@pytest.mark.parametrize(("archives", "message"), BAD)
def test_what_is_not_as_it_should_be_is_damage(archives, message, monkeypatch):
    monkeypatch.setattr(module, "MOST", 1000)
    for data in archives:
        with pytest.raises(Damaged, match=message):
            take(data, "package", WANTED)
