"""The archive for Gradescope, set up in a fresh environment, grades what is handed in."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.course.files import A5
from tests.support import skips
from wherefrom.course.classroom.assignments import find_assignment
from wherefrom.course.classroom.handout_files import autograder, write
from wherefrom.course.doctor.years import DEFAULT_YEAR

pytestmark = [pytest.mark.nightly, pytest.mark.usefixtures("python_anew")]

SETUP = (A5.parents[1] / "scripts" / "setup.sh").read_text("utf-8")


@pytest.fixture
def place(grounds: Path, course_data: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Gradescope's folders, with the archive unpacked, and an environment with torch alone.

    apt-get does nothing: whether bubblewrap is there is the machine's matter.
    """
    place = grounds / "autograder"
    data = {path.name: path.read_bytes() for path in course_data.iterdir() if path.is_file()}
    write(place / "source", autograder(find_assignment(DEFAULT_YEAR), data))
    (grounds / "bin").mkdir()
    (grounds / "bin" / "apt-get").symlink_to(shutil.which("true"))
    own = f"{grounds / 'bin'}:{Path(sys.executable).parent}:{os.environ['PATH']}"
    for name, value in {"PATH": own, "AUTOGRADER": str(place), "PIP_RETRIES": "0"}.items():
        monkeypatch.setenv(name, value)
    if subprocess.run([sys.executable, "-m", "venv", place / "venv"], check=False).returncode:
        pytest.skip(f"{skips.NO_REGISTRY}: Python has no venv")
    pip = [place / "venv" / "bin" / "python", "-m", "pip", "--disable-pip-version-check"]
    version, index = (
        re.search(rf"^{name}=(.*)$", SETUP, re.MULTILINE)[1]
        for name in ("torch_version", "torch_cpu_index")
    )
    torch = [*pip, "install", "--no-deps", f"torch=={version}+cpu"]
    for command in ([*torch, "--no-index"], [*torch, "--index-url", index]):
        if subprocess.run(command, check=False).returncode == 0:
            break
    else:
        pytest.skip(f"{skips.NO_REGISTRY}: no torch {version}+cpu")
    tried = [*pip, "download", "--no-deps", "--dest", grounds, "jinja2"]
    if subprocess.run(tried, check=False).returncode:
        pytest.skip(f"{skips.NO_REGISTRY}: no jinja2")
    return place


def test_it_sets_itself_up_and_grades(place, solution):
    shutil.copytree(solution, place / "submission")
    for script in ("setup.sh", "run_autograder"):
        done = subprocess.run([place / "source" / script], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads((place / "results" / "results.json").read_text())
    assert found["score"] == sum(test["max_score"] for test in found["tests"]) == 64
    assert "isolated" in found["output"]
