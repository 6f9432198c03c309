"""The hand-in: every deliverable of a year named, faults found, one archive that repeats."""

import io
import zipfile
from pathlib import Path

import pytest
import torch

from tests.course.files import A5, calling, load
from wherefrom.course.classroom import handout_files as packing
from wherefrom.course.classroom.assignments import find_assignment
from wherefrom.course.doctor.intake import taken
from wherefrom.course.doctor.layouts import check_files, locate
from wherefrom.course.doctor.years import YEARS

(hand_in,) = load(A5, "hand_in")

# Seed 001 lists these, in this order, as what is handed in.
SEED = (
    "__init__.py attention.py dataset.py helper.py model.py trainer.py utils.py "
    "vanilla.model.params vanilla.nopretrain.dev.predictions vanilla.nopretrain.test.predictions "
    "vanilla.pretrain.params vanilla.finetune.params vanilla.pretrain.dev.predictions "
    "vanilla.pretrain.test.predictions synthesizer.pretrain.params synthesizer.finetune.params "
    "synthesizer.pretrain.dev.predictions synthesizer.pretrain.test.predictions"
).split()
# What CS224N's own collect_submission.sh of 2022-23 names besides src/ and the data.
SCRIPT_2023 = (
    "vanilla.model.params vanilla.finetune.params perceiver.finetune.params "
    "vanilla.nopretrain.dev.predictions vanilla.nopretrain.test.predictions "
    "vanilla.pretrain.dev.predictions vanilla.pretrain.test.predictions "
    "perceiver.pretrain.dev.predictions perceiver.pretrain.test.predictions"
).split()


def fill(folder: Path, names: list[str]) -> None:
    for name in names:
        if name.endswith(".predictions"):
            count = 500 if ".dev." in name else 437
            (folder / name).write_text("London\n" * count, encoding="utf-8")
        elif name.endswith(".params"):
            torch.save({"head.weight": torch.zeros(2)}, folder / name)


@pytest.fixture
def complete(tmp_path):
    """A submission of the default year with everything in it."""
    folder = tmp_path / "submission"
    folder.mkdir()
    for path in (A5 / "submission").glob("*.py"):
        (folder / path.name).write_bytes(path.read_bytes())
    fill(folder, SEED)
    return folder


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


call = calling(lambda: hand_in.main)


def names_of(data: bytes) -> list[str]:
    return zipfile.ZipFile(io.BytesIO(data)).namelist()


def test_cs224n_packs_src_and_the_data_and_its_own_run_py_makes_the_files(call, tmp_path):
    src = tmp_path / "a5" / "src"
    src.mkdir(parents=True)
    for name in ("attention", "dataset", "model", "run", "trainer", "utils", "london_baseline"):
        (src / f"{name}.py").write_text("x = 1\n", encoding="utf-8")
    names = {each.name for each in hand_in.deliverables(src, "cs224n2023")}
    assert names == {
        *SCRIPT_2023, "birth_dev.tsv", "birth_places_train.tsv", "wiki.txt",
        *(f"src/{path.name}" for path in src.glob("*.py")),
    }  # fmt: skip
    later = {each.name for each in hand_in.deliverables(src, "cs224n2024")}
    assert "london_baseline_accuracy.txt" in later
    assert "rope.finetune.params" in later
    assert not later & {"wiki.txt", "rope.pretrain.params", "vanilla.pretrain.params"}
    (src.parent / "vanilla.pretrain.dev.predictions").write_text("Rome\n" * 501, encoding="utf-8")
    _, out, _ = call("--submission", src.parent, "--check", "--year", "cs224n2021")
    assert "./run.sh" not in out
    assert "vanilla.model.params                   missing; make it with 'python src/run.py " in out
    assert "expected 500 lines, one for each question, found 501; make it with 'python" in out


def test_one_archive_the_same_bytes_twice(call, complete, tmp_path):
    code, out, err = call("--submission", complete)
    assert (code, err) == (0, "")
    assert "18 of 18 files: assignment5_submission.zip" in out
    first = (tmp_path / "assignment5_submission.zip").read_bytes()
    assert sorted(names_of(first)) == sorted(SEED)
    packed = zipfile.ZipFile(io.BytesIO(first))
    assert packed.read("helper.py") == (complete / "helper.py").read_bytes()
    for path in complete.iterdir():
        path.touch()
    assert call("--submission", complete, "--out", tmp_path / "again.zip")[0] == 0
    assert (tmp_path / "again.zip").read_bytes() == first


def test_an_archive_is_not_replaced_unless_told_to(call, complete, tmp_path):
    archive = tmp_path / "assignment5_submission.zip"
    archive.write_bytes(b"mine")
    code, _, err = call("--submission", complete)
    assert (code, archive.read_bytes()) == (73, b"mine")
    assert "--force replaces it" in err
    assert call("--submission", complete, "--check")[0] == 0
    assert archive.read_bytes() == b"mine"
    assert call("--submission", complete, "--force")[0] == 0
    assert zipfile.is_zipfile(archive)


def test_what_is_missing_is_named_with_what_makes_it(call, complete, tmp_path):
    (complete / "synthesizer.finetune.params").unlink()
    code, out, err = call("--submission", complete)
    assert code == 66
    (line,) = [line for line in out.splitlines() if line.startswith("x ")]
    assert line.split("  ")[0] == "x synthesizer.finetune.params"
    assert "./run.sh synthesizer_finetune_with_pretrain" in line
    assert "1 missing and 0 wrong of 18 files" in err
    assert not (tmp_path / "assignment5_submission.zip").exists()
    (complete / "vanilla.pretrain.dev.predictions").write_text("Rome\n" * 499 + "\n")
    assert call("--submission", complete, "--incomplete")[0] == 0
    assert len(names_of((tmp_path / "assignment5_submission.zip").read_bytes())) == 17


FAULTS = {
    "vanilla.pretrain.dev.predictions": [
        ("", "expected 500 lines, one for each question, found 1"),
        ("\n" * 500, "found 500 of 500 empty"),
        ("London\n" * 437, "expected 500 lines, one for each question, found 437"),
        ("24.2%\n" + "London\n" * 500, "found 501"),
        (
            "Rome\n" * 6 + "\n \n" * 173 + "Rome\n" * 148,
            "346 of 500 empty, the first of them line 7",
        ),
    ],
    "vanilla.pretrain.test.predictions": [("Rome\n" * 500, "expected 437 lines")],
    "vanilla.model.params": [("", "found an empty file"), ("oops", "what torch.save writes")],
    "helper.py": [("def f(:\n", "expected Python, found a syntax error")],
}


@pytest.mark.parametrize(
    ("name", "text", "says"), [(n, *case) for n, cases in FAULTS.items() for case in cases]
)
def test_what_is_wrong_is_found(call, complete, name, text, says):
    (complete / name).write_text(text, encoding="utf-8")
    code, out, err = call("--submission", complete, "--check")
    assert code == 65
    assert says in err
    assert out.count("\nx ") == 1


@pytest.mark.parametrize("year", ["xcs2021", "cs224n2023"])
def test_the_graders_find_everything_in_the_archive(call, tmp_path, year):
    assignment = find_assignment(year)
    packing.write(tmp_path / "mine", packing.lay_out(assignment, solved=True))
    package = assignment.place == "src/"
    code = tmp_path / "mine" / "src" / ("submission" if package else "")
    fill(code if package else code.parent, SEED if package else SCRIPT_2023)
    for name in () if package else YEARS[year].packed:
        (tmp_path / "mine" / name).write_text("x\n")
    given = ["--submission", tmp_path / "mine", "--year", year]
    assert call(*given, "--out", tmp_path / "ada.zip")[0] == 0
    with taken(tmp_path / "ada.zip") as copy:
        place = locate(copy.folder)
        check_files(place)
        assert len([*copy.folder.rglob("*.predictions")]) == 6
        assert len([*copy.folder.rglob("*.params")]) == (5 if package else 3)


def test_the_year_is_said_and_may_be_named(call, complete):
    _, out, _ = call("--submission", complete, "--check")
    assert "xcs2021" in out.splitlines()[0]
    code, out, _ = call("--submission", complete, "--check", "--year", "xcs2025")
    assert (code, "rope.pretrain.params" in out) == (66, True)
    assert "--year xcs2025" in out
