"""The course's parameter files, which torch pickles: read and written here, never kept as ours.

A pickle that may only build tensors can still ask for any amount of memory, in a few hundred
bytes. So a child process with a limit opens the file and hands its tensors on as safetensors.
"""

import io
import os
import pickle
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

import torch
from torch import Tensor

from wherefrom.core.errors import Damaged
from wherefrom.core.files import format_arrays, one_line, read_arrays, reading, write_bytes

_ROOM = 512 * 2**20  # bytes for the child besides what it has and four times the file
_SECONDS = 120
_WRAPPERS = re.compile(r"^(module\.|_orig_mod\.)+")  # of DataParallel and torch.compile


def write_params(path: Path, state: Mapping[str, Tensor]) -> None:
    """Whole or not at all, on the CPU whatever the model is on."""
    held = io.BytesIO()
    torch.save({name: tensor.detach().cpu() for name, tensor in state.items()}, held)
    write_bytes(Path(path), held.getvalue())


def read_params(path: Path) -> dict[str, Tensor]:
    """The tensors of a parameter file by name; anything but tensors with names is refused."""
    path = Path(path)
    with reading(path), path.open("rb"):
        pass
    with tempfile.TemporaryDirectory(prefix="params-") as folder:
        copy = Path(folder) / "params.safetensors"
        reason = _convert_apart(path, copy)
        if reason is not None:
            raise Damaged(
                f"{path}: expected the parameters of a model as torch saves them, found: {reason}"
            )
        arrays = read_arrays(copy)
    return {_WRAPPERS.sub("", name): torch.from_numpy(array) for name, array in arrays.items()}


def _convert_apart(path: Path, copy: Path) -> str | None:
    """Let a child write the safetensors; why it did not, in one line."""
    environment = os.environ | {"CUDA_VISIBLE_DEVICES": "", "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "wherefrom.models.params", str(path.resolve()), str(copy)]
    try:
        child = subprocess.run(
            command, env=environment, capture_output=True, timeout=_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return f"something that takes more than {_SECONDS} s to read"
    if child.returncode == 0:
        return None
    said = child.stderr.decode(errors="replace").strip().splitlines()
    return said[-1][:200] if said else f"something that ended its reader ({child.returncode})"


def _convert(path: Path, copy: Path) -> None:
    """In the child: the file's tensors, as plain arrays, under a limit on memory."""
    _limit_memory(4 * path.stat().st_size + _ROOM)
    found = torch.load(path, map_location="cpu", weights_only=True)
    if not isinstance(found, dict) or not found:
        raise ValueError(f"a {type(found).__name__} instead of tensors by name")
    plain = {}
    for name, tensor in found.items():
        if not isinstance(name, str) or not isinstance(tensor, Tensor):
            raise ValueError(f"{type(name).__name__}: {type(tensor).__name__}, not a named tensor")
        if tensor.layout != torch.strided or tensor.is_meta or tensor.is_quantized:
            raise ValueError(f"'{name}', a tensor without plain numbers")
        if tensor.nbytes > max(tensor.untyped_storage().nbytes(), 1 << 20):
            raise ValueError(f"'{name}', a tensor larger than what is kept of it")
        tensor = tensor.float() if tensor.is_floating_point() else tensor
        plain[name] = tensor.detach().numpy()
    write_bytes(copy, format_arrays(plain))


def _limit_memory(more: int) -> None:
    """Allow `more` bytes beyond what the process has, where the system can limit memory."""
    import resource

    statm = Path("/proc/self/statm")
    if statm.exists():
        has = int(statm.read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (has + more, has + more))
    resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS))


if __name__ == "__main__":
    try:
        _convert(Path(sys.argv[1]), Path(sys.argv[2]))
    except pickle.UnpicklingError:  # torch's own text tells to load it unsafely
        print("something else than plain tensors", file=sys.stderr)
        sys.exit(1)
    except BaseException as error:  # whatever hostile bytes come to
        print(one_line(error)[:200] or type(error).__name__, file=sys.stderr)
        sys.exit(1)
