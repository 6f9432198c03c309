"""Hostile submissions earn nothing that they do not compute, and leave nothing behind."""

import base64
import io
import json
import os
import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.course.files import A5, hand_out, left_behind, load_program
from tests.course.hostile import ARCHIVES, CODE, FILES
from wherefrom.core.errors import WherefromError
from wherefrom.course.doctor import intake, isolation
from wherefrom.course.doctor.isolation import Limits
from wherefrom.course.doctor.marks import table, write_csv

grade = load_program(A5, "grader")
TESTS = ("1c-0-hidden", "1c-1-basic", "1e-1-basic", "1e-2-basic", "1f-0-basic", "1g-3-hidden")
LIMITS = Limits(seconds=10.0, memory_mb=1024, total=90.0, disk_mb=64)


@pytest.fixture(scope="module")
def starter(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("handed-out")
    return hand_out(folder) / "submission"


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SimpleNamespace]:
    """What a submission is after, and whether it is all as it was afterwards."""
    monkeypatch.setenv("API_TOKEN", "secret-of-the-grader")
    monkeypatch.setattr(isolation, "_STARTING", 20.0)
    monkeypatch.chdir(tmp_path)
    foreign = tmp_path / "foreign"
    foreign.write_text("secret-of-the-grader\n" * 200)
    foreign.chmod(0o666)
    at = Path(isolation.torch_home()[0])
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    before = set(os.listdir(at)), set(os.listdir("/dev/shm"))
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield SimpleNamespace(foreign=foreign, port=server.getsockname()[1])
        server.setblocking(False)
        with pytest.raises(BlockingIOError):
            server.accept()
    assert foreign.read_text() == "secret-of-the-grader\n" * 200
    assert (set(os.listdir(at)), set(os.listdir("/dev/shm"))) == before
    assert not list(tmp_path.glob("*climbed*")) + list(tmp_path.rglob("hostile-was-here"))
    assert not left_behind("left-behind-hostile")
    assert list(tmp_path.glob("temporary/place-*")) == []


def hand_in(starter: Path, to: Path, code: str = "", **names: object) -> Path:
    to.mkdir()
    for path in starter.glob("*.py"):
        (to / path.name).write_bytes(path.read_bytes())
    for name, value in names.items():
        code = code.replace(f"@{name.upper()}@", str(value))
    with (to / "dataset.py").open("a") as file:
        file.write(f"\n{code}\n")
    return to


def graded(folder: Path, data: Path, *tests: str, kind: str = isolation.NONE):
    """Its grade, and all that the sheets say: the printed one, the JSON and the row of a table."""
    given = grade.grade(folder, tests, data, limits=LIMITS, isolation=kind)
    file = io.StringIO()
    write_csv([given.row(tests)], file)
    return given, "\n".join([*table(given), json.dumps(given.as_json()), file.getvalue()])


def cases() -> list[object]:
    return [pytest.param(name, marks=pytest.mark.nightly) for name in CODE]


@pytest.mark.parametrize("name", cases())
def test_code_that_means_harm(name, bubblewrap, starter, machine, tmp_path, course_data):
    names = {"foreign": machine.foreign, "port": machine.port, "solution": A5}
    folder = hand_in(starter, tmp_path / "submission", CODE[name], **names)
    given, sheet = graded(folder, course_data, *TESTS, kind=bubblewrap)
    assert given.total == 0, sheet
    assert "secret-of-the-grader" not in sheet
    assert "\x1b" not in sheet
    assert isolation.SAID[bubblewrap] in sheet


@pytest.mark.parametrize("name", FILES)
def test_files_that_mean_harm(name, starter, machine, tmp_path, course_data):
    """Our own code reads them: it needs no isolation to be safe."""
    folder = hand_in(starter, tmp_path / "submission")
    FILES[name](folder, machine.foreign)
    tests = ("1f-1-hidden", "1f-2-hidden")
    if name == "code is a link":  # it is code that is not there
        with pytest.raises(WherefromError, match=r"utils\.py: expected one of the course's files"):
            graded(folder, course_data, *tests)
        return
    given, sheet = graded(folder, course_data, *tests)
    assert given.total == 0, sheet
    assert "secret-of-the-grader" not in sheet
    if "link" in name or "pipes" in name:
        assert "left out: " in sheet
    assert len(sheet) < 9000


@pytest.mark.parametrize("name", ARCHIVES)
def test_archives_that_mean_harm(name, machine, tmp_path, course_data, monkeypatch):
    monkeypatch.setattr(intake, "TOTAL", 64 << 20)
    path = ARCHIVES[name](tmp_path / "handed-in.zip")
    with pytest.raises(WherefromError) as caught:
        graded(path, course_data, *TESTS)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.nightly
@pytest.mark.parametrize("hidden", [True, False])
def test_a_copy_that_hides_its_source_draws_as_ours_does(hidden, tmp_path, course_data):
    folder = tmp_path / "mine"
    folder.mkdir()
    plain = Path(__file__).parent / "mistakes" / "plain"
    for path in (A5 / "submission" if hidden else plain).glob("*.py"):
        text = base64.b64encode(path.read_bytes()).decode()
        code = f"import base64\nexec(base64.b64decode({text!r}))\n"
        (folder / path.name).write_text(code if hidden else path.read_text())
    given, sheet = graded(folder, course_data, "1e-1-basic")
    assert given.total > 0
    assert ("it hides the spans that the library's solution hides" in sheet) is hidden
