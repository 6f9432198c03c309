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


@pytest.mark.nightly
def test_so_do_the_courses_commands(bare, python_anew, tmp_path):
    """Two of them, from nothing to a score, through files of parameters and checkpoints."""
    rows = "".join(f"Where was {n} born?\tOslo\n" for n in ("Ann Ek", "Bo Ek", "Cy Ek"))
    text = "".join(f"{n}. {n} was born in Oslo. Where?\n" for n in ("Ann Ek", "Bo Ek", "Cy Ek"))
    for name, content in (("wiki.txt", text), ("birth_places_train.tsv", rows),
                          ("birth_dev.tsv", rows)):  # fmt: skip
        (tmp_path / name).write_text(content)
    path = os.pathsep.join((bare["PYTHONPATH"], str(ROOT / "src")))
    environment = bare | {"PYTHON": sys.executable, "PYTHONPATH": path}
    options = ["--data", tmp_path, "--out", tmp_path / "out", "--epochs=1"]
    options += [f"--{name}={size}" for name, size in (("n_layer", 1), ("n_head", 1), ("n_embd", 8))]

    def give(name: str) -> subprocess.CompletedProcess[str]:
        command = ["bash", ROOT / "course" / "a5" / "run.sh", name, *options]
        return subprocess.run(
            [*map(str, command)], env=environment, capture_output=True, text=True, check=False
        )

    assert give("vanilla_finetune_without_pretrain").returncode == 0
    assert "out of 3.0" in give("vanilla_eval_dev_without_pretrain").stdout
    early = give("rope_eval_dev_with_pretrain")
    assert early.returncode == 66
    assert "run './run.sh rope_finetune" in early.stderr
