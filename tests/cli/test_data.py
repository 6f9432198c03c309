"""`wherefrom data`: what is listed, checked and registered."""

from pathlib import Path

import pytest

FILES = {
    "wiki.txt": "Ada P. Lund. Lund was born in Oslo .\nBo Falk. Falk left Rome .\n",
    "birth_places_train.tsv": "Where was Ada P. Lund born?\tOslo\nWhere was Bo Falk born?\tRome\n",
    "birth_dev.tsv": "Where was Ada P. Lund born?\tBergen\n",
}


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch) -> Path:
    monkeypatch.setenv("WHEREFROM_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def folder(tmp_path) -> Path:
    made = tmp_path / "files"
    made.mkdir()
    for file, text in FILES.items():
        (made / file).write_text(text)
    return made


def test_help_comes_without_a_command(cli):
    assert "register" in cli("data").out


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
    assert found["name"] == "birthplaces"
    assert found["state"] is None
    assert list(found["files"]) == list(FILES)
    assert found["files"]["wiki.txt"]["known"] == ""
    assert found["counts"]["wiki.txt"]["documents"] == 2
    assert found["counts"]["birth_places_train.tsv"]["answers_in_line"] == 2
    assert found["counts"]["birth_dev.tsv"]["answers_in_line"] == 0
    assert found["shared"] == {"people in birth_places_train.tsv and birth_dev.tsv": 1}
    lines = cli("data", "check", folder).out.splitlines()
    assert "  wiki.txt: 2 lines, not a known version" in lines
    assert "       2  answers in line" in lines
    assert "       1  people in birth_places_train.tsv and birth_dev.tsv" in lines


def test_bad_files_are_not_registered(cli, folder, home):
    (folder / "birth_dev.tsv").write_text("Where was Bo Falk born?\n")
    result = cli("data", "add", "birthplaces", folder)
    assert result.code == 65
    assert "birth_dev.tsv:1: expected 'question<TAB>answer', found 1 column" in result.complaint
    assert result.out == ""
    assert not home.exists()


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["check", "birthplaces"], 66, "expected a folder or a registered data set, found neither"),
        (["check", "nowhere"], 66, "wherefrom data add birthplaces FOLDER"),
        (["add", "birthplaces", "nowhere"], 66, "nowhere: expected a folder with wiki.txt"),
        (["add", "birthplace", "."], 2, "did you mean 'birthplaces'?"),
        (["add", "people", "."], 2, "no data set of files"),
        (["ad"], 2, "ad"),
    ],
)
def test_what_cannot_be_done_is_told(cli, tmp_path, monkeypatch, arguments, code, message):
    monkeypatch.chdir(tmp_path)
    result = cli("data", *arguments)
    assert result.code == code
    assert message in result.complaint


def test_a_folder_without_a_file_is_told(cli, folder):
    (folder / "birth_dev.tsv").unlink()
    result = cli("data", "check", folder)
    assert result.code == 66
    assert "birth_dev.tsv: expected a file" in result.complaint


def test_a_damaged_list_is_told(cli, home):
    home.mkdir()
    (home / "data.json").write_text("[]")
    result = cli("data", "list")
    assert result.code == 76
    assert "register the folders again" in result.complaint


def test_hostile_names_stay_on_their_line(cli, folder):
    hostile = folder.rename(folder.with_name("f\x1b[31m\nx"))
    result = cli("data", "add", "birthplaces", hostile)
    assert result.code == 0
    assert "\x1b" not in result.out
    assert "\x1b" not in cli("data", "list").out
