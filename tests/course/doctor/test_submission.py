"""How a submission's files are imported, as a package or side by side."""

import sys
from pathlib import Path

import pytest

from tests.course.files import fill
from wherefrom.course.doctor.findings import Finding
from wherefrom.course.doctor.layouts import FILES, SIDE_BY_SIDE
from wherefrom.course.doctor.submission import Submission


@pytest.fixture
def package(grounds) -> Path:
    return fill(grounds / "handed in", FILES)


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


def test_a_file_that_cannot_be_imported_costs_only_its_own(package):
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


def test_a_package_is_imported_under_the_courses_name(package):
    (package / "__init__.py").write_text("from .model import *\n")
    (package / "model.py").write_text("class GPT:\n    width = 4\n")
    submission = Submission(package)
    assert submission.GPT.width == 4
    assert submission.GPT.__module__ == "submission.model"
    with pytest.raises(Finding, match="none of its files has a 'Trainer'") as caught:
        _ = submission.Trainer
    assert caught.value.mistake == "import"
    (package / "model.py").write_text("class GPT:\n    width = 5  # longer\n")
    assert Submission(package).GPT.width == 5, "no module of the one before is left"
    assert sys.modules["submission"].__file__ == str(package / "__init__.py")


def test_a_package_that_cannot_be_imported_is_a_finding_each_time(package):
    (package / "__init__.py").write_text("\nimport nowhere_to_be_found\n")
    submission = Submission(package)
    for _ in range(2):
        with pytest.raises(Finding, match=r"cannot be imported: .*nowhere.* \(__init__\.py:2\)"):
            _ = submission.GPT
