"""Where a submission's code lies, and how files without a package are put together."""

import sys

import pytest

from wherefrom.core.errors import MissingInput
from wherefrom.course.doctor.findings import Finding
from wherefrom.course.doctor.layouts import (
    FILES,
    SIDE_BY_SIDE,
    check_files,
    expected_files,
    is_package,
    locate,
    written,
)
from wherefrom.course.doctor.submission import Submission


def fill(folder, names):
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        (folder / name).write_text("")
    return folder


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


def test_files_without_a_package_are_one_module_and_import_each_other(grounds, monkeypatch):
    files = fill(grounds / "src", SIDE_BY_SIDE)
    (files / "attention.py").write_text("class Attention:\n    heads = 3\n")
    (files / "model.py").write_text(
        "import attention\n\nclass GPT(attention.Attention):\n    pass\n"
    )
    (files / "dataset.py").write_text("from random import Random\n")
    monkeypatch.setattr(sys, "path", list(sys.path))
    modules, errors = Submission(files).code
    assert errors == {}
    submission = Submission(files)
    assert (submission.GPT.heads, submission.Attention.heads) == (3, 3)
    assert [module.__name__ for module in modules] == [
        f[:-3] for f in SIDE_BY_SIDE if f != "run.py"
    ]


def test_a_file_that_cannot_be_imported_costs_only_its_own(grounds):
    package = fill(grounds / "package", FILES)
    (package / "__init__.py").write_text("from .dataset import A\nfrom .trainer import B\n")
    (package / "dataset.py").write_text("class A:\n    n = 1\n")
    (package / "trainer.py").write_text("import nowhere_to_be_found\n")
    errors = Submission(package).code[1]
    assert list(errors) == ["trainer.py"]
    assert Submission(package).A.n == 1
    with pytest.raises(
        Finding, match=r"trainer.py cannot be imported: .*nowhere.* \(trainer.py:1\)"
    ):
        _ = Submission(package).B


def test_what_was_written_beside_src_is_found(grounds):
    files = fill(grounds / "src", SIDE_BY_SIDE)
    for name in ("rope.params", "vanilla.params"):
        (grounds / name).write_text("outside")
    (files / "rope.params").write_text("inside")
    (files / "link.params").symlink_to(grounds / "vanilla.params")
    assert written(files, "*.params") == [files / "rope.params", grounds / "vanilla.params"]
    assert written(fill(grounds / "submission", FILES), "*.params") == []
