"""Where a submission's code lies, which files it has, and what is refused."""

import pytest

from tests.course.files import fill
from wherefrom.core.errors import BadData, MissingInput
from wherefrom.course.doctor.judging.claims import Files
from wherefrom.course.doctor.layouts import (
    FILES,
    SIDE_BY_SIDE,
    check_files,
    expected_files,
    is_package,
    locate,
)


@pytest.mark.parametrize("inner", ["a5/src", "a4/student/src", "student/src", "src", "."])
def test_files_side_by_side_are_found_where_courses_put_them(grounds, inner):
    fill(grounds / "her" / inner, SIDE_BY_SIDE)
    fill(grounds / "her" / "mingpt-demo" / "mingpt", FILES)  # the course's demonstration
    assert locate(grounds / "her") == (grounds / "her" / inner).resolve()


def test_of_two_copies_the_one_with_the_courses_name_is_taken(grounds):
    fill(grounds / "src" / "assignment5_submission", FILES)
    fill(grounds / "src" / "submission", FILES)
    fill(grounds / "src", [*FILES, "run.py"])  # copies beside the program
    assert locate(grounds) == (grounds / "src" / "submission").resolve()


def test_what_makes_a_package(grounds):
    package = fill(grounds / "package", FILES)
    files = fill(grounds / "files", SIDE_BY_SIDE)
    nothing = fill(grounds / "nothing", ["model.py"])
    assert [is_package(f) for f in (package, files, nothing)] == [True, False, True]
    (files / "model.py").rename(files / "models.py")
    assert "models.py" in expected_files(files)
    check_files(files)
    (files / "models.py").unlink()
    with pytest.raises(MissingInput, match=r"model\.py: expected one of the course's files"):
        check_files(files)


def test_what_was_written_beside_src_is_found(grounds):
    files = fill(grounds / "src", SIDE_BY_SIDE)
    for name in ("rope.params", "vanilla.params"):
        (grounds / name).write_text("outside")
    (files / "rope.params").write_text("inside")
    assert Files(files).find("rope.params") == files / "rope.params"
    assert Files(files).find("vanilla.params") == grounds / "vanilla.params"
    package = fill(grounds / "submission", FILES)
    assert not Files(package).find("rope.params").exists(), "a package writes beside its code"


def test_folders_without_a_submission_are_refused(grounds):
    with pytest.raises(MissingInput, match="nobody: expected a folder with a submission"):
        locate(grounds / "nobody")
    with pytest.raises(MissingInput, match="found none of them; name the folder that has them"):
        locate(grounds)


def test_every_file_must_be_python(grounds):
    package = fill(grounds / "package", FILES)
    check_files(package)
    for content, line, found in (
        (b"\ndef f(:\n", 2, "found a syntax error"),
        (b"x = '\xff'\n", 1, "found bytes that seem to be Latin-1"),
        (b"x = 1\0\n", 1, "found a NUL byte"),
    ):
        (package / "helper.py").write_bytes(content)
        with pytest.raises(BadData, match=rf"helper\.py:{line}: .*{found}"):
            check_files(package)
