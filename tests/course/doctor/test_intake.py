"""What is taken in of a submission, and what stays outside."""

import zipfile
from pathlib import Path

import pytest

from wherefrom.core.errors import BadData, MissingInput
from wherefrom.course.doctor import intake
from wherefrom.course.doctor.intake import copy_code, taken


def files(folder: Path) -> dict[str, int]:
    found = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.stat().st_size for path in found}


@pytest.fixture
def handed_in(tmp_path: Path) -> Path:
    folder = tmp_path / "ann"
    for name in ("src/model.py", "src/.hidden.py", "data/birth_dev.tsv", "src/__pycache__/a.pyc"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("x = 1\n")
    return folder


def test_a_folder_is_copied_without_data_and_hidden_files(handed_in):
    with taken(handed_in) as copy:
        assert files(copy.folder) == {"src/model.py": 6}
        assert copy.left == []
    assert not copy.folder.exists()


def test_a_file_that_is_too_large_is_left_out(handed_in, monkeypatch):
    monkeypatch.setattr(intake, "LARGEST", 2 << 20)
    (handed_in / "dev.predictions").write_bytes(b"x" * (3 << 20))
    (handed_in / "huge.py").write_bytes(b"#" * (2 << 20))
    with taken(handed_in) as copy:
        assert files(copy.folder) == {"src/model.py": 6}
        assert copy.left == ["dev.predictions (3 MB)", "huge.py (2 MB)"]


def test_python_beyond_some_size_in_all_is_left_out(handed_in):
    for number in range(3):
        (handed_in / f"{number}.py").write_bytes(b"#" * (1 << 20))
    with taken(handed_in) as copy:
        assert sorted(files(copy.folder)) == ["0.py", "1.py"]
        assert copy.left == ["2.py (1 MB)", "src/model.py (0 MB)"]


@pytest.mark.parametrize(("bound", "most"), [("FILES", 3), ("TOTAL", 20)])
def test_too_much_is_refused_in_one_line(handed_in, monkeypatch, bound, most):
    monkeypatch.setattr(intake, bound, most)
    for number in range(3):
        (handed_in / f"{number}.py").write_text("x = 1\n")
    with pytest.raises(BadData, match=r"ann: expected at most .*, found more; hand in"), \
         taken(handed_in):  # fmt: skip
        pass


def test_an_archive_is_unpacked_within_its_own_bounds(tmp_path):
    path = tmp_path / "ann.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name in ("submission/model.py", "../climbed.py", "__MACOSX/model.py"):
            archive.writestr(name, "x = 1\n")
    with taken(path) as copy:
        assert files(copy.folder) == {"submission/model.py": 6}
        assert copy.left == ["../climbed.py (no plain file)"]


def test_errors_name_the_place_it_came_from(handed_in, tmp_path):
    with pytest.raises(MissingInput, match="nobody: expected a folder with a submission"), \
         taken(tmp_path / "nobody"):  # fmt: skip
        pass
    with pytest.raises(BadData) as caught, taken(handed_in) as copy:
        raise BadData(f"{copy.folder}/src/model.py:1: expected Python")
    assert str(caught.value) == f"{handed_in}/src/model.py:1: expected Python"
    (tmp_path / "text").write_text("hello")
    with pytest.raises(BadData, match="text: expected a zip archive, found one that breaks"), \
         taken(tmp_path / "text"):  # fmt: skip
        pass


def test_code_sees_neither_parameters_nor_predictions(tmp_path):
    src = tmp_path / "ann" / "src"
    src.mkdir(parents=True)
    for path in (
        src / "model.py",
        src / "a.params",
        src.parent / "b.params",
        src / "c.predictions",
    ):
        path.write_text("weights")
    (src / "large.txt").write_bytes(bytes(intake.SMALL + 1))
    at = copy_code(src, tmp_path / "copy")
    assert at == tmp_path / "copy" / "src"
    assert files(tmp_path / "copy") == {
        "src/model.py": 7, "src/a.params": 0, "b.params": 0, "src/c.predictions": 0,
        "src/large.txt": 0,
    }  # fmt: skip
