"""Archives: of files, and a wheel of the package for students and the autograder to install.

A wheel needs no build tools: it is an archive of the package's files, of what the installed
package says about itself, and of a list of both.
"""

import hashlib
import io
import zipfile
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import wherefrom
from wherefrom.core.errors import MissingInput

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
    """The wheel's file name, and the wheel."""
    try:
        about = distribution("wherefrom")
    except PackageNotFoundError:
        raise MissingInput(
            "wherefrom: expected it to be installed, found only its source tree; run 'make setup'"
        ) from None
    home = Path(wherefrom.__file__).resolve().parent
    files = {
        path.relative_to(home.parent).as_posix(): path.read_bytes()
        for path in sorted(home.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }
    name = f"wherefrom-{about.version}"
    own = {each: about.read_text(each) or "" for each in ("METADATA", "entry_points.txt")}
    # An editable install has a tag of its own.
    own["WHEEL"] = "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    files |= {f"{name}.dist-info/{each}": text.encode() for each, text in own.items()}
    digests = (urlsafe_b64encode(hashlib.sha256(data).digest()) for data in files.values())
    rows = [f"{path},sha256={digest.decode().rstrip('=')},{len(files[path])}"
            for path, digest in zip(files, digests, strict=True)]  # fmt: skip
    record = f"{name}.dist-info/RECORD"
    files[record] = "\n".join([*rows, f"{record},,", ""]).encode()
    return f"{name}-py3-none-any.whl", archive(files)
