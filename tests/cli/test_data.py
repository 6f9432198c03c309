"""`wherefrom data`: what is listed, checked and registered."""

import json
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
    assert before["built_in"] == ["people", "tiny-text", "biographies", "random-strings"]
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
        (
            ["check", "birthplaces"],
            66,
            "expected a file, a folder or a registered data set, found none",
        ),
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


def test_own_files_are_checked_and_what_is_wrong_is_told(cli, tmp_path):
    names = [f"{a} {b}" for a in ("Ada", "Bo", "Cy", "Di") for b in ("Lund", "Falk", "Roth")]
    text, table = tmp_path / "c.jsonl", tmp_path / "q.csv"
    rows = [json.dumps({"id": i, "text": f"{n} is from Oslo."}) for i, n in enumerate(names)]
    text.write_text("\n".join(rows))
    table.write_text("question,answer\n" + "".join(f"Where was {n} born?,Oslo\n" for n in names))
    found = cli("data", "check", text, "--questions", table)
    assert found.code == 0
    assert "form: Where was X born? (12)" in found.out
    assert cli("data", "check", text, "--questions", table, "--json").json["documents"] == 12
    assert cli("data", "check", text).out.endswith("documents with an id: 12\n")
    assert "12 questions" in cli("data", "check", table).out
    text.write_text('{"text": "Nobody you know."}')
    wrong = cli("data", "check", text, "--questions", table)
    assert wrong.code == 65
    assert "found none of 12 names" in wrong.complaint
    table.write_bytes("question,answer\nMálaga?,x\n".encode("latin-1"))
    wrong = cli("data", "check", table)
    assert wrong.code == 65
    assert "q.csv:2: expected UTF-8 text, found bytes that seem to be Latin-1" in wrong.complaint
    wrong = cli("data", "check", text, "--held-out", table)
    assert wrong.code == 2


def test_a_registered_folder_is_removed_from_the_list_alone(cli, folder):
    cli("data", "add", "birthplaces", folder)
    found = cli("data", "remove", "birthplaces")
    assert found.out == f"removed: birthplaces in {folder}; its files stay where they are\n"
    assert (folder / "wiki.txt").exists()
    again = cli("data", "remove", "birthplaces")
    assert again.code == 66
    assert "expected a registered data set, found none" in again.complaint
