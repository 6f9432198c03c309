"""Downloads from a registry on this machine: the pinned bytes, or one line and nothing."""

import hashlib
from dataclasses import replace

import pytest

from wherefrom.core.errors import CannotWrite, Damaged, MissingInput, Unavailable
from wherefrom.data.fetching.download import Pinned, download, find_address

DATA = b"packed bytes" * 1000
PINNED = Pinned(
    "pypi", "some-data", "1.0", "some_data-1.0.tar.gz", len(DATA), hashlib.sha256(DATA).hexdigest()
)


@pytest.fixture(autouse=True)
def offered(package_registry):
    package_registry.offer(PINNED.package, PINNED.file, DATA)
    return package_registry


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ({"sha256": "0" * 64}, "found 12,000 with SHA-256"),
        ({"size": len(DATA) - 1}, "found more; nothing of it was used"),
        ({"size": len(DATA) + 1}, "found 12,000 with SHA-256"),
    ],
)
def test_other_bytes_are_refused_and_removed(tmp_path, change, found):
    with pytest.raises(Damaged, match=found) as caught:
        download(replace(PINNED, **change), tmp_path / "file.part")
    assert "\n" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_a_registry_that_has_it_not(tmp_path):
    with pytest.raises(MissingInput, match=r"expected other\.whl on it, found 2 other files"):
        download(replace(PINNED, file="other.whl"), tmp_path / "file")
    with pytest.raises(Unavailable, match="cannot download: HTTP Error 404"):
        download(replace(PINNED, package="none"), tmp_path / "file")
    with pytest.raises(Unavailable, match="cannot download: HTTP Error 404"):
        download(replace(PINNED, registry="npm", package="none"), tmp_path / "file")


@pytest.mark.parametrize("registry", ["pypi", "npm"])
@pytest.mark.parametrize("address", ["http://[::1", "no address", "http://me:secret@host/simple"])
def test_an_address_that_is_none(tmp_path, monkeypatch, registry, address):
    monkeypatch.setenv("PIP_INDEX_URL", address)
    monkeypatch.setenv("npm_config_registry", address)
    with pytest.raises(Unavailable, match="cannot download") as caught:
        download(replace(PINNED, registry=registry), tmp_path / "file")
    assert "secret" not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_links_may_be_whole_addresses_and_escaped_and_what_is_none_is_passed_over(offered):
    link = f"{offered.address}/f/some%5Fdata-1.0.tar.gz"
    bad = "".join(f"<a href='{start}/{PINNED.file}'>" for start in ("http://[", "http://[::1"))
    offered.files["/simple/some-data/"] = f"{bad}<a href='{link}'>".encode()
    assert find_address(PINNED) == link


def test_a_page_that_is_too_long_is_left(offered):
    offered.files["/simple/some-data/"] = b"x" * (2**24 + 100_000)
    with pytest.raises(Damaged, match=r"at most 16,777,216 bytes"):
        find_address(PINNED)


def test_a_folder_that_cannot_be_written(tmp_path):
    with pytest.raises(CannotWrite):
        download(PINNED, tmp_path / "none" / "file")
