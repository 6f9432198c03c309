"""Parameter files of the course: what goes out comes back, and hostile ones stay small."""

import subprocess
import sys
import zipfile

import pytest
import torch

from wherefrom.core.errors import Damaged, MissingInput
from wherefrom.models.params import read_params, write_params


def test_what_is_written_is_read(tmp_path):
    shared = torch.arange(6.0)
    state = {
        "module.a": shared, "b": shared.view(2, 3).T, "c": torch.tensor(3),
        "d": torch.ones(2, dtype=torch.bfloat16), "e": torch.ones(1).expand(4),
    }  # fmt: skip
    path = tmp_path / "new" / "x.params"
    write_params(path, state)
    assert set(torch.load(path, weights_only=True)) == set(state)
    found = read_params(path)
    assert set(found) == {"a", "b", "c", "d", "e"}  # without what DataParallel puts before a name
    assert torch.equal(found["a"], shared)
    assert torch.equal(found["b"], state["b"])
    assert found["d"].dtype == torch.float32
    assert torch.equal(found["e"], torch.ones(4))
    with pytest.raises(MissingInput):
        read_params(tmp_path / "none.params")


def deep_nesting(path):
    with zipfile.ZipFile(path, "w") as file:
        depth = 200_000
        file.writestr("archive/data.pkl", b"\x80\x02" + b"]" * depth + b"a" * (depth - 1) + b".")
        file.writestr("archive/version", "3\n")
        file.writestr("archive/byteorder", "little")


def deflate_bomb(path):
    """A tensor of 64 MiB of zeros, whose file is small because it is compressed."""
    plain = path.with_suffix(".plain")
    torch.save({"a": torch.zeros(2**24)}, plain)
    with (
        zipfile.ZipFile(plain) as source,
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as file,
    ):
        for name in source.namelist():
            file.writestr(name, source.read(name))


def expanded(path):
    torch.save({"w": torch.zeros(1).expand(6_000_000, 16)}, path)


@pytest.mark.parametrize(
    "make",
    [
        lambda path: path.write_bytes(b"no such thing"),
        lambda path: torch.save([1, 2], path),
        lambda path: torch.save({"a": torch.zeros(2, 2).to_sparse()}, path),
        deep_nesting,
        expanded,
    ],
    ids=["bytes", "list", "sparse", "nesting", "expanded"],
)
def test_what_is_no_state_is_refused_in_one_line(make, tmp_path):
    path = tmp_path / "x.params"
    make(path)
    with pytest.raises(Damaged) as error:
        read_params(path)
    assert str(error.value).startswith(f"{path}: expected the parameters of a model")
    assert "\n" not in str(error.value)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux keeps to the limit")
def test_memory_stays_bounded(tmp_path):
    path, copy = tmp_path / "x.params", tmp_path / "copy"
    deflate_bomb(path)
    assert path.stat().st_size < 2**20
    for room, fits in ((2**24, False), (2**29, True)):
        program = (
            "import sys; from pathlib import Path; from wherefrom.models import params;"
            f"params._ROOM = {room}; params._convert(*map(Path, sys.argv[1:]))"
        )
        command = [sys.executable, "-c", program, str(path), str(copy)]
        child = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (child.returncode == 0) is fits, child.stderr
        assert copy.exists() is fits
