"""Archives: of files, and a wheel of the package for students and the autograder to install.

A wheel needs no build tools: it is an archive of the package's files, of what pyproject.toml says
about the package, and of a list of both.
"""

import hashlib
import io
import tomllib
import zipfile
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import wherefrom
from wherefrom.core.files import read_text

_PROGRAMS = ("run_autograder", "setup.sh", "run.sh")
_LONG_AGO = (1980, 1, 1, 0, 0, 0)  # when every file was changed


def archive(files: Mapping[str, bytes], packing: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip archive of contents by path, in their order; the same bytes for the same files.

    What is stored, not compressed, is the same on every machine: compressors differ.
    """
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as packed:
        for path, data in files.items():
            entry = zipfile.ZipInfo(path, _LONG_AGO)
            entry.compress_type, entry.create_system = packing, 3  # as Unix has it, anywhere
            entry.external_attr = (0o100755 if is_program(path) else 0o100644) << 16
            packed.writestr(entry, data)
    return out.getvalue()


def is_program(path: str) -> bool:
    return Path(path).name in _PROGRAMS


@cache
def make_wheel() -> tuple[str, bytes]:
    """The wheel's file name, and the wheel.

    What it requires is read from the clone: the installed package may say what it once required,
    or, where only an egg-info lies about, nothing.
    """
    home = Path(wherefrom.__file__).resolve().parent
    project = tomllib.loads(read_text(home.parents[1] / "pyproject.toml"))["project"]
    about = ["Metadata-Version: 2.1", f"Name: {project['name']}", f"Version: {project['version']}"]
    about += [f"Requires-Python: {project['requires-python']}"]
    about += [f"Requires-Dist: {each}" for each in project["dependencies"]]
    scripts = [f"{name} = {path}" for name, path in project["scripts"].items()]
    files = {
        path.relative_to(home.parent).as_posix(): path.read_bytes()
        for path in sorted(home.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }
    name = f"wherefrom-{project['version']}"
    own = {
        "METADATA": about,
        "entry_points.txt": ["[console_scripts]", *scripts],
        "WHEEL": ["Wheel-Version: 1.0", "Root-Is-Purelib: true", "Tag: py3-none-any"],
    }
    files |= {f"{name}.dist-info/{each}": "\n".join([*lines, ""]).encode()
              for each, lines in own.items()}  # fmt: skip
    digests = (urlsafe_b64encode(hashlib.sha256(data).digest()) for data in files.values())
    rows = [f"{path},sha256={digest.decode().rstrip('=')},{len(files[path])}"
            for path, digest in zip(files, digests, strict=True)]  # fmt: skip
    record = f"{name}.dist-info/RECORD"
    files[record] = "\n".join([*rows, f"{record},,", ""]).encode()
    return f"{name}-py3-none-any.whl", archive(files)
