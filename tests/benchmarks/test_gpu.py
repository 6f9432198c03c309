"""The program of the GPU figures: what it needs, and what it would run."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BENCHMARKS = ROOT / "benchmarks"


@pytest.fixture(scope="module")
def bare(tmp_path_factory) -> dict[str, str]:
    """An environment in which all that the locked requirements name, apart from torch and numpy
    and what torch needs, is missing; in child processes too."""
    folder = tmp_path_factory.mktemp("bare")
    lines = (ROOT / "requirements" / "run.txt").read_text().splitlines()
    pinned = {line.split("==")[0].replace("-", "_") for line in lines if "==" in line[:60]}
    needs = {"numpy", "sympy", "mpmath", "networkx", "jinja2", "fsspec", "filelock",
             "typing_extensions", "MarkupSafe", "markupsafe", "setuptools"}  # fmt: skip
    blocked = sorted(pinned - needs)
    assert {"typer", "rich"} <= set(blocked)
    for name in blocked:
        (folder / f"{name}.py").write_text("raise ModuleNotFoundError('not to be had here')\n")
    return os.environ | {"PYTHONPATH": str(folder)}


def in_python(environment: dict[str, str], *arguments: object) -> str:
    found = subprocess.run(
        [sys.executable, *map(str, arguments)], env=environment, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert found.returncode == 0, found.stderr[-800:]
    return found.stdout


@pytest.mark.nightly
def test_it_needs_torch_and_numpy_and_nothing_else(bare, python_anew):
    code = f"import sys; sys.path.insert(0, {str(BENCHMARKS)!r})\n"
    code += "import gpu, influence, results; print(len(gpu.jobs('nowhere')))"
    assert int(in_python(bare, "-c", code)) == 9
    with pytest.raises(AssertionError, match="not to be had"):
        in_python(bare, "-c", "import rich")
