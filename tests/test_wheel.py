"""The wheel: it holds every file of the package, and a tiny `people` runs from a copy of it."""

import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from zipfile import ZipFile

import pytest

pytestmark = [pytest.mark.nightly, pytest.mark.usefixtures("python_anew")]

ROOT = Path(__file__).parents[1]
# The modules that ran, after the command: where they were loaded from.
PROGRAM = """
import sys
from wherefrom.cli.main import main
code = main(sys.argv[1:])
ours = [m for name, m in sys.modules.items() if name.split(".")[0] == "wherefrom"]
print(len(ours), {m.__file__.rpartition("/wherefrom/")[0] for m in ours})
sys.exit(code)
"""


def run(*command: object, cwd: Path, **environment: str) -> str:
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [str(part) for part in command], cwd=cwd, env=clean | environment, capture_output=True,
        text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def pip(*arguments: object, cwd: Path) -> None:
    """This environment's pip, or the system's where Python came without ensurepip."""
    runner = sys.executable if find_spec("pip") else sys._base_executable
    run(runner, "-m", "pip", "--python", sys.executable, "--disable-pip-version-check", *arguments,
        cwd=cwd)  # fmt: skip


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    """Built from a copy: setuptools leaves a folder of its own beside what it builds."""
    folder = tmp_path_factory.mktemp("wheel")
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder)
    outputs = shutil.ignore_patterns("__pycache__", "*.egg-info")
    shutil.copytree(ROOT / "src", folder / "src", ignore=outputs)
    pip("wheel", "--no-deps", "--no-build-isolation", "-w", folder / "dist", folder, cwd=folder)
    (built,) = (folder / "dist").glob("wherefrom-*-py3-none-any.whl")
    return built


def test_every_file_of_the_package_is_in_it(wheel):
    source = ROOT / "src"
    files = [p for p in (source / "wherefrom").rglob("*") if p.is_file() and p.suffix != ".pyc"]
    expected = {path.relative_to(source).as_posix() for path in files}
    assert {Path(name).suffix for name in expected} >= {".js", ".css", ".html", ".json", ".typed"}
    with ZipFile(wheel) as archive:
        assert {n for n in archive.namelist() if n.startswith("wherefrom/")} == expected


def test_a_tiny_people_runs_from_a_copy_of_it(wheel, tiny_settings, tmp_path):
    place, home = tmp_path / "place", tmp_path / "home"
    pip("install", "--no-deps", "--target", place, wheel, cwd=tmp_path)
    here = {"PYTHONPATH": str(place), "WHEREFROM_HOME": str(home)}
    settings = [part for setting in tiny_settings for part in ("--set", setting)]
    arguments = ["run", "people", "--out", tmp_path / "people", *settings]
    said = run(sys.executable, "-c", PROGRAM, *arguments, cwd=tmp_path, **here).splitlines()
    count, roots = said[-1].split(" ", 1)
    assert int(count) > 100
    assert roots == repr({str(place)})
    assert b"<script" in (tmp_path / "people" / "report.html").read_bytes()
    # The command that a user types.
    assert "people" in run(place / "bin" / "wherefrom", "list", cwd=tmp_path, **here)
    asked = run(place / "bin" / "wherefrom", "ask", "Amos Karlsson", cwd=tmp_path, **here)
    assert "  Havana (" in asked  # by the example in it
