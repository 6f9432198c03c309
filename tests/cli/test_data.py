"""`wherefrom data`: what is listed, checked and registered."""

from pathlib import Path

import pytest

from tests.data.conftest import home, offer, packed  # noqa: F401
from wherefrom.data.fetching.packages import PACKAGES

pytestmark = pytest.mark.usefixtures("home")

FILES = {
    "wiki.txt": "Ada P. Lund. Lund was born in Oslo .\nBo Falk. Falk left Rome .\n",
    "birth_places_train.tsv": "Where was Ada P. Lund born?\tOslo\nWhere was Bo Falk born?\tRome\n",
    "birth_dev.tsv": "Where was Ada P. Lund born?\tBergen\n",
}


@pytest.fixture
def folder(tmp_path) -> Path:
    made = tmp_path / "files"
    made.mkdir()
    for file, text in FILES.items():
        (made / file).write_text(text)
    return made


def test_a_folder_is_registered_listed_and_found_changed(cli, folder):
    assert "wherefrom data add birthplaces FOLDER" in cli("data", "list").out
    before = cli("data", "list", "--json").json
    assert before["registered"] == []
    assert before["registrable"] == ["birthplaces"]
    assert before["built_in"] == ["people", "tiny-text"]
    added = cli("data", "add", "birthplaces", folder)
    assert (added.code, added.err) == (0, "")
    assert added.out.endswith(f"registered: birthplaces in {folder}\n")
    assert f"  birthplaces  {folder}  ok\n" in cli("data", "list").out
    (folder / "birth_dev.tsv").write_text("Where was Bo Falk born?\tLima\n")
    (entry,) = cli("data", "list", "--json").json["registered"]
    assert entry == {"name": "birthplaces", "folder": str(folder), "state": "changed since"}
    assert "(registered: changed since)" in cli("data", "check", "birthplaces").out
    (folder / "wiki.txt").unlink()
    assert cli("data", "list", "--json").json["registered"][0]["state"] == "missing"


def test_check_counts_in_words_and_in_json(cli, folder):
    found = cli("data", "check", folder, "--json").json
    assert (found["name"], found["state"]) == ("birthplaces", None)
    assert list(found["files"]) == list(found["known"]) == list(FILES)
    assert found["survey"]["documents"] == 2
    lines = cli("data", "check", folder).out.splitlines()
    assert "  wiki.txt: no known version" in lines
    assert "answers that are not in their subject's lines: 1 (Bergen)" in lines
    assert "subjects that are asked about and held out or calibrated on: 1" in lines


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["check", "birthplaces"], 66, "expected a file, a folder or a registered data set, found"),
        (["check", "nowhere"], 66, "wherefrom data add birthplaces FOLDER"),
        (["add", "birthplaces", "nowhere"], 66, "nowhere: expected a folder with wiki.txt"),
        (["add", "birthplace", "."], 2, "did you mean 'birthplaces'?"),
        (["add", "people", "."], 2, "no data set of files"),
        (["check", ".", "--held-out", "x"], 2, "expected --questions beside"),
        (["ad"], 2, "ad"),
        (["fetch"], 2, "NAME"),
    ],
)
def test_what_cannot_be_done_is_told(cli, tmp_path, monkeypatch, arguments, code, message):
    monkeypatch.chdir(tmp_path)
    result = cli("data", *arguments)
    assert result.code == code
    assert message in result.complaint


def test_hostile_names_stay_on_their_line(cli, folder):
    hostile = folder.rename(folder.with_name("f\x1b[31m\nx"))
    result = cli("data", "add", "birthplaces", hostile)
    assert result.code == 0
    assert "\x1b" not in result.out + cli("data", "list").out


def test_a_registered_folder_is_removed_from_the_list_alone(cli, folder):
    cli("data", "add", "birthplaces", folder)
    found = cli("data", "remove", "birthplaces")
    assert found.out == f"removed: birthplaces in {folder}; its files stay where they are\n"
    assert (folder / "wiki.txt").exists()
    again = cli("data", "remove", "birthplaces")
    assert again.code == 66
    assert "expected a registered data set, found none" in again.complaint


# --- fetching ----------------------------------------------------------------------------------


def test_everything_is_listed(cli):
    listed = cli("data", "list")
    assert listed.code == 0
    for name, package in PACKAGES.items():
        assert name in listed.out
        assert package.licence in listed.out
    rows = cli("data", "list", "--json").json["packages"]
    assert list(rows) == list(PACKAGES)
    assert (rows["brown"]["source"], rows["brown"]["here"]) == ("npm", False)


def test_fetched_data_is_registered_and_listed(cli, offer, tmp_path):  # noqa: F811
    rows = (
        b"name,birthcity,countryName,birthyear,gender,occupation\nAl One,Rome,Italy,1900,Male,x\n"
    )
    offer(packed(("package/data/pantheon.csv", rows)))
    found = cli("data", "fetch", "famous-people")
    folder = tmp_path / "home" / "data" / "famous-people"
    assert (found.code, f"registered: famous-people in {folder}\n" in found.out) == (0, True)
    assert PACKAGES["famous-people"].licence in found.err
    assert cli("data", "fetch", "famous-people", "--json").json["reused"] is True
    listed = cli("data", "list").out
    assert f"  famous-people  {folder}  ok\n" in listed
    assert "  famous-people (here)\n" in listed
