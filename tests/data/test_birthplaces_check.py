"""What is counted in a folder of birthplaces: the small one, by hand, and the real one."""

from wherefrom.data.birthplaces import read_files
from wherefrom.data.birthplaces_check import inspect


def test_the_small_folder_is_counted(folder):
    report = inspect(str(folder))
    assert (report.name, report.state, report.folder) == ("birthplaces", None, str(folder))
    text, train, dev, test = report.counts.values()
    assert (text["documents"], text["longest_line"]) == (6, 64)
    assert text["names_with_several_lines"] == 1  # Cy Holm
    assert train["questions"] == 5
    assert train["questions_with_several_answers"] == 1  # Cy Holm: Rome, Italy
    assert train["percent_encoded_names"] == 1  # Zoë Roth
    assert train["answers_in_line"] == 3  # Oslo, Paris, Rome; neither Malmö nor Italy
    assert (dev["people_without_line"], dev["answers_in_line"]) == (1, 1)  # Em Ny; Lima
    assert dev["answers_unseen_in_training"] == 1  # Lima
    assert test == {
        "questions": 2,
        "duplicate_questions": 0,
        "questions_with_several_answers": 0,
        "percent_encoded_names": 0,
        "people_without_line": 0,
    }
    assert report.shared["people in birth_places_train.tsv and birth_test_inputs.tsv"] == 2
    assert {file.known for file in report.files.values()} == {""}


def test_marks_and_line_ends_are_reported(folder):
    for file in folder.iterdir():
        data = file.read_bytes().removesuffix(b"\n").replace(b"\n", b"\r\n")
        file.write_bytes(b"\xef\xbb\xbf" + data)
    report = inspect(str(folder))
    assert report.files["wiki.txt"].byte_order_mark
    assert report.files["birth_dev.tsv"].carriage_returns == 1


def test_the_report_counts_what_is_known_of_the_course(real):
    report = inspect(str(real))
    assert {file.known for file in report.files.values()} == {"the course's"}
    text, train, dev, test = report.counts.values()
    assert (text["documents"], text["longest_line"], text["vocabulary"]) == (2937, 516, 256)
    assert (text["duplicate_lines"], text["lines_without_name"]) == (9, 0)
    assert text["characters_only_in_questions"] == 0
    assert train["questions_with_several_answers"] == 9
    assert dev["percent_encoded_names"] == 9
    assert dev["answers_in_line"] == 479
    assert dev["answers_in_first_112_characters"] == 462
    assert dev["answers_in_first_96_characters"] == 441
    assert dev["answers_unseen_in_training"] == 39
    assert report.shared["people in birth_places_train.tsv and birth_dev.tsv"] == 1
    assert dev["people_without_line"] == test["people_without_line"] == 0
    assert report.files["birth_places_train.tsv"].non_ascii_lines == 124


def test_the_course_text_with_a_final_newline_is_known_and_the_same(real, tmp_path):
    for file in real.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    with (tmp_path / "wiki.txt").open("ab") as file:
        file.write(b"\n")
    assert inspect(str(tmp_path)).files["wiki.txt"].known == "the course's, with a final newline"
    assert read_files(tmp_path).documents == read_files(real).documents
