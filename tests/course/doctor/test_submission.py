"""Submissions: which folder holds one, what is refused, and how its package is imported."""

import sys
from pathlib import Path

import pytest

from wherefrom.core.errors import BadData, MissingInput
from wherefrom.course.doctor.findings import Finding
from wherefrom.course.doctor.layouts import FILES, check_files, locate
from wherefrom.course.doctor.submission import Submission


@pytest.fixture
def package(grounds) -> Path:
    """The course's files, empty ones."""
    folder = grounds / "handed in"
    folder.mkdir()
    for file in FILES:
        (folder / file).write_text("")
    return folder


def test_folders_without_a_submission_are_refused(grounds):
    with pytest.raises(MissingInput, match="nobody: expected a folder with a submission"):
        locate(grounds / "nobody")
    with pytest.raises(MissingInput, match="found none of them; name the folder 'submission'"):
        locate(grounds)


def test_every_file_must_be_python(package):
    check_files(package)
    for content, line, found in (
        (b"\ndef f(:\n", 2, "found a syntax error"),
        (b"x = '\xff'\n", 1, "found bytes that seem to be Latin-1"),
        (b"x = 1\0\n", 1, "found a NUL byte"),
    ):
        (package / "helper.py").write_bytes(content)
        with pytest.raises(BadData, match=rf"helper\.py:{line}: .*{found}"):
            check_files(package)


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
    with pytest.raises(Finding, match="it was killed"):
        _ = Submission(package, broken="it was killed").code
