"""`wherefrom course new`: both folders are named."""

import pytest

NAMES = ("wiki.txt", "birth_places_train.tsv", "birth_dev.tsv", "birth_test_inputs.tsv")


@pytest.fixture
def data(tmp_path):
    folder = tmp_path / "birthplaces"
    folder.mkdir()
    for name in NAMES:
        (folder / name).write_text("Ann. Born in Oslo.\n")
    return folder


def test_a_term_is_written_and_what_is_where_is_said(cli, data, tmp_path):
    out = tmp_path / "term"
    given = ("--year", "cs224n2025", "--out", out, "--data", data, "--gradescope")
    result = cli("course", "new", *given)
    assert result.code == 0
    said = [line.split(":")[0] for line in result.out.splitlines()]
    assert said == [str(out / "student"), str(out / "teacher" / "autograder.zip")]
    assert {path.name for path in out.iterdir()} == {"student", "teacher"}
    assert (out / "student" / "data" / "wiki.txt").read_text() == "Ann. Born in Oslo.\n"
